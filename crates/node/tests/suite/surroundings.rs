//! The surroundings of the election: hooks, checks and HTTP.

use ringleader_node::{Config, Handle, HookCounts, Hooks, Node, Role, serve};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A node whose only peer never starts, so that it will lead.
fn lonely() -> Handle {
    let config = Config::new(0, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(20));
    Node::start(Config { size: Some(2), ..config }).unwrap()
}

fn until_leader(node: &Handle) {
    assert!(node.watch().any(|leadership| leadership.state == Role::Leader));
}

fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    // A server that refuses a request may reset the connection; the response before that still counts.
    let _ = stream.read_to_string(&mut response);
    response
}

#[test]
fn hooks_run_in_order_and_failures_do_not_stop_the_election() {
    let folder = std::env::temp_dir().join(format!("ringleader-hooks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let log = folder.join("log");
    let note = format!(
        "echo begin $RINGLEADER_EVENT $RINGLEADER_ID $RINGLEADER_LEADER $RINGLEADER_STATE >> {0}; sleep 0.05; echo end >> {0}",
        log.display()
    );
    let node = lonely();
    let hooks = Hooks {
        on_leader: Some(note.clone()),
        on_lost: Some(format!("{note}; exit 3")),
        on_change: Some("sleep 60 & sleep 60".into()),
        timeout: Duration::from_millis(300),
        ..Hooks::default()
    };
    let runner = hooks.start(&node).unwrap();
    until_leader(&node);
    let observer = node.observer();
    // The last hook of the leader would be killed when the node stops.
    while observer.hooks().timed_out == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let server = serve("127.0.0.1:0".parse().unwrap(), node.observer(), vec![]).unwrap();
    node.stop();
    runner.join().unwrap();
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let lost = "begin lost 0 0 unsettled\nend\n";
    assert_eq!(
        text,
        format!("{lost}begin leader 0 0 leader\nend\n{lost}"),
        "it begins by saying that it does not lead"
    );
    let expected = HookCounts { succeeded: 1, failed: 2, timed_out: 2 };
    assert_eq!(observer.hooks(), expected, "a hanging hook is killed, each time");
    let metrics = ask(server.address(), "GET /metrics HTTP/1.1\r\n\r\n");
    for line in ["{outcome=\"succeeded\"} 1\n", "{outcome=\"failed\"} 2\n", "{outcome=\"timed_out\"} 2\n"] {
        assert!(metrics.contains(&format!("ringleader_hooks_total{line}")), "{metrics}");
    }
}

/// The text format of Prometheus: every sample belongs to a family that was announced with a help text and a type.
fn assert_well_formed(metrics: &str) {
    let page = metrics.split_once("\r\n\r\n").unwrap().1;
    let (mut family, mut families) = (String::new(), std::collections::BTreeSet::new());
    for line in page.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            family = help.split_once(' ').expect("a help text").0.to_string();
            assert!(families.insert(family.clone()), "{family} twice");
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let expected = if family.ends_with("_total") { "counter" } else { "gauge" };
            assert_eq!(kind, format!("{family} {expected}"));
        } else {
            let (name, value) = line.rsplit_once(' ').expect("a value");
            assert!(value.parse::<f64>().is_ok(), "{line}");
            let labels = name.strip_prefix(&family).expect("of the family announced");
            let quoted = labels.strip_prefix('{').and_then(|l| l.strip_suffix("\"}"));
            let each = |l: &str| l.split("\",").all(|one| one.contains("=\""));
            assert!(labels.is_empty() || quoted.is_some_and(each), "{line}");
        }
    }
    assert!(families.contains("ringleader_hooks_total") && page.ends_with('\n'));
}

#[test]
fn the_pages_show_the_leader() {
    let node = lonely();
    let server = serve("127.0.0.1:0".parse().unwrap(), node.observer(), vec![]).unwrap();
    let get = |path: &str| ask(server.address(), &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    assert!(get("/leader/self").starts_with("HTTP/1.1 503"), "nobody leads from the first moment");
    until_leader(&node);
    assert!(get("/leader/self").starts_with("HTTP/1.1 200"));
    let rebound = ask(server.address(), "GET /leader HTTP/1.1\r\nHost: rebound.example\r\n\r\n");
    assert!(rebound.starts_with("HTTP/1.1 421"), "{rebound}");
    assert!(!get("/metrics").contains("log_lines_lost"), "nobody counts them");
    node.count_lost_lines(std::sync::Arc::new(3.into()));
    assert!(get("/metrics").contains("ringleader_log_lines_lost_total 3\n"));
    assert!(get("/healthz").starts_with("HTTP/1.1 200"));
    let leader = get("/leader");
    assert!(
        leader.contains("\"version\":1,\"id\":0,\"leader\":0,") && leader.contains("\"state\":\"leader\""),
        "{leader}"
    );
    let metrics = get("/metrics");
    assert_well_formed(&metrics);
    assert!(metrics.contains("\nringleader_is_leader 1\n"), "{metrics}");
    assert!(metrics.contains("ringleader_datagrams_rejected_total{reason=\"mac\"} 0\n"), "{metrics}");
    assert!(get("/nothing").starts_with("HTTP/1.1 404"));
    assert!(ask(server.address(), "POST /leader HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    assert!(ask(server.address(), "GET leader HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400"));
    let head = ask(server.address(), "HEAD /healthz HTTP/1.1\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
    let endless = ask(server.address(), &format!("GET /{} HTTP/1.1\r\n", "x".repeat(5000)));
    assert!(endless.starts_with("HTTP/1.1 431"), "{endless}");
    node.stop();
    assert!(get("/healthz").starts_with("HTTP/1.1 503"));
    assert!(get("/leader/self").starts_with("HTTP/1.1 503"));
}

/// A folder of this test, and a file in it.
fn notes(name: &str) -> (std::path::PathBuf, String) {
    let folder = std::env::temp_dir().join(format!("ringleader-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("log").display().to_string();
    (folder, file)
}

/// Changes during a hook are reported by their latest state: no leader hook runs for a leadership that is over.
#[test]
fn hooks_run_for_the_latest_state_only() {
    let (folder, log) = notes("newest");
    let node = lonely();
    let hooks = Hooks {
        on_leader: Some(format!("echo leader >> {log}")),
        on_lost: Some(format!("echo lost >> {log}; sleep 1")),
        ..Hooks::default()
    };
    let runner = hooks.start(&node).unwrap();
    // While the first hook runs, the node becomes the leader and is corrupted repeatedly.
    for _ in 0..5 {
        until_leader(&node);
        node.corrupt(ringleader_node::Corruption::Low);
    }
    node.stop();
    runner.join().unwrap();
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(text.starts_with("lost\n") && text.lines().count() <= 3, "{text}");
    assert!(text.ends_with("lost\n"), "{text}");
}

/// A hook of a leader is killed when the leadership ends, and `on-lost` runs immediately.
#[test]
fn a_hook_of_a_leadership_that_is_over_is_killed() {
    let (folder, log) = notes("over");
    let node = lonely();
    let hooks = Hooks {
        on_leader: Some(format!("echo leads >> {log}; sleep 100; echo went on >> {log}")),
        on_lost: Some(format!("echo lost >> {log}")),
        timeout: Duration::from_secs(200),
        ..Hooks::default()
    };
    let runner = hooks.start(&node).unwrap();
    until_leader(&node);
    while !std::fs::read_to_string(&log).is_ok_and(|text| text.ends_with("leads\n")) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let (observer, begun) = (node.observer(), std::time::Instant::now());
    node.stop();
    runner.join().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(50), "on-lost waited for on-leader");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(text, "lost\nleads\nlost\n");
    assert_eq!(observer.hooks(), HookCounts { succeeded: 2, failed: 1, timed_out: 0 });
}

/// Two nodes; the one that leads, and the other.
fn pair(handover: Duration) -> (Handle, Handle) {
    let prepare = |id: usize, peers| {
        let config = Config::new(id, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(100));
        Node::prepare(Config { size: Some(2), handover, peers, ..config }).unwrap()
    };
    let [first, second] = [0, 1].map(|id| prepare(id, [].into()).run().unwrap());
    let peers = [&first, &second].map(|node| (node.id, node.listen().to_string()));
    first.reload(prepare(0, peers.clone().into())).unwrap();
    second.reload(prepare(1, peers.into())).unwrap();
    until_leader(&first);
    let heard = |leadership: ringleader_node::Leadership| (leadership.leader, leadership.state) == (0, Role::Follower);
    assert!(second.watch().any(heard));
    (first, second)
}

/// The `on-lost` hook ends before another node leads, unless it exceeds its limit.
#[test]
fn a_planned_handover_waits_for_the_hook() {
    for (takes, allowed, waits) in [(0.7, 20, true), (60.0, 1, false)] {
        let (folder, log) = notes(&format!("handover-{waits}"));
        let (leader, heir) = pair(Duration::from_secs(allowed));
        // The hook at the start is quick; the second one takes long.
        let hook = format!("if [ -e {log} ]; then sleep {takes}; echo done >> {log}; else : > {log}; fi");
        let hooks = Hooks { on_lost: Some(hook), ..Hooks::default() };
        let runner = hooks.start(&leader).unwrap();
        while leader.hooks().succeeded == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        let begun = std::time::Instant::now();
        let (watch, log_there) = (heir.watch(), log.clone());
        let seen = std::thread::spawn(move || {
            let mut watch = watch;
            assert!(watch.any(|leadership| leadership.state == Role::Leader));
            std::fs::read_to_string(log_there).unwrap()
        });
        leader.resign();
        assert_eq!(seen.join().unwrap() == "done\n", waits, "whether the hook had ended when the other began to lead");
        assert!(begun.elapsed() < Duration::from_secs(15));
        assert!(begun.elapsed() >= Duration::from_millis(if waits { 700 } else { 1000 }));
        leader.kill();
        drop(runner);
        heir.kill();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// Connections with unfinished requests do not delay other clients.
#[test]
fn slow_clients_do_not_delay_others() {
    let node = lonely();
    let server = serve("127.0.0.1:0".parse().unwrap(), node.observer(), vec![]).unwrap();
    let mut slow = vec![];
    for round in 0..40 {
        for _ in 0..8 {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            stream.write_all(b"GET /healthz HTT").unwrap();
            slow.push(stream);
        }
        let answer = ask(server.address(), "GET /healthz HTTP/1.1\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200"), "probe {round}: {answer:?}");
    }
}

/// A node does not lead while its drain file exists or before its check has succeeded often enough, and hands over when the check fails.
#[test]
fn a_drained_or_unfit_node_does_not_lead() {
    let (folder, log) = notes("eligible");
    let (drain, fit) = (folder.join("drain"), folder.join("fit"));
    std::fs::write(&drain, "").unwrap();
    let check = ringleader_node::HealthCheck {
        interval: Duration::from_millis(20),
        ..ringleader_node::HealthCheck::new(format!("echo x >> {log}; test -e {}", fit.display()))
    };
    let config = Config::new(0, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(20));
    let config = Config { size: Some(2), drain: Some(drain.clone()), check: Some(check), ..config };
    let node = Node::start(config).unwrap();
    let never = |node: &Handle, why: &str| {
        let mut watch = node.watch();
        let end = std::time::Instant::now() + Duration::from_millis(700);
        while let Some(left) = end.checked_duration_since(std::time::Instant::now()) {
            let shown = watch.next_within(left);
            assert!(shown.is_none_or(|leadership| leadership.state != Role::Leader), "{why}");
        }
        assert_eq!(node.status().withdrawn.map(|bar| bar.to_string()), Some(why.to_string()));
    };
    never(&node, "drained");
    std::fs::remove_file(&drain).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    never(&node, "unhealthy");
    std::fs::write(&fit, "").unwrap();
    until_leader(&node);
    std::fs::remove_file(&fit).unwrap();
    assert!(node.watch().any(|leadership| leadership.state != Role::Leader));
    assert!(std::fs::read_to_string(&log).unwrap().lines().count() > 5);
    node.kill();
    std::fs::remove_dir_all(&folder).unwrap();
}

/// If all nodes are drained at the same time, the leader hands over to none of them.
#[test]
fn when_all_are_drained_none_begins_to_lead() {
    let (folder, _) = notes("all-drained");
    let drain = folder.join("drain");
    let sockets = [0, 1].map(|_| std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let start = |id: usize| {
        let peers = sockets.iter().enumerate().map(|(peer, address)| (peer, address.to_string())).collect();
        let config = Config::new(id, sockets[id]).heartbeat(Duration::from_millis(500));
        Node::start(Config { peers, drain: Some(drain.clone()), ..config }).unwrap()
    };
    let nodes = [0, 1].map(start);
    until_leader(&nodes[0]);
    assert!(nodes[1].watch().any(|leadership| leadership.state == Role::Follower));
    let mut watch = nodes[1].watch();
    std::fs::write(&drain, "").unwrap();
    assert!(nodes[0].watch().any(|leadership| leadership.state != Role::Leader));
    let end = std::time::Instant::now() + Duration::from_secs(1);
    while let Some(left) = end.checked_duration_since(std::time::Instant::now()) {
        assert!(watch.next_within(left).is_none_or(|leadership| leadership.state != Role::Leader));
    }
    nodes.into_iter().for_each(Handle::kill);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The state of a stalled loop is invalid on every page.
#[test]
fn a_stalled_loop_does_not_lead() {
    let node = lonely();
    let server = serve("127.0.0.1:0".parse().unwrap(), node.observer(), vec![]).unwrap();
    until_leader(&node);
    node.pause(true);
    std::thread::sleep(Duration::from_millis(400));
    let get = |path: &str| ask(server.address(), &format!("GET {path} HTTP/1.1\r\n\r\n"));
    assert!(get("/leader/self").starts_with("HTTP/1.1 503"));
    assert!(get("/leader").contains("\"state\":\"unsettled\""));
    assert!(get("/metrics").contains("\nringleader_is_leader 0\n"));
    assert!(!node.leads());
}

/// An algorithm with a bug: its loop panics, and observers notice.
#[test]
fn a_panicked_loop_is_noticed() {
    use ringleader_algorithms::robust::s5;
    use ringleader_model::{Coin, Event, Marks, Outbox, Process, Timed, Timing, Variables, Visitor, Worst};

    struct Mortal(s5::RobustS5);
    impl Variables for Mortal {
        type State = s5::State;
        fn variables(&self, s: &mut s5::State, v: &mut dyn Visitor) {
            self.0.variables(s, v);
        }
    }
    impl Process for Mortal {
        type Message = s5::Alive;

        fn message_variables(&self, m: &mut s5::Alive, v: &mut dyn Visitor) {
            self.0.message_variables(m, v);
        }
        fn start(&self, me: usize) -> s5::State {
            self.0.start(me)
        }
        fn ready(&self, s: &s5::State, event: &Event<s5::Alive>) -> bool {
            self.0.ready(s, event)
        }
        fn on(
            &self,
            me: usize,
            s: &mut s5::State,
            e: Event<s5::Alive>,
            out: &mut impl Outbox<s5::Alive>,
            c: &mut impl Coin,
        ) {
            assert!(e != Event::Step, "this algorithm dies of being asked to resign");
            self.0.on(me, s, e, out, c);
        }
        fn marks(&self, me: usize, s: &s5::State) -> Marks {
            self.0.marks(me, s)
        }
    }
    impl Timed for Mortal {
        fn timing(&self) -> Timing {
            self.0.timing()
        }
        fn size(&self) -> usize {
            self.0.size()
        }
        fn timeout(&self) -> u64 {
            self.0.timeout()
        }
        fn slot(&self, m: &s5::Alive) -> usize {
            self.0.slot(m)
        }
        fn leader(&self, me: usize, s: &s5::State) -> usize {
            self.0.leader(me, s)
        }
        fn horizon(&self, worst: Worst) -> u64 {
            self.0.horizon(worst)
        }
    }

    let config = Config::new(0, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(20));
    let timing = config.tempo.tied_timing();
    let algorithm = Mortal(s5::RobustS5 { size: 2, timing, timeout: 8 * timing.iterations_per_delta() });
    let node = Node::start_with(Config { algorithm: "mortal".into(), ..config }, algorithm).unwrap();
    until_leader(&node);
    let observer = node.observer();
    node.resign();
    assert!(observer.watch().last().is_some(), "it ends");
    assert!(observer.stopped() && observer.leadership().state == Role::Unsettled);
    assert!(!observer.leads() && !observer.healthy());
    node.stop();
}
