//! `ringleader status`: one table for the whole cluster.

use crate::ctl::{DEFAULT_CONTROL, unreachable};
use crate::{FAILS, Span};
use ringleader_node::NodeError;
use ringleader_node::http_client::{Server, request};
use std::io::{IsTerminal, Write};
use std::net::ToSocketAddrs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use verdict::{Verdict, judge};
use view::{Answer, Told, View};

mod table;
mod verdict;
mod view;

/// The port of the pages, unless one is given.
const PORT: u16 = 7480;
/// Clears a terminal.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Show the cluster in one table: the leader, the views of all hosts, the lease, the last changes and their reasons.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader status                          the view of the daemon on this host, from its control socket
  ringleader status a.example b.example c.example
  ringleader status 10.0.0.1:7480 10.0.0.2:7480 --watch
  ringleader status a.example b.example c.example --json

With HOST the data are the pages of each host (its setting http, which must be an address that this machine reaches).
Agreed: all hosts that were asked answer and name one leader, none is unsettled, and the leader says that it leads.
A host without an answer could lead, too; only a leader that a majority has confirmed (the guard) rules that out.
Exit codes: 0 agreed, 1 not agreed, 2 wrong usage.")]
pub struct Arguments {
    /// A host with the pages of a node, as NAME, NAME:PORT or an address; the port is 7480 by default. All nodes of the cluster, for a result
    /// about the whole cluster
    #[arg(value_name = "HOST", value_parser = with_port)]
    hosts: Vec<String>,
    /// Without HOST: the control socket of the daemon on this host
    #[arg(long, value_name = "PATH", default_value = DEFAULT_CONTROL, conflicts_with = "hosts")]
    control: PathBuf,
    /// Print one JSON object, with --watch one a line
    #[arg(long)]
    json: bool,
    /// Show the table again after each interval, until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// With --watch: the time between two tables
    #[arg(long, value_name = "TIME", default_value = "1s", requires = "watch")]
    interval: Span,
    /// The time for which a host may take to answer
    #[arg(long, value_name = "TIME", default_value = "2s")]
    timeout: Span,
}

/// Asks all hosts and prints the table, once or again and again.
pub fn run(arguments: &Arguments) -> Result<ExitCode, NodeError> {
    for (flag, time) in [("--timeout", arguments.timeout), ("--interval", arguments.interval)] {
        let possible = (Duration::from_millis(10)..=Duration::from_secs(3600)).contains(&time.0);
        NodeError::refuse_if(!possible, format!("{flag} must be 10 ms to an hour, not {:?}", time.0))?;
    }
    let sources = match arguments.hosts.is_empty() {
        true => vec![Source::Socket(arguments.control.clone())],
        false => arguments.hosts.iter().cloned().map(Source::Host).collect(),
    };
    let mut askers: Vec<Asker> = sources.into_iter().map(Asker::new).collect();
    let mut out = std::io::stdout();
    loop {
        let answers = ask(&mut askers, arguments.timeout.0);
        let verdict = judge(&answers);
        let text = match arguments.json {
            true => json(&verdict, &answers),
            false => table::text(&verdict, &answers),
        };
        let clear = if arguments.watch && !arguments.json && out.is_terminal() { CLEAR } else { "" };
        let printed = writeln!(out, "{clear}{text}").and_then(|()| out.flush());
        if !arguments.watch || printed.is_err() {
            return Ok(if verdict.agreed { ExitCode::SUCCESS } else { ExitCode::from(FAILS) });
        }
        std::thread::sleep(arguments.interval.0);
    }
}

/// The result and all views as one line of JSON.
fn json(verdict: &Verdict, answers: &[Answer]) -> String {
    #[derive(serde::Serialize)]
    struct Whole<'a> {
        version: u32,
        #[serde(flatten)]
        verdict: &'a Verdict,
        hosts: &'a [Answer],
    }
    let whole = Whole { version: 1, verdict, hosts: answers };
    serde_json::to_string(&whole).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
}

/// A host with its port.
fn with_port(text: &str) -> Result<String, String> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    if let Ok(address) = bare.parse::<std::net::IpAddr>() {
        return Ok(std::net::SocketAddr::new(address, PORT).to_string());
    }
    if text.parse::<std::net::SocketAddr>().is_ok() {
        return Ok(text.into());
    }
    let (name, port) = text.rsplit_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
    let known = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let port = port.map_or(Some(PORT), |port| port.parse().ok().filter(|port| *port > 0));
    match port {
        Some(port) if !name.is_empty() && name.chars().all(known) => Ok(format!("{name}:{port}")),
        _ => Err("a host is NAME, NAME:PORT or an address such as 10.0.0.1:7480 or [2001:db8::1]:7480".into()),
    }
}

/// Text of another host without characters that a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    // Marks that change the direction of text, or are invisible, could disguise the rest of a line.
    let invisible = |c: char| matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    text.chars().map(|c| if (c.is_control() && c != '\n') || invisible(c) { '?' } else { c }).collect()
}

/// The place of a view.
#[derive(Clone, Debug)]
enum Source {
    Host(String),
    Socket(PathBuf),
}

/// A host, and the request that is under way: name services may take longer than the timeout, and must not collect threads.
struct Asker {
    source: Source,
    pending: Option<Receiver<Told>>,
}

impl Asker {
    fn new(source: Source) -> Asker {
        Asker { source, pending: None }
    }

    fn name(&self) -> String {
        match &self.source {
            Source::Host(host) => host.clone(),
            Source::Socket(path) => path.display().to_string(),
        }
    }
}

/// The answers of all hosts within this time.
fn ask(askers: &mut [Asker], timeout: Duration) -> Vec<Answer> {
    for asker in askers.iter_mut().filter(|asker| asker.pending.is_none()) {
        let (sender, told) = channel();
        let source = asker.source.clone();
        let spawned = std::thread::Builder::new().spawn(move || drop(sender.send(fetch(&source, timeout))));
        asker.pending = spawned.is_ok().then_some(told);
    }
    // A little longer than a request, so that its own reason is seen.
    let end = Instant::now() + timeout + Duration::from_millis(200);
    let collect = |asker: &mut Asker| {
        let left = end.saturating_duration_since(Instant::now());
        let told = asker.pending.as_ref().and_then(|pending| pending.recv_timeout(left).ok());
        if told.is_some() {
            asker.pending = None;
        }
        let told = told.unwrap_or_else(|| Told::Error(format!("no answer within {timeout:?}")));
        Answer { host: asker.name(), told }
    };
    askers.iter_mut().map(collect).collect()
}

/// The view of one host.
fn fetch(source: &Source, timeout: Duration) -> Told {
    let answer = match source {
        Source::Socket(path) => {
            request(&Server::Socket(path.clone()), "GET", "/status", timeout).map_err(|e| unreachable(path, &e))
        }
        Source::Host(host) => match host.to_socket_addrs().map(|mut all| all.next()) {
            Ok(Some(address)) => {
                request(&Server::Address(address), "GET", "/status", timeout).map_err(|e| e.to_string())
            }
            Ok(None) => Err("the name has no address".into()),
            Err(error) => Err(format!("cannot resolve the name: {error}")),
        },
    };
    let read = |answer: ringleader_node::http_client::Answer| match answer.status {
        200 => serde_json::from_str::<View>(&answer.body)
            .map_err(|error| format!("its page /status cannot be read: {error}")),
        404 => Err("it has no page /status: it is another program, or a node of an older version".into()),
        status => Err(format!("it answers {status}: {}", answer.body.trim_end())),
    };
    match answer.and_then(read) {
        Ok(view) => Told::View(Box::new(view)),
        Err(error) => Told::Error(printable(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_a_port() {
        for (given, expected) in [
            ("a.example", "a.example:7480"),
            ("a.example:80", "a.example:80"),
            ("10.0.0.1", "10.0.0.1:7480"),
            ("10.0.0.1:1", "10.0.0.1:1"),
            ("::1", "[::1]:7480"),
            ("[::1]", "[::1]:7480"),
            ("[::1]:1", "[::1]:1"),
        ] {
            assert_eq!(with_port(given).as_deref(), Ok(expected));
        }
        for wrong in ["", ":7480", "a:b", "a:0", "a:99999", "http://a", "a b", "a/status", "[::1]:x"] {
            assert!(with_port(wrong).is_err(), "{wrong}");
        }
    }

    /// The page of a node is the input of this verb.
    #[test]
    fn the_page_of_a_node_is_understood() {
        let mut config = ringleader_node::Config::new(0, "127.0.0.1:0".parse().unwrap());
        config.peers.insert(1, "127.0.0.1:9".into());
        config.cluster = "a \"quoted\" name".into();
        let node = ringleader_node::Node::start(config).unwrap();
        let view: View = serde_json::from_str(&ringleader_node::status_json(&node)).unwrap();
        assert_eq!((view.id, view.cluster.as_str(), view.state.as_str()), (0, "a \"quoted\" name", "unsettled"));
        let page: serde_json::Value = serde_json::from_str(&ringleader_node::status_json(&node)).unwrap();
        let printed = serde_json::to_value(&view).unwrap();
        let (known, shown) = (page.as_object().unwrap(), printed.as_object().unwrap());
        assert!(known.contains_key("version") && known.keys().all(|key| shown.contains_key(key)), "{shown:?}");
        node.kill();
    }

    #[test]
    fn another_host_cannot_write_to_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\r\nc\u{9b}d"), "a?[2Jb?\nc?d");
        assert_eq!(printable("a\u{202e}b\u{2066}c\u{200b}é"), "a?b?c?é");
    }
}
