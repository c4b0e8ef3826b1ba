//! What the user sees of a cluster: a live table, lines, or JSON.

use super::fleet::{Fleet, Plan};
use crate::failure::Failure;
use ringleader_node::{Leadership, Role};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// How often the table is drawn.
const REDRAW: Duration = Duration::from_millis(100);
/// How many lines of news stay under the table.
const NEWS: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Table,
    Lines,
    Json,
}

pub(crate) struct Stage {
    form: Form,
    begun: Instant,
    drawn: Instant,
    heartbeat: Duration,
    title: String,
    seen: Vec<Option<(usize, Role)>>,
    news: Vec<String>,
    sent: Vec<u64>,
}

impl Stage {
    pub(crate) fn new(json: bool, live: bool, plan: &Plan) -> Result<Stage, Failure> {
        let form = if json { Form::Json } else { Form::from_terminal(live) };
        let Plan { size, algorithm, heartbeat, seed } = plan;
        let title = format!("{size} nodes of {algorithm} on loopback, a heartbeat each {heartbeat:?}, seed {seed}");
        let mut stage = Stage {
            form,
            begun: Instant::now(),
            drawn: Instant::now(),
            heartbeat: *heartbeat,
            title,
            seen: vec![None; *size],
            news: vec![],
            sent: vec![0; *size],
        };
        match form {
            Form::Json => stage.emit(json!({
                "event": "start", "version": 1, "nodes": size, "algorithm": algorithm,
                "heartbeat_seconds": heartbeat.as_secs_f64(), "seed": seed,
            }))?,
            Form::Lines => anstream::println!("{}", stage.title),
            // Clear the screen once; from then on lines are overwritten in place.
            Form::Table => stage.put("\x1b[2J")?,
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
        let line = format!("{:9.3} s  {line}", self.begun.elapsed().as_secs_f64());
        match self.form {
            Form::Json => self.emit(record())?,
            Form::Lines => self.put(&format!("{line}\n"))?,
            Form::Table => {
                self.news.push(line);
                let surplus = self.news.len().saturating_sub(NEWS);
                self.news.drain(..surplus);
            }
        }
        Ok(())
    }

    /// Notices what changed, and draws the table when it is time.
    pub(crate) fn look(&mut self, fleet: &Fleet) -> Result<(), Failure> {
        let views = fleet.views();
        for (id, view) in views.iter().enumerate() {
            let now = view.map(|view| (view.leader, view.state));
            let before = std::mem::replace(&mut self.seen[id], now);
            let (Some(view), true) = (view, now != before) else { continue };
            // Who merely settles changes nothing for others; a reader of JSON may want to know.
            if before.map(|(leader, _)| leader) != Some(view.leader) || self.form == Form::Json {
                let Leadership { leader, epoch, state, .. } = *view;
                self.tell(format!("node {id} names {leader}"), || {
                    json!({ "event": "change", "node": id, "leader": leader, "epoch": epoch, "state": state.name() })
                })?;
            }
        }
        if self.form == Form::Table && self.drawn.elapsed() >= REDRAW {
            self.draw(fleet, &views)?;
        }
        Ok(())
    }

    fn draw(&mut self, fleet: &Fleet, views: &[Option<Leadership>]) -> Result<(), Failure> {
        let passed = std::mem::replace(&mut self.drawn, Instant::now()).elapsed().as_secs_f64();
        // Save the cursor, draw from the top, restore it: what is being typed stays where it is.
        let mut text = format!("\x1b7\x1b[1;1H\x1b[1m{}\x1b[0m\x1b[K\n\x1b[K\n", self.title);
        let _ = writeln!(text, "node  state      follows  epoch  stable for   datagrams per heartbeat\x1b[K");
        for (id, view) in views.iter().enumerate() {
            let sent = fleet.sent(id);
            let rate =
                (sent - std::mem::replace(&mut self.sent[id], sent)) as f64 / passed * self.heartbeat.as_secs_f64();
            let bar = "▪".repeat((rate.round() as usize).min(40));
            let trouble = fleet.trouble(id);
            let _ = match view {
                None => writeln!(text, "{id:>4}  \x1b[31mdown\x1b[0m\x1b[K"),
                Some(view) => {
                    let colour = match view.state {
                        Role::Leader => "\x1b[32m",
                        Role::Follower => "",
                        Role::Unsettled => "\x1b[33m",
                    };
                    let stable = view.stable_for.as_secs_f64();
                    writeln!(
                        text,
                        "{id:>4}  {colour}{:<9}\x1b[0m  {:>7}  {:>5}  {stable:>8.1} s   {bar} \x1b[31m{trouble}\x1b[0m\x1b[K",
                        view.state.name(),
                        view.leader,
                        view.epoch,
                    )
                }
            };
        }
        text.push_str("\x1b[K\n");
        for line in (0..NEWS).map(|i| self.news.get(i).map_or("", String::as_str)) {
            let _ = writeln!(text, "{line}\x1b[K");
        }
        text.push_str("\x1b[K\n\x1b[2morders: kill leader, restart 0, isolate 2, heal, corrupt all, ..; help; quit\x1b[0m\x1b[K\x1b8");
        self.put(&text)
    }

    /// Puts the prompt back where it belongs.
    pub(crate) fn tidy(&mut self) -> Result<(), Failure> {
        match self.form {
            Form::Table => {
                let row = self.seen.len() + NEWS + 7;
                self.put(&format!("\x1b[{row};1H\x1b[J> "))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn say(&mut self, text: &str) -> Result<(), Failure> {
        for line in text.lines() {
            self.tell(line.to_string(), || json!({ "event": "message", "text": line }))?;
        }
        self.tidy()
    }

    pub(crate) fn order(&mut self, line: &str, nodes: &[usize]) -> Result<(), Failure> {
        let list: Vec<_> = nodes.iter().map(ToString::to_string).collect();
        self.tell(
            format!("{line} (nodes {})", list.join(", ")),
            || json!({ "event": "order", "order": line, "nodes": nodes }),
        )
    }

    pub(crate) fn settled(&mut self, leader: usize, took: Duration) -> Result<(), Failure> {
        let seconds = took.as_secs_f64();
        self.tell(
            format!("settled after {seconds:.3} s: {leader} leads"),
            || json!({ "event": "settled", "leader": leader, "seconds": seconds }),
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
        if self.form == Form::Table {
            self.put("\x1b[2J\x1b[1;1H")?;
            self.form = Form::Lines;
        }
        if self.form == Form::Json {
            let mut record = json!({
                "event": "end", "version": 1, "settled": seconds.len(), "unsettled": failed,
                "leader": fleet.agreed(), "leader_changes": changes, "datagrams": sent,
            });
            if let (Some(first), Some(last)) = (seconds.first(), seconds.last()) {
                let median = seconds[seconds.len() / 2];
                record["settling_seconds"] = json!({ "min": first, "median": median, "max": last });
            }
            return self.emit(record);
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

impl Form {
    fn from_terminal(live: bool) -> Form {
        if live { Form::Table } else { Form::Lines }
    }
}
