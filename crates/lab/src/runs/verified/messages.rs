//! The verification of a run of processes that pass messages.

use super::Verified;
use crate::runs::story::{Move, Script};
use ringleader_erased::MessageInstance;
use ringleader_model::message_trace::{self, Line};
use ringleader_model::{Channels, Ensemble};

pub(super) fn verify(script: &Script, algorithm: &MessageInstance, channels: Channels) -> Verified {
    if script.cycle.is_some() {
        return Verified::wrong("a run that passes messages has no cycle: it starts clean and ends");
    }
    let mut now = Ensemble::new(algorithm);
    let leaders = |now: &Ensemble<'_, MessageInstance>| now.marks().iter().filter(|marks| marks.leader()).count();
    let (size, mut before, mut shows) = (now.network().size(), leaders(&now), None);
    for (at, step) in script.steps.iter().enumerate() {
        let number = at + 1;
        let line = match line(step, size) {
            Ok(line) => line,
            Err(why) => return Verified::wrong(format!("step {number}: {why}")),
        };
        if let Err(wrong) = message_trace::take(&mut now, channels, &line) {
            return Verified::wrong(format!("step {number}: {}", wrong.message));
        }
        let after = leaders(&now);
        if after > 1 {
            shows = shows.or_else(|| Some(format!("after step {number} there are {after} leaders")));
        }
        if after < before {
            shows = shows.or_else(|| Some(format!("in step {number} a leader ceases to be leader")));
        }
        before = after;
    }
    let ended = now.all_choices(channels).is_empty();
    let cut_off = now.cut_off();
    let mut open = vec![];
    if ended && cut_off {
        open.push("how the run ends: a process has reached the bound of its parameters".to_string());
    } else if ended && before == 0 {
        shows = shows.or_else(|| Some("the run ends without a leader".into()));
    }
    let order = if channels == Channels::Fifo { "messages arrive in order" } else { "messages arrive in any order" };
    let mut verified = vec!["every step follows the rules".to_string(), order.to_string()];
    verified.extend((ended && !cut_off).then(|| "no process can take another step".to_string()));
    Verified { shows, verified, open, ..Verified::default() }
}

fn line(step: &Move, size: usize) -> Result<Line, String> {
    let [process] = step.processes[..] else { return Err("one process takes a step".into()) };
    if process >= size {
        return Err(format!("there is no process {process}: the processes are 0 to {}", size - 1));
    }
    Ok(Line { line: 0, process, act: step.event(), coin: step.coin.clone() })
}
