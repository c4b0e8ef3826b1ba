//! A change of the settings that guarded members share: all members are stopped for the length of the old lease.

use crate::{FAILS, INTERRUPTED, Prepare};
use ringleader_node::lease::{Lists, Members, Stage};
use ringleader_node::{Config, NodeError, Observer, Rejection};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time in which the loop takes a reload.
const TAKEN: Duration = Duration::from_secs(1);

/// Tells the change of members that a reload proposes, or the reason why it proposes none. `before` are the lists before the reload.
pub(crate) fn remark(node: &Observer, list: Members, before: Lists) -> Option<String> {
    let end = Instant::now() + TAKEN;
    loop {
        let (lists, stage) = node.status().lists?;
        let refused = matches!(stage, Stage::Refused { .. });
        if lists.target() == list || (stage.list() == Some(list) && !refused) {
            return (before.target() != list).then(|| proposal(list, before));
        }
        if Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        }
        return Some(match lists.proposal {
            Some(other) => format!(
                "the list {list} in [peers] is ignored, since {other} is proposed and not adopted yet. If other members have stored another \
                 proposal, none is adopted: stop all members, and make new state files with `--new-state --first-start --token N`"
            ),
            None => format!(
                "the list {list} in [peers] differs from the adopted one, {}, and is not proposed, since [peers] had it at the last start \
                 or reload, too. To propose it, undo the edit here and reload, then repeat the edit and reload",
                lists.adopted
            ),
        });
    }
}

/// The change as a sentence.
fn proposal(list: Members, before: Lists) -> String {
    let (old, number) = (before.adopted, before.number);
    let part = |word, ids: Members| (!ids.is_empty()).then(|| format!("{word} {ids}"));
    let parts: Vec<String> =
        [part("adds", list.minus(old)), part("removes", old.minus(list))].into_iter().flatten().collect();
    format!(
        "this node proposes the members {list} (number {}) in place of {old} (number {number}): it {}. The list is adopted as soon as majorities of \
         both answer",
        number.saturating_add(1),
        parts.join(" and ")
    )
}

/// Takes the place of a stopped member until every old lease has expired. It greets the other members, and running ones answer. It does not
/// grant, since it has just started, and does not lead.
pub(crate) fn await_stopped(mut config: Config, prepare: Prepare<'_>) -> Result<ExitCode, NodeError> {
    let Some(guard) = &mut config.guard else {
        return Err(NodeError::new("without the guard no member needs to be stopped: change [peers] and send SIGHUP"));
    };
    let (time, me) = (guard.over() + 2 * config.tempo.heartbeat, config.id);
    // A witness never leads. Its digest differs from that of the members, so they reject its datagrams and it counts theirs.
    guard.witnesses = vec![me];
    (config.state, config.check, config.drain) = (None, None, None);
    let (listen, node) = (config.listen, prepare(config)?.run()?);
    crate::say(format!("listening on {listen} for {time:.1?} in place of member {me}"));
    let interrupted = crate::interrupt()?;
    let begun = Instant::now();
    let mut heard = vec![];
    while begun.elapsed() < time {
        if interrupted.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        std::thread::sleep(Duration::from_millis(50));
        let counters = node.counters();
        let guarded = |reason: &Rejection| *reason == Rejection::Guard;
        let rejected = counters.rejected_of.keys().filter(|(_, reason)| guarded(reason)).map(|(peer, _)| *peer);
        let taken = counters.last_heard.iter().enumerate().filter_map(|(peer, at)| at.map(|_| peer));
        heard = rejected.chain(taken).filter(|&peer| peer != me).collect();
        heard.sort_unstable();
        heard.dedup();
    }
    node.kill();
    if heard.is_empty() {
        crate::say(
            "no other member was heard: if all of them are stopped, no old lease is left, and they can start with the new settings. A member \
             behind a cut is not heard",
        );
        return Ok(ExitCode::SUCCESS);
    }
    let heard: Vec<String> = heard.iter().map(ToString::to_string).collect();
    crate::say(format!("still running: {}; stop them and run this command again", heard.join(", ")));
    Ok(ExitCode::from(FAILS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_names_the_members_before_and_after() {
        let list = |ids: &[usize]| ids.iter().copied().collect::<Members>();
        let said = proposal(list(&[1, 2, 5]), Lists { number: 7, ..Lists::first(list(&[0, 1, 2])) });
        let expected = "the members 1, 2, 5 (number 8) in place of 0, 1, 2 (number 7): it adds 5 and removes 0.";
        assert!(said.contains(expected), "{said}");
    }
}
