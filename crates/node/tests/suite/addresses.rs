//! Virtual addresses of a running node, over a kernel that is slow or refuses.

use crate::helpers::wait;
use ringleader_node::{Addresses, Config, Handle, Hooks, Node, Role, keep_addresses};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

const SLOW: Duration = Duration::from_millis(200);

/// Writes each change to a file when it is complete.
struct Slow {
    log: PathBuf,
    held: bool,
    refuses: bool,
}

impl Slow {
    fn note(&mut self, held: bool, words: &str) {
        if std::mem::replace(&mut self.held, held) != held {
            std::thread::sleep(SLOW);
            note(&self.log, words);
        }
    }
}

fn note(log: &Path, words: &str) {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
    writeln!(file, "{words}").unwrap();
}

impl Addresses for Slow {
    fn ready(&mut self) -> Result<(), String> {
        if self.refuses { Err("no such interface".into()) } else { Ok(()) }
    }
    fn hold(&mut self, _: Duration) -> Result<(), String> {
        self.ready()?;
        self.note(true, "held");
        Ok(())
    }
    fn announce(&mut self) -> Result<(), String> {
        Ok(())
    }
    fn release(&mut self) -> Result<(), String> {
        self.note(false, "released");
        Ok(())
    }
}

/// A node whose only peer never starts, its keeper, and the file that both write.
fn node(name: &str, refuses: bool) -> (Handle, JoinHandle<()>, PathBuf) {
    let log = std::env::temp_dir().join(format!("ringleader-addresses-{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&log);
    let config = Config::new(0, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(50));
    let node = Node::start(Config { size: Some(2), handover: Duration::from_secs(5), ..config }).unwrap();
    let slow = Slow { log: log.clone(), held: false, refuses };
    let keeper = keep_addresses(Box::new(slow), Duration::ZERO, &node).unwrap();
    (node, keeper, log)
}

#[test]
fn addresses_are_held_before_on_leader_and_released_before_on_lost() {
    in_order("stop", Handle::stop);
}

/// The loop ends without a word.
#[test]
fn addresses_are_released_before_on_lost_if_the_loop_dies() {
    in_order("kill", Handle::kill);
}

fn in_order(name: &str, end: fn(Handle)) {
    let (node, keeper, log) = node(name, false);
    let hook = |event: &str| Some(format!("echo {event} >>{}", log.display()));
    let hooks = Hooks { on_leader: hook("on-leader"), on_lost: hook("on-lost"), ..Hooks::default() };
    let runner = hooks.start(&node).unwrap();
    let text = || std::fs::read_to_string(&log).unwrap_or_default();
    wait("on-leader runs", || text().contains("on-leader"));
    assert!(node.addresses().is_some_and(|status| status.held && status.taken == 1));
    let metrics = ringleader_node::metrics::prometheus(&node);
    assert!(metrics.contains("\nringleader_address_held 1\n"), "{metrics}");
    end(node);
    runner.join().unwrap();
    keeper.join().unwrap();
    assert_eq!(text(), "on-lost\nheld\non-leader\nreleased\non-lost\n");
    std::fs::remove_file(&log).unwrap();
}

#[test]
fn a_node_that_cannot_hold_its_addresses_does_not_lead_and_says_why() {
    let (node, keeper, _) = node("refused", true);
    wait("it is barred", || ringleader_node::metrics::leadership_json(&node).contains("\"barred\":\"address\""));
    // Longer than it takes to lead.
    std::thread::sleep(Duration::from_secs(1));
    assert_ne!(node.leadership().state, Role::Leader);
    let page = ringleader_node::metrics::leadership_json(&node);
    assert!(page.contains("\"address\":{\"held\":false,\"problem\":\"no such interface\"}"), "{page}");
    assert!(page.contains("\"trouble\":\"address\""), "{page}");
    node.stop();
    keeper.join().unwrap();
}
