//! What the user sees of a cluster: a live screen, lines, or JSON.

use super::console::Console;
use super::fleet::words;
use super::fleet::{Fleet, Plan};
use super::screen::Screen;
use crate::terminal::exit::Failure;
use ringleader_node::{Leadership, NOBODY, Role};
use serde_json::{Value, json};
use std::io::Write as _;
use std::time::{Duration, Instant};

enum Form {
    Live(Box<Screen>),
    Lines,
    Json,
}

pub(crate) struct Stage {
    form: Form,
    begun: Instant,
    title: String,
    seen: Vec<Option<(usize, Role)>>,
}

impl Stage {
    pub(crate) fn new(json: bool, live: bool, plan: &Plan) -> Result<Stage, Failure> {
        let Plan { size, algorithm, heartbeat, seed, .. } = plan;
        let title = format!("{size} nodes of {algorithm} on loopback, a heartbeat each {heartbeat:?}, seed {seed}");
        let form = match () {
            () if json => Form::Json,
            () if live => Form::Live(Box::new(Screen::new(*size, *heartbeat))),
            () => Form::Lines,
        };
        let mut stage = Stage { form, begun: Instant::now(), title, seen: vec![None; *size] };
        match stage.form {
            Form::Json => stage.emit(json!({
                "event": "start", "version": 1, "nodes": size, "algorithm": algorithm,
                "heartbeat_seconds": heartbeat.as_secs_f64(), "seed": seed,
            }))?,
            Form::Lines => anstream::println!("{}", stage.title),
            Form::Live(_) => {}
        }
        Ok(stage)
    }

    fn put(&mut self, text: &str) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    fn emit(&mut self, mut record: Value) -> Result<(), Failure> {
        record["at"] = json!((self.begun.elapsed().as_secs_f64() * 1e3).round() / 1e3);
        self.put(&format!("{record}\n"))
    }

    /// A piece of news for people, or a record for programs.
    fn tell(&mut self, line: String, record: impl FnOnce() -> Value) -> Result<(), Failure> {
        let line = stamp(self.begun.elapsed(), &line);
        match &mut self.form {
            Form::Json => self.emit(record())?,
            Form::Lines => self.put(&format!("{line}\n"))?,
            Form::Live(screen) => screen.tell(line),
        }
        Ok(())
    }

    /// Notices what changed, and draws the screen when it is time.
    pub(crate) fn look(&mut self, fleet: &Fleet, console: &Console) -> Result<(), Failure> {
        let views = fleet.views();
        for (id, view) in views.iter().enumerate() {
            let now = view.map(|view| (view.leader, view.state));
            let before = std::mem::replace(&mut self.seen[id], now);
            let (Some(view), true) = (view, now != before) else { continue };
            // Who merely settles changes nothing for others; a reader of JSON may want to know.
            if before.map(|(leader, _)| leader) != Some(view.leader) || matches!(self.form, Form::Json) {
                let Leadership { epoch, state, .. } = *view;
                self.tell(match view.named() {
                    Some(leader) => format!("node {id} names {leader}"),
                    None => format!("node {id} does not lead"),
                }, || {
                    json!({ "event": "change", "node": id, "leader": view.named(), "epoch": epoch, "state": state.name() })
                })?;
            }
        }
        let elapsed = self.begun.elapsed();
        if let Form::Live(screen) = &mut self.form {
            if let Some((leader, took, order)) = screen.observe(fleet.agreed()) {
                let line = format!("agreed, {}, {:.3} s after {order}", words(leader), took.as_secs_f64());
                screen.tell(stamp(elapsed, &line));
            }
            if let Some(text) = screen.draw(&self.title, fleet, console) {
                self.put(&text)?;
            }
        }
        Ok(())
    }

    /// Draws at the next look, whether or not it is time.
    pub(crate) fn refresh(&mut self) {
        if let Form::Live(screen) = &mut self.form {
            screen.refresh();
        }
    }

    pub(crate) fn say(&mut self, text: &str) -> Result<(), Failure> {
        for line in text.lines() {
            self.tell(line.to_string(), || json!({ "event": "message", "text": line }))?;
        }
        Ok(())
    }

    pub(crate) fn order(&mut self, line: &str, nodes: &[usize]) -> Result<(), Failure> {
        let list: Vec<_> = nodes.iter().map(ToString::to_string).collect();
        if let Form::Live(screen) = &mut self.form
            && !line.starts_with("show")
        {
            screen.disturbed(line);
        }
        let plural = if nodes.len() == 1 { "" } else { "s" };
        self.tell(
            format!("{line} (node{plural} {})", list.join(", ")),
            || json!({ "event": "order", "order": line, "nodes": nodes }),
        )
    }

    pub(crate) fn settled(&mut self, leader: usize, took: Duration) -> Result<(), Failure> {
        let seconds = took.as_secs_f64();
        self.tell(
            format!("settled after {seconds:.3} s: {}", words(leader)),
            || json!({ "event": "settled", "leader": Some(leader).filter(|&leader| leader != NOBODY), "seconds": seconds }),
        )
    }

    pub(crate) fn unsettled(&mut self, limit: Duration) -> Result<(), Failure> {
        self.tell(
            format!("NOT settled within {limit:?}"),
            || json!({ "event": "unsettled", "limit_seconds": limit.as_secs_f64() }),
        )
    }

    /// The summary.
    pub(crate) fn end(&mut self, fleet: &Fleet, settled: &[Duration], failed: u32) -> Result<(), Failure> {
        let mut seconds: Vec<f64> = settled.iter().map(Duration::as_secs_f64).collect();
        seconds.sort_by(f64::total_cmp);
        let sent: Vec<u64> = (0..fleet.size()).map(|id| fleet.sent(id)).collect();
        let changes = fleet.changes();
        if matches!(self.form, Form::Json) {
            let mut record = json!({
                "event": "end", "version": 1, "settled": seconds.len(), "unsettled": failed,
                "leader": fleet.leader(), "leader_changes": changes, "datagrams": sent,
            });
            if let (Some(first), Some(last)) = (seconds.first(), seconds.last()) {
                let median = seconds[seconds.len() / 2];
                record["settling_seconds"] = json!({ "min": first, "median": median, "max": last });
            }
            return self.emit(record);
        }
        if let Form::Live(_) = self.form {
            let leader = fleet.agreed().map_or("nobody is agreed upon".to_string(), words);
            let elapsed = self.begun.elapsed().as_secs_f64();
            self.put(&format!("{}: after {elapsed:.1} s and {changes} changes of mind {leader}\n", self.title))?;
        }
        if let (Some(first), Some(last)) = (seconds.first(), seconds.last()) {
            let median = seconds[seconds.len() / 2];
            let times = seconds.len();
            self.put(&format!(
                "settled {times} times: {first:.3} s at least, median {median:.3} s, {last:.3} s at most\n"
            ))?;
        }
        if failed > 0 {
            self.put(&format!("did NOT settle {failed} times\n"))?;
        }
        Ok(())
    }
}

/// A line of news with its time.
fn stamp(at: Duration, line: &str) -> String {
    format!("{:9.3} s  {line}", at.as_secs_f64())
}
