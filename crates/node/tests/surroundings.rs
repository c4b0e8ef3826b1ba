//! What stands around the election: hooks and HTTP.

use ringleader_node::{Config, Handle, HookCounts, HookRunner, Hooks, HttpServer, Node, Role};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A node whose only peer never starts: it will lead.
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
    // A server that refuses mid-request may reset the connection; what came before still counts.
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
    };
    let runner = HookRunner::start(hooks, &node).unwrap();
    until_leader(&node);
    let observer = node.observer();
    while observer.hooks().succeeded == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let server = HttpServer::start("127.0.0.1:0".parse().unwrap(), node.observer()).unwrap();
    node.stop();
    runner.finish();
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
fn the_pages_say_who_leads() {
    let node = lonely();
    let server = HttpServer::start("127.0.0.1:0".parse().unwrap(), node.observer()).unwrap();
    let get = |path: &str| ask(server.address(), &format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"));
    assert!(get("/leader/self").starts_with("HTTP/1.1 503"), "nobody leads from the first moment");
    until_leader(&node);
    assert!(get("/leader/self").starts_with("HTTP/1.1 200"));
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
