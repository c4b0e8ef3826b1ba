//! The output of `cluster`: a live screen, lines or JSON.

use super::console::Console;
use super::screen::Screen;
use crate::terminal::exit::Failure;
use ringleader_fleet::{Agreement, Fleet, Plan};
use ringleader_node::{Leadership, Role};
use ringleader_report::json::OptionalFields as _;
use ringleader_report::number::joined;
use serde_json::{Value, json};
use std::io::Write as _;
use std::time::{Duration, Instant};

enum Form {
    Live(Box<Screen>),
    Lines,
    Json,
}

pub(crate) struct Output {
    form: Form,
    begun: Instant,
    title: String,
    seen: Vec<Option<(usize, Role)>>,
}

impl Output {
    pub(crate) fn new(json: bool, live: bool, plan: &Plan) -> Result<Output, Failure> {
        let Plan { size, algorithm, heartbeat, seed, .. } = plan;
        let title = format!("{size} nodes of {algorithm} on loopback, a heartbeat every {heartbeat:?}, seed {seed}");
        let form = match () {
            () if json => Form::Json,
            () if live => Form::Live(Box::new(Screen::new(*size, *heartbeat))),
            () => Form::Lines,
        };
        let mut output = Output { form, begun: Instant::now(), title, seen: vec![None; *size] };
        match output.form {
            Form::Json => output.emit(json!({
                "event": "start", "version": 1, "nodes": size, "algorithm": algorithm,
                "heartbeat_seconds": heartbeat.as_secs_f64(), "seed": seed,
            }))?,
            Form::Lines => anstream::println!("{}", output.title),
            Form::Live(_) => {}
        }
        Ok(output)
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

    /// A message for people, or a record for programs.
    fn tell(&mut self, line: String, record: impl FnOnce() -> Value) -> Result<(), Failure> {
        let line = stamp(self.begun.elapsed(), &line);
        match &mut self.form {
            Form::Json => self.emit(record())?,
            Form::Lines => self.put(&format!("{line}\n"))?,
            Form::Live(screen) => screen.tell(line),
        }
        Ok(())
    }

    /// Reports changes, and draws the screen when that is due.
    pub(crate) fn look(&mut self, fleet: &Fleet, console: &Console) -> Result<(), Failure> {
        let views = fleet.views();
        for (id, view) in views.iter().enumerate() {
            let now = view.map(|view| (view.leader, view.state));
            let before = std::mem::replace(&mut self.seen[id], now);
            let (Some(view), true) = (view, now != before) else { continue };
            // A node that settles under the same leader is reported in JSON only.
            if before.map(|(leader, _)| leader) != Some(view.leader) || matches!(self.form, Form::Json) {
                let Leadership { epoch, state, .. } = *view;
                self.tell(match view.named() {
                    Some(leader) => format!("node {id} names {leader}"),
                    None => format!("node {id} does not lead"),
                }, || {
                    json!({ "event": "change", "node": id, "leader": view.named(), "epoch": epoch, "state": state.to_string() })
                })?;
            }
        }
        let elapsed = self.begun.elapsed();
        if let Form::Live(screen) = &mut self.form {
            if let Some((reached, took, order)) = screen.observe(fleet.agreement()) {
                let line = format!("agreed, {reached}, {:.3} s after {order}", took.as_secs_f64());
                screen.tell(stamp(elapsed, &line));
            }
            if let Some(text) = screen.draw(&self.title, fleet, console) {
                self.put(&text)?;
            }
        }
        Ok(())
    }

    /// Draws the screen at the next look, whether or not that is due.
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
        if let Form::Live(screen) = &mut self.form
            && !line.starts_with("show")
        {
            screen.disturbed(line);
        }
        let plural = if nodes.len() == 1 { "" } else { "s" };
        self.tell(
            format!("{line} (node{plural} {})", joined(nodes, ", ")),
            || json!({ "event": "order", "order": line, "nodes": nodes }),
        )
    }

    pub(crate) fn settled(&mut self, reached: Agreement, took: Duration) -> Result<(), Failure> {
        let seconds = took.as_secs_f64();
        self.tell(
            format!("settled after {seconds:.3} s: {reached}"),
            || json!({ "event": "settled", "leader": reached.leader(), "seconds": seconds }),
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
        let (times, changes) = (seconds.len(), fleet.changes());
        let sorted = seconds.first().zip(seconds.last()).map(|(first, last)| (first, seconds[times / 2], last));
        if matches!(self.form, Form::Json) {
            let sent: Vec<u64> = (0..fleet.size()).map(|id| fleet.sent(id)).collect();
            let record = json!({
                "event": "end", "version": 1, "settled": times, "unsettled": failed,
                "leader": fleet.leader(), "leader_changes": changes, "datagrams": sent,
            });
            let settling = |(min, median, max)| json!({ "min": min, "median": median, "max": max });
            return self.emit(record.with("settling_seconds", sorted.map(settling)));
        }
        if let Form::Live(_) = self.form {
            let outcome = fleet.agreement().map_or("no agreement".to_string(), |reached| reached.to_string());
            let elapsed = self.begun.elapsed().as_secs_f64();
            self.put(&format!("{}: {outcome} after {elapsed:.1} s and {changes} leader changes\n", self.title))?;
        }
        if let Some((min, median, max)) = sorted {
            let line = format!("minimum {min:.3} s, median {median:.3} s, maximum {max:.3} s");
            self.put(&format!("settled {times} times: {line}\n"))?;
        }
        if failed > 0 {
            self.put(&format!("did NOT settle {failed} times\n"))?;
        }
        Ok(())
    }
}

/// A message with its time.
fn stamp(at: Duration, line: &str) -> String {
    format!("{:9.3} s  {line}", at.as_secs_f64())
}
