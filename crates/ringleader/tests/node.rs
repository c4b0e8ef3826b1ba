//! `ringleader node` and `ringleader cluster` from outside.

#[path = "node/on_graphs.rs"]
mod on_graphs;
#[cfg(unix)]
#[path = "node/operating.rs"]
mod operating;

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn ringleader(arguments: &[&str], input: &str) -> Output {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_ringleader"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails at once has closed its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn complaint(arguments: &[&str]) -> String {
    let output = ringleader(arguments, "");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A folder for one test, removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ringleader-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn wrong_settings_are_refused_with_a_reason() {
    let two = ["--peer", "0=127.0.0.1:7400", "--peer", "1=127.0.0.1:7401"];
    let node = |more: &[&str]| complaint(&[&["node", "--check"], more, &two].concat());
    assert!(node(&[]).contains("--id"));
    assert!(node(&["--id", "0", "--heartbeat", "5"]).contains("100ms"));
    assert!(node(&["--id", "0", "--heartbeat", "1ms"]).contains("10 ms"));
    assert!(node(&["--id", "0", "--delta", "10ms"]).contains("0.1 to 100 heartbeats"));
    let short = [&["node", "--check", "--id", "0", "--delta", "500ms"][..], &two].concat();
    assert!(ringleader(&short, "").status.success(), "robust-s2 asks, so it bears a delta below the heartbeat");
    assert!(node(&["--id", "0", "--delta", "1s", "--algorithm", "robust-s5"]).contains("1.1 to 100 heartbeats"));
    assert!(node(&["--id", "0", "--clock-window", "5s"]).contains("clock-window was removed"));
    assert!(node(&["--id", "0", "--alone", "wait", "--guard", "majority"]).contains("no meaning with the guard"));
    assert!(node(&["--id", "0", "--realtime", "100"]).contains("a priority of 1 to 99"));
    assert!(node(&["--id", "0", "--preempt", "maybe"]).contains("true, false or a time"));
    assert!(node(&["--id", "0", "--weight", "1", "--algorithm", "robust-s4"]).contains("for robust-s2"));
    assert!(node(&["--id", "0", "--check-command", "true", "--check-rise", "0"]).contains("check-rise"));
    assert!(node(&["--id", "0", "--listen", "10.255.255.1:7400", "--insecure"]).contains("no such address"));
    // Without name service the settings can still be checked.
    let unresolved =
        ringleader(&[&["node", "--check", "--id", "0", "--peer", "2=nowhere.invalid:7402"][..], &two].concat(), "");
    let warning = String::from_utf8_lossy(&unresolved.stderr).into_owned();
    assert!(
        unresolved.status.success() && warning.contains("warning: peer 2, nowhere.invalid:7402: cannot resolve"),
        "{warning}"
    );
    let own = [
        "node",
        "--check",
        "--id",
        "0",
        "--insecure",
        "--peer",
        "0=nowhere.invalid:7400",
        "--peer",
        "1=127.0.0.1:7401",
    ];
    let own = ringleader(&[&own[..], &["--listen", "0.0.0.0:7400"]].concat(), "");
    let warning = String::from_utf8_lossy(&own.stderr).into_owned();
    assert!(warning.contains("peer 0, nowhere.invalid:7400: cannot resolve"), "its own name: {warning}");
    assert!(node(&["--id", "0", "--peer", "2=[::1]:7402"]).contains("all IPv6"));
    assert!(node(&["--id", "2", "--size", "3", "--listen", "127.0.0.1:7402"]).contains("no line for this node, 2"));
    assert!(node(&["--id", "2", "--size", "2"]).contains("not below the size"));
    assert!(node(&["--id", "0", "--algorithm", "franklin", "--size", "2"]).contains("left and the right neighbour"));
    assert!(node(&["--id", "0", "--algorithm", "robust-s6"]).contains("did you mean"));
    let open = node(&["--id", "0", "--listen", "0.0.0.0:7400"]);
    assert!(open.contains("reaches 0.0.0.0:7400") && open.contains("--insecure"), "{open}");
    assert!(node(&["--id", "0", "--key-file", "/nonexistent/key"]).contains("key file"));
    assert!(node(&["--id", "0", "--resolve-every", "0s"]).contains("resolve-every must be 0.1 s at least"));
    assert!(node(&["--id", "0", "--hook-timeout", "0s"]).contains("hook-timeout must be 10 ms at least"));
    assert!(node(&["--id", "0", "--peer", "01=127.0.0.1:7402"]).contains("peer 1 is given twice"));
    assert!(node(&["--id", "0", "--peer", "2=127.0.0.1:7401"]).contains("peer 1 and peer 2 have the same address"));
    assert!(node(&["--id", "0", "--listen", "127.0.0.1:7401"]).contains("peer 1 has the address 127.0.0.1:7401"));
    assert!(complaint(&["node", "--id", "0"]).contains("no peers"));
    assert!(complaint(&["node", "--id", "0", "--peer", "here"]).contains("ID=HOST:PORT"));
    assert!(complaint(&["cluster", "--nodes", "1"]).contains("2 to 200"));
    assert!(complaint(&["cluster", "--script", "/nonexistent/script"]).contains("cannot read"));
}

#[test]
fn a_reader_that_has_gone_ends_no_check() {
    let words = ["node", "--id", "0", "--peer", "0=127.0.0.1:7400", "--peer", "1=127.0.0.1:7401", "--check"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    let mut child = command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn loopback_is_refused_where_peers_are_elsewhere() {
    let start = |more: &[&str]| ringleader(&[&["node", "--id", "0"], more].concat(), "");
    let node = |more: &[&str]| start(&[&["--check"], more].concat());
    let elsewhere = ["--peer", "1=10.0.0.1:7501"];
    for listen in [&[][..], &["--peer", "0=127.0.0.1:7400", "--check"], &["--listen", "127.0.0.1:7400"]] {
        let output = start(&[listen, &elsewhere].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{listen:?}");
        assert!(error.contains("10.0.0.1:7501") && error.contains("--listen 0.0.0.0:7400"), "{error}");
    }
    let own = ["--peer", "0=127.0.0.1:7400", "--listen", "0.0.0.0:7400", "--insecure"];
    assert!(node(&[&own[..], &elsewhere].concat()).status.success());
    let named = node(&["--peer", "0=127.0.0.1:7400", "--peer", "1=localhost:7401"]);
    assert!(named.status.success(), "names mean what they mean at run time");
}

/// A host name is resolved at run time only. Rust does not parse `10.1` as an address, but the system resolves it to one.
#[cfg(unix)]
#[test]
fn the_running_node_reports_unreachable_names() {
    let node = ["node", "--id", "0", "--listen", "127.0.0.1:0", "--peer", "1=10.1:7400", "--heartbeat", "100ms"];
    let node = [&node[..], &["--alone", "lead"]].concat();
    // It reaches nobody, so it soon leads, and ends itself.
    let output = ringleader(&[&node[..], &["--on-leader", "kill $PPID"]].concat(), "");
    let log = String::from_utf8(output.stderr).unwrap();
    let warning = log.lines().find(|line| line.contains("WARN")).unwrap_or(&log);
    assert!(warning.contains("loopback") && warning.contains("10.0.0.1:7400"), "{warning}");
}

#[test]
fn a_configuration_file_is_read_and_its_errors_are_found() {
    let folder = Folder::new("settings");
    let (config, key) = (folder.file("node.toml"), folder.file("key"));
    let write = |text: &str| std::fs::write(&config, text).unwrap();
    assert!(ringleader(&["node", "--new-key", &key], "").status.success());
    assert!(complaint(&["node", "--new-key", &key]).contains("does not replace a key"), "a key is never overwritten");
    let good = format!(
        "id = 1\nkey-file = {key:?}\nheartbeat = \"100ms\"\n[peers]\n0 = \"localhost:7401\"\n1 = \"127.0.0.1:7400\"\n"
    );
    write(&good);
    let check = |more: &[&str]| ringleader(&[&["node", "--config", &config, "--check"], more].concat(), "");
    assert_eq!(String::from_utf8(check(&[]).stdout).unwrap(), "the settings are valid\n");
    assert!(check(&["--id", "0", "--listen", "127.0.0.1:0"]).status.success(), "flags go before the file");
    write(&format!("colour = 3\n{good}"));
    let error = String::from_utf8(check(&[]).stderr).unwrap();
    assert!(error.contains("colour") && error.contains("line 1"), "{error}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        write(&good);
        let output = check(&["--control", "/nonexistent/control"]);
        let warning = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && warning.contains("there is no folder /nonexistent now"), "{warning}");
        let error = String::from_utf8(check(&["--control", &config]).stderr).unwrap();
        assert!(error.contains("another file, or a link"), "{error}");
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
        let error = String::from_utf8(check(&[]).stderr).unwrap();
        assert!(error.contains("chmod 600"), "{error}");
        let other = folder.file("my notes");
        std::fs::write(&other, "no key\n").unwrap();
        let error = complaint(&["node", "--config", &config, "--key-file", &other, "--check"]);
        assert!(!error.contains("chmod") && error.contains("--new-key"), "the mode of another file stays: {error}");
    }
}

/// A daemon that ends with its test.
#[cfg(unix)]
struct Daemon {
    child: std::process::Child,
    log: PathBuf,
}

#[cfg(unix)]
impl Daemon {
    fn start(config: &str, log: PathBuf) -> Daemon {
        let file = std::fs::File::create(&log).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
        let child = command.args(["node", "--config", config]).stdin(Stdio::null()).stderr(file).spawn().unwrap();
        Daemon { child, log }
    }

    /// Waits until the log has this many lines with a text, and returns the last of them.
    fn logged(&self, text: &str, times: usize) -> String {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
        loop {
            let log = std::fs::read_to_string(&self.log).unwrap();
            if let Some(line) = log.lines().filter(|line| line.contains(text)).nth(times - 1) {
                return line.to_string();
            }
            assert!(std::time::Instant::now() < end, "{text} is not in the log:\n{log}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    fn hang_up(&self) {
        assert!(Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status().unwrap().success());
    }
}

#[cfg(unix)]
impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn get(address: &str, path: &str) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

/// A reload passes the checks of a start: without its key file this node would accept datagrams from everybody.
#[cfg(unix)]
#[test]
fn a_reload_that_a_start_would_refuse_changes_nothing() {
    let folder = Folder::new("reload");
    let (config, key) = (folder.file("node.toml"), folder.file("key"));
    assert!(ringleader(&["node", "--new-key", &key], "").status.success());
    let key_line = format!("key-file = {key:?}\n");
    let write = |more: &str| {
        let text = format!(
            "id = 0\nsize = 2\nlisten = \"0.0.0.0:0\"\nhttp = \"127.0.0.1:0\"\nheartbeat = \"100ms\"\n{more}[peers]\n1 = \"127.0.0.1:9\"\n"
        );
        std::fs::write(&config, text).unwrap();
    };
    write(&key_line);
    let daemon = Daemon::start(&config, PathBuf::from(folder.file("log")));
    let serving = daemon.logged("serving HTTP", 1);
    let address = serving.rsplit_once("address=").unwrap().1;
    for (times, wrong) in ["", "algorithm = \"robust-s6\"\n", "insecure = true\n", "="].into_iter().enumerate() {
        write(wrong);
        daemon.hang_up();
        let refusal = daemon.logged("not reloaded", times + 1);
        assert!(refusal.contains("ERROR"), "{refusal}");
        std::thread::sleep(std::time::Duration::from_millis(300));
        let shown = get(address, "/leader");
        assert!(shown.contains("\"trouble\":\"reload\""), "{wrong:?}: {shown}");
    }
    write(&key_line);
    daemon.hang_up();
    daemon.logged("peers and keys reloaded", 1);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!(!get(address, "/leader").contains("\"trouble\":\"reload\""), "a reload that succeeds ends the notice");
}

/// The alerts and the dashboard name metrics that the daemon has.
#[cfg(unix)]
#[test]
fn alerts_and_dashboard_name_existing_metrics() {
    let folder = Folder::new("metrics");
    let config = folder.file("node.toml");
    let text = "id = 0\nsize = 2\nlisten = \"127.0.0.1:0\"\nhttp = \"127.0.0.1:0\"\n[peers]\n1 = \"127.0.0.1:9\"\n";
    std::fs::write(&config, text).unwrap();
    let daemon = Daemon::start(&config, PathBuf::from(folder.file("log")));
    let serving = daemon.logged("serving HTTP", 1);
    let page = get(serving.rsplit_once("address=").unwrap().1, "/metrics");
    let version = format!("ringleader_build_info{{version=\"{}\"}} 1\n", env!("CARGO_PKG_VERSION"));
    assert!(page.contains(&version) && page.contains("ringleader_node_info{id=\"0\"} 1\n"), "{page}");
    for (file, least) in [
        (include_str!("../../../docs/examples/prometheus/alerts.yml"), 11),
        (include_str!("../../../docs/examples/prometheus/alerts-test.yml"), 10),
        (include_str!("../../../docs/examples/prometheus/dashboard.json"), 12),
    ] {
        let words = file.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let names: std::collections::BTreeSet<_> = words.filter(|word| word.starts_with("ringleader_")).collect();
        assert!(names.len() >= least, "{names:?}");
        for name in names {
            assert!(page.contains(&format!("# TYPE {name} ")), "no metric {name}:\n{page}");
        }
    }
}

/// `Type=notify-reload` of the unit: systemd waits for a reload that began after its signal, by its own clock.
#[cfg(target_os = "linux")]
#[test]
fn the_service_manager_learns_of_every_reload() {
    let folder = Folder::new("notify");
    let socket = std::os::unix::net::UnixDatagram::bind(folder.file("socket")).unwrap();
    socket.set_read_timeout(Some(std::time::Duration::from_secs(30))).unwrap();
    let config = folder.file("node.toml");
    std::fs::write(&config, "id = 0\nsize = 2\nlisten = \"127.0.0.1:0\"\n[peers]\n1 = \"127.0.0.1:9\"\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    command.args(["node", "--config", &config]).env("NOTIFY_SOCKET", folder.file("socket"));
    let child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let daemon = Daemon { child, log: PathBuf::new() };
    // The next message other than the state of the election.
    let next = || loop {
        let mut buffer = [0; 200];
        let length = socket.recv(&mut buffer).expect("a message to the service manager");
        let message = String::from_utf8(buffer[..length].to_vec()).unwrap();
        if !message.starts_with("STATUS=") {
            break message;
        }
    };
    assert_eq!(next(), "READY=1");
    let reload = || -> u64 {
        daemon.hang_up();
        let begun = next();
        assert_eq!(next(), "READY=1");
        begun.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").expect("the time of the reload").parse().unwrap()
    };
    let first = reload();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let second = reload();
    assert!((500_000..60_000_000).contains(&(second - first)), "microseconds: {first}, {second}");
}

/// A node that may not have real-time priority or locked memory does not start; one that may has both.
#[cfg(target_os = "linux")]
#[test]
fn the_loop_is_punctual_where_the_settings_say_so() {
    let folder = Folder::new("punctual");
    let config = folder.file("node.toml");
    let text = "id = 0\nsize = 2\nlisten = \"127.0.0.1:0\"\nheartbeat = \"100ms\"\nrealtime = 3\nlock-memory = true\n[peers]\n1 = \"127.0.0.1:9\"\n";
    std::fs::write(&config, text).unwrap();
    let permitted = Command::new("chrt").args(["--rr", "3", "true"]).status().is_ok_and(|status| status.success());
    if !permitted {
        return assert!(complaint(&["node", "--config", &config]).contains("LimitRTPRIO=3"));
    }
    let daemon = Daemon::start(&config, PathBuf::from(folder.file("log")));
    daemon.logged("started", 1);
    let process = format!("/proc/{}", daemon.child.id());
    let read = |path: String| std::fs::read_to_string(path).unwrap();
    let threads = std::fs::read_dir(format!("{process}/task")).unwrap();
    let stats = threads.map(|thread| read(format!("{}/stat", thread.unwrap().path().display())));
    // The fields after the name in brackets: the real-time priority is the 38th, the policy the 39th; 2 is round robin.
    let policies: Vec<(String, String)> = stats
        .map(|stat| {
            let (name, rest) = stat.rsplit_once(") ").unwrap();
            let fields: Vec<&str> = rest.split(' ').collect();
            (name.to_string(), format!("{} {}", fields[37], fields[38]))
        })
        .collect();
    let punctual: Vec<_> = policies.iter().filter(|(_, policy)| policy == "3 2").collect();
    assert!(punctual.len() == 1 && punctual[0].0.ends_with("(node-0"), "{policies:?}");
    let status = read(format!("{process}/status"));
    let locked = status.lines().find(|line| line.starts_with("VmLck:")).unwrap();
    assert!(!locked.contains(" 0 kB"), "{locked}");
}

/// A reload names the changed settings that need a restart, also as its last line, and if the rest of it is refused.
#[cfg(unix)]
#[test]
fn a_reload_names_the_settings_that_need_a_restart() {
    let folder = Folder::new("restart");
    let config = folder.file("node.toml");
    let write = |heartbeat: &str, peers: &str| {
        let text = format!("id = 0\nsize = 2\nlisten = \"127.0.0.1:0\"\nheartbeat = {heartbeat:?}\n[peers]\n{peers}\n");
        std::fs::write(&config, text).unwrap();
    };
    write("100ms", "1 = \"127.0.0.1:9\"");
    let daemon = Daemon::start(&config, PathBuf::from(folder.file("log")));
    daemon.logged("started", 1);
    write("200ms", "1 = \"127.0.0.1:9\"");
    daemon.hang_up();
    let named = daemon.logged("need a restart", 1);
    assert!(named.contains("WARN") && named.contains("heartbeat") && !named.contains("listen"), "{named}");
    daemon.logged("peers and keys reloaded", 1);
    write("200ms", "7 = \"127.0.0.1:9\"");
    daemon.hang_up();
    daemon.logged("need a restart", 2);
    daemon.logged("not reloaded", 1);
}

/// A state file begins with a token that somebody has decided on.
#[test]
fn a_state_file_needs_a_token_or_the_first_start() {
    let folder = Folder::new("new-state");
    let state = folder.file("state");
    let two = [
        "--id",
        "0",
        "--peer",
        "0=127.0.0.1:7400",
        "--peer",
        "1=127.0.0.1:7401",
        "--guard",
        "majority",
        "--state",
        &state,
    ];
    let new = |more: &[&str]| ringleader(&[&["node", "--new-state"], more, &two].concat(), "");
    let refusal = |more: &[&str]| {
        let output = new(more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let bare = refusal(&[]);
    assert!(bare.contains("--first-start") && bare.contains("--token N"), "{bare}");
    assert!(refusal(&["--token", "0"]).contains("--first-start"), "0 is the token of a first start");
    let unlisted = complaint(&[&["node", "--new-state", "--first-start", "--id", "2"], &two[2..]].concat());
    assert!(unlisted.contains("no line for this node, 2"), "{unlisted}");
    assert!(!std::path::Path::new(&state).exists());
    assert!(new(&["--token", "9"]).status.success());
    assert!(std::fs::read_to_string(&state).unwrap().contains(" token 9 "));
    assert!(refusal(&["--first-start"]).contains("exists"));
}

/// systemd restarts the daemon every time, and ends the work of a daemon that was killed, by the command of its `on-lost`.
#[test]
fn the_unit_restarts_the_daemon_and_ends_its_work() {
    let unit = include_str!("../../../docs/examples/three-hosts/ringleader@.service");
    let has = |line: &str| unit.lines().any(|other| other == line);
    assert!(has("StartLimitIntervalSec=0") && has("Restart=always"), "{unit}");
    let example = include_str!("../../../docs/examples/three-hosts/node.toml");
    let on_lost = example.lines().find_map(|line| line.strip_prefix("#on-lost = ")).unwrap().trim_matches('"');
    let more = include_str!("../../../docs/examples/three-hosts/on-lost.conf");
    let post = more.lines().find_map(|line| line.strip_prefix("ExecStopPost=-")).unwrap();
    assert_eq!(post, on_lost);
}

/// The example of the documentation works, but for the key that it expects elsewhere.
#[test]
fn the_example_for_three_hosts_is_sound() {
    let folder = Folder::new("example");
    let (config, key) = (folder.file("node.toml"), folder.file("key"));
    assert!(ringleader(&["node", "--new-key", &key], "").status.success());
    let mut example = include_str!("../../../docs/examples/three-hosts/node.toml").replace("#on-", "on-");
    for (name, here) in [("a.example.org:7400", "localhost:7400"), ("b.example.org:7400", "localhost:7401")] {
        example = example.replace(name, here);
    }
    std::fs::write(&config, example.replace("c.example.org:7400", "localhost:7402")).unwrap();
    for id in ["0", "1", "2"] {
        let output = ringleader(&["node", "--config", &config, "--key-file", &key, "--id", id, "--check"], "");
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn a_scripted_cluster_heals() {
    let script = "settle\nkill leader\nsettle\nrestart all\nsettle\ncorrupt all\nsettle\nisolate leader\nsettle\nheal\nsettle\n\
                  resign leader\nsettle\nloss leader 100\nsettle\n";
    let output = ringleader(
        &["cluster", "--nodes", "3", "--heartbeat", "100ms", "--seed", "1", "--json", "--script", "-"],
        script,
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let orders = records.iter().filter(|record| record["event"] == "order").count();
    assert_eq!(orders, 7);
    let end = records.last().unwrap();
    assert_eq!(
        (end["version"].as_u64(), end["settled"].as_u64(), end["unsettled"].as_u64()),
        (Some(1), Some(8), Some(0))
    );
    assert!(end["settling_seconds"]["max"].is_number());
}

#[test]
fn algorithms_that_no_ring_can_run_are_refused() {
    let sides = ["--left", "127.0.0.1:7401", "--right", "127.0.0.1:7402"];
    let node = |more: &[&str]| complaint(&[&["node", "--check"], more, &sides].concat());
    assert!(node(&["--algorithm", "yokota-ring"]).contains("how many members"));
    assert!(node(&["--algorithm", "fich-johnen", "--size", "4"]).contains("prime"));
    assert!(node(&["--algorithm", "franklin-no-bit", "--size", "3"]).contains("flaw"));
    assert!(node(&["--algorithm", "fischer-jiang-complete", "--size", "3"]).contains("all peers"));
    assert!(node(&["--algorithm", "dijkstra-four-state", "--size", "4"]).contains("line"));
    assert!(node(&["--algorithm", "herman", "--size", "5"]).contains("at once"));
    let one = complaint(&["node", "--check", "--algorithm", "yokota-ring", "--size", "3", "--left", "127.0.0.1:1"]);
    assert!(one.contains("two sides"));
    let yokota = |more: &[&str]| node(&[&["--algorithm", "yokota-ring", "--size", "3"], more].concat());
    assert!(yokota(&["--on-token", "true"]).contains("yokota-ring has none"));
    assert!(yokota(&["--weight", "1"]).contains("yokota-ring has no rule for handing over"));
    assert!(yokota(&["--listen", "127.0.0.1:7402"]).contains("the right neighbour has the address 127.0.0.1:7402"));
    let robust = ["node", "--check", "--id", "0", "--peer", "0=127.0.0.1:7400", "--peer", "1=127.0.0.1:7401"];
    assert!(complaint(&[&robust[..], &["--on-token", "true"]].concat()).contains("robust-s2 has no token"));
    let both = ["--left", "127.0.0.1:7401", "--right", "127.0.0.1:7401"];
    let doubled = complaint(&[&["node", "--check", "--algorithm", "yokota-ring", "--size", "3"], &both[..]].concat());
    assert!(doubled.contains("left and right are both"), "{doubled}");
}

#[test]
fn rings_of_neighbours_elect_and_heal_on_loopback() {
    for algorithm in ["yokota-ring", "gouda-haddix", "chang-roberts", "dijkstra-three-state", "ring-orientation"] {
        let heals = if algorithm == "chang-roberts" { "" } else { "corrupt all\nsettle 60s\n" };
        let script = format!("settle 60s\n{heals}");
        let words =
            ["cluster", "--algorithm", algorithm, "--heartbeat", "50ms", "--script", "-", "--json", "--seed", "1"];
        let output = ringleader(&words, &script);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{algorithm}: {said}");
    }
}

#[test]
fn a_script_is_checked_before_the_cluster_starts() {
    for (script, words) in [
        ("settle\nkill everyone\n", "line 2: \"everyone\" is no node"),
        ("settle\nkill 9\n", "line 2: there is no node 9: the nodes are 0 to 2"),
        ("repeat 2 settle; pause 3\n", "line 1: there is no node 3: the nodes are 0 to 2"),
    ] {
        let output = ringleader(&["cluster", "--nodes", "3", "--script", "-"], script);
        assert_eq!(output.status.code(), Some(2), "{script}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(words), "{error}");
        assert!(output.stdout.is_empty(), "{script}");
    }
}

#[test]
fn a_script_ends_at_the_first_order_that_fails() {
    for (script, words) in [
        ("kill all\nkill leader\nrestart all\n", "kill leader: the nodes agree on no leader now"),
        ("kill all\nrepeat 3 resign follower; restart all\n", "resign follower: the nodes agree on no leader now"),
        ("kill 1\ncorrupt 1\nrestart all\n", "corrupt 1: node 1 is down"),
    ] {
        let output = ringleader(&["cluster", "--nodes", "3", "--json", "--script", "-"], script);
        assert_eq!(output.status.code(), Some(1), "{script}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("the script ended early") && error.contains(words), "{error}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains("restart all"), "nothing is done after it: {text}");
        assert!(text.lines().last().unwrap().contains("\"event\":\"end\""), "{text}");
    }
}
