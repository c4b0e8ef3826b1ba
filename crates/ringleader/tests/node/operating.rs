//! `ringleader status` and `ringleader ctl` with daemons on loopback.

use crate::{Daemon, Folder, complaint, ringleader};
use serde_json::Value;
use std::io::Write;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Three daemons with pages and control sockets.
struct Cluster {
    folder: Folder,
    /// The addresses of the pages.
    hosts: Vec<String>,
    daemons: Vec<Daemon>,
}

impl Cluster {
    fn start(name: &str, more: &str) -> Cluster {
        let folder = Folder::new(name);
        let sockets: Vec<UdpSocket> = (0..3).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
        let pages: Vec<TcpListener> = (0..3).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let hosts: Vec<String> = pages.iter().map(|page| page.local_addr().unwrap().to_string()).collect();
        let addresses = sockets
            .iter()
            .enumerate()
            .map(|(id, socket)| format!("{id} = {:?}\n", socket.local_addr().unwrap().to_string()));
        let peers: String = addresses.collect();
        drop((sockets, pages));
        let mut cluster = Cluster { folder, hosts, daemons: vec![] };
        for (id, host) in cluster.hosts.iter().enumerate() {
            let text = format!(
                "id = {id}\nheartbeat = \"300ms\"\npreempt = false\nhttp = {host:?}\ncontrol = {:?}\n{more}[peers]\n{peers}",
                cluster.control(id)
            );
            std::fs::write(cluster.config(id), text).unwrap();
        }
        cluster.daemons = (0..3).map(|id| cluster.daemon(id)).collect();
        cluster
    }

    fn daemon(&self, id: usize) -> Daemon {
        Daemon::start(&self.config(id), PathBuf::from(self.folder.file(&format!("log{id}"))))
    }

    fn config(&self, id: usize) -> String {
        self.folder.file(&format!("node{id}.toml"))
    }

    fn control(&self, id: usize) -> String {
        self.folder.file(&format!("control{id}"))
    }

    /// The exit code and the output of `ctl`.
    fn ctl(&self, order: &str, id: usize) -> (Option<i32>, String) {
        let output = ringleader(&["ctl", order, "--control", &self.control(id)], "");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    }

    /// The exit code and the JSON of `status` for these hosts.
    fn status(&self, ids: &[usize]) -> (Option<i32>, Value) {
        let hosts = ids.iter().map(|&id| self.hosts[id].as_str());
        let output = ringleader(&["status", "--json"].into_iter().chain(hosts).collect::<Vec<_>>(), "");
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    }

    /// Waits until all three agree, and returns the leader.
    fn agreed(&self) -> usize {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let (code, status) = self.status(&[0, 1, 2]);
            assert_eq!(code == Some(0), status["agreed"] == true, "{status}");
            match status["leader"].as_u64() {
                Some(leader) if code == Some(0) => return leader as usize,
                _ => assert!(Instant::now() < end, "{status}"),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn wrong_usage_is_refused() {
    assert!(complaint(&["status", "http://a.example/"]).contains("a host is NAME, NAME:PORT"));
    assert!(complaint(&["status", "a.example", "--control", "/run/x"]).contains("cannot be used with"));
    assert!(complaint(&["status", "a.example", "--timeout", "0s"]).contains("10 ms to an hour"));
    assert!(complaint(&["status", "--interval", "1s"]).contains("--watch"));
    assert!(complaint(&["ctl"]).contains("<ORDER>"));
    assert!(complaint(&["ctl", "stop"]).contains("resign"));
    let missing = ringleader(&["ctl", "drain", "--control", "/nonexistent/control"], "");
    let said = String::from_utf8(missing.stderr).unwrap();
    assert!(missing.status.code() == Some(1) && said.contains("there is no control socket"), "{said}");
    let missing = ringleader(&["status", "--control", "/nonexistent/control"], "");
    let said = String::from_utf8(missing.stdout).unwrap();
    assert!(missing.status.code() == Some(1) && said.contains("no agreement: no host answers"), "{said}");
}

/// The tables, and the exit codes, of a cluster that agrees, whose leader is drained, resigns, and is killed. On a busy machine any node may lead
/// first.
#[test]
fn an_operator_sees_and_steers_a_cluster() {
    let mut cluster = Cluster::start("operating", "");
    let first = cluster.agreed();
    let other = (first + 1) % 3;
    let table = ringleader(&["status", &cluster.hosts[0], &cluster.hosts[1], &cluster.hosts[2]], "");
    let text = String::from_utf8(table.stdout).unwrap();
    assert!(
        text.starts_with(&format!("agreed: node {first} leads\n\nhost")) && text.contains("last changes"),
        "{text}"
    );
    let local = ringleader(&["status", "--control", &cluster.control(other)], "");
    let text = String::from_utf8(local.stdout).unwrap();
    let expected = format!("agreed: node {first} leads, in the view of node {other} alone");
    assert!(local.status.success() && text.starts_with(&expected), "{text}");

    assert_eq!(cluster.ctl("resign", other), (Some(0), "this node did not lead: nothing to hand over\n".into()));
    let drained = cluster.ctl("drain", first);
    let second = cluster.agreed();
    assert_ne!(second, first);
    assert_eq!(drained, (Some(0), format!("drained: node {second} leads\n")));
    cluster.daemons[first].logged("why=\"this node is drained\"", 1);
    cluster.daemons[second].logged(&format!("why=\"node {first} handed over"), 1);
    // A reload keeps the drain, also a refused one.
    assert_eq!(cluster.ctl("reload", first), (Some(0), "peers and keys reloaded\n".into()));
    let settings = std::fs::read_to_string(cluster.config(first)).unwrap();
    std::fs::write(cluster.config(first), settings.replace("id = ", "id = x")).unwrap();
    let (code, said) = cluster.ctl("reload", first);
    assert!(code == Some(1) && said.starts_with("refused: ") && said.contains(".toml"), "{said}");
    std::fs::write(cluster.config(first), &settings).unwrap();
    let (_, status) = cluster.status(&[0, 1, 2]);
    assert_eq!(status["hosts"][first]["view"]["barred"], "drained", "{status}");

    // The drained node is no successor.
    let third = 3 - first - second;
    assert_eq!(cluster.ctl("resign", second), (Some(0), format!("resigned: node {third} leads\n")));
    assert_eq!(cluster.agreed(), third);
    assert_eq!(cluster.ctl("undrain", first), (Some(0), "undrained: this node may lead\n".into()));

    // A host without an answer could lead beside the others.
    drop(cluster.daemons.remove(third));
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let (code, status) = cluster.status(&[first, second]);
        if code == Some(0) && status["leader"] != third {
            break;
        }
        assert!(Instant::now() < end, "{status}");
    }
    let (code, status) = cluster.status(&[0, 1, 2]);
    let verdict = status["verdict"].as_str().unwrap();
    assert!(code == Some(1) && verdict.contains(&format!("{} does not answer", cluster.hosts[third])), "{status}");
    let explained = format!("nothing was heard from node {third} for ");
    assert!(status.to_string().contains(&explained), "{status}");
    // The killed daemon has left its socket, and the next one replaces it.
    assert!(std::path::Path::new(&cluster.control(third)).exists());
    let again = cluster.daemon(third);
    again.logged("listening for orders", 1);
    cluster.daemons.push(again);
    cluster.agreed();
}

/// With the guard a confirmed leader is agreed upon without an answer of every host, and a drain returns the lease.
#[test]
fn a_confirmed_leader_is_agreed_upon_without_all_answers() {
    let mut cluster = Cluster::start("confirmed", "guard = \"majority\"\nlease = \"2s\"\n");
    let first = cluster.agreed();
    let [down, second] = [(first + 1) % 3, (first + 2) % 3];
    drop(cluster.daemons.remove(down));
    let (code, status) = cluster.status(&[0, 1, 2]);
    assert_eq!(code, Some(0), "{status}");
    assert!(status["hosts"][first]["view"]["guard"]["lease_seconds"].as_f64().unwrap() > 0.0, "{status}");
    assert_eq!(status["verdict"], format!("agreed: node {first} leads, confirmed by a majority"));
    assert_eq!(cluster.ctl("drain", first), (Some(0), format!("drained: node {second} leads\n")));
    let (code, status) = cluster.status(&[0, 1, 2]);
    assert_eq!((code, &status["leader"]), (Some(0), &Value::from(second)), "{status}");
}

/// Floods of noise, unfinished and unread requests at the control socket and the pages: the daemon answers, leads on, and its memory is bounded.
#[cfg(target_os = "linux")]
#[test]
fn floods_at_both_doors_stop_nothing() {
    let cluster = Cluster::start("flooded", "");
    let leader = cluster.agreed();
    let process = cluster.daemons[leader].child.id();
    let count = |what: &str| std::fs::read_dir(format!("/proc/{process}/{what}")).unwrap().count();
    let resident = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap().to_string();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let (threads, files, before) = (count("task"), count("fd"), resident());
    let control = cluster.control(leader);
    let (mut local, mut remote) = (vec![], vec![]);
    for round in 0..400_u32 {
        let noise: Vec<u8> = (0..2000_u32).map(|k| (k.wrapping_mul(k + round) >> 3) as u8).collect();
        let bytes: &[u8] = match round % 4 {
            0 => &noise,
            1 => b"POST /drain HTTP/1.1\r\nContent-Length: 4000\r\n\r\n",
            2 => b"GET /metrics HTTP/1.1\r\n\r\n",
            _ => b"",
        };
        let mut stream = UnixStream::connect(&control).unwrap();
        let _ = stream.write_all(bytes);
        local.push(stream);
        let mut stream = TcpStream::connect(&cluster.hosts[leader]).unwrap();
        let _ = stream.write_all(bytes);
        remote.push(stream);
        assert!(count("task") <= threads + 160, "{threads} threads before, {} in round {round}", count("task"));
    }
    cluster.agreed();
    assert_eq!(cluster.ctl("undrain", leader).0, Some(0));
    assert!(resident() < before + 40_000, "{before} KiB before, {} KiB now", resident());
    drop((local, remote));
    let end = Instant::now() + Duration::from_secs(20);
    while count("task") > threads || count("fd") > files {
        assert!(Instant::now() < end, "threads: {threads}, {}; files: {files}, {}", count("task"), count("fd"));
        std::thread::sleep(Duration::from_millis(50));
    }
    let log = std::fs::read_to_string(&cluster.daemons[leader].log).unwrap();
    assert_eq!(log.matches("order of an operator").count(), 1, "no unfinished order was carried out:\n{log}");
}

#[test]
fn a_table_is_shown_again_and_again_until_its_reader_ends() {
    use std::io::BufRead;
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_ringleader"))
        .args(["status", "--watch", "--interval", "10ms", "--json", "--control", "/nonexistent/control"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        let whole: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!((&whole["version"], &whole["agreed"]), (&Value::from(1), &Value::from(false)));
    }
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
