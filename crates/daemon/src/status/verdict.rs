//! Whether the hosts that were asked agree on one leader.

use super::view::{Answer, View};
use serde::Serialize;

/// The result for all hosts.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) agreed: bool,
    /// The leader that all hosts name.
    pub(super) leader: Option<usize>,
    /// The result as a sentence.
    pub(super) verdict: String,
}

/// The views agree if they name one leader, if none is unsettled, and if the leader, where it was asked, says that it leads. A host without
/// an answer might lead beside it, unless a majority has confirmed the leader.
pub(super) fn judge(answers: &[Answer]) -> Verdict {
    let views: Vec<&View> = answers.iter().filter_map(Answer::view).collect();
    match objection(answers, &views) {
        Some(reason) => Verdict { agreed: false, leader: None, verdict: format!("no agreement: {reason}") },
        None => {
            let leader = views.first().and_then(|view| view.leader);
            let named = leader.map_or("?".into(), |leader| leader.to_string());
            let confirmed = if views.iter().any(|view| view.is_confirmed()) { ", confirmed by a majority" } else { "" };
            let seen = match views[..] {
                [view] if answers.len() == 1 && !view.leads() => format!(", in the view of node {} alone", view.id),
                _ => String::new(),
            };
            Verdict { agreed: true, leader, verdict: format!("agreed: node {named} leads{confirmed}{seen}") }
        }
    }
}

/// The reason why there is no agreement.
fn objection(answers: &[Answer], views: &[&View]) -> Option<String> {
    let first = match views.first() {
        Some(first) => *first,
        None => return Some("no host answers".into()),
    };
    if let Some(other) = views.iter().find(|view| view.cluster != first.cluster) {
        return Some(format!("the hosts are of two clusters, {} and {}", first.cluster, other.cluster));
    }
    let twice = (1..views.len()).find(|&k| views[..k].iter().any(|view| view.id == views[k].id));
    if let Some(again) = twice {
        return Some(format!("two hosts answer as node {}: give each node once", views[again].id));
    }
    let leaders: Vec<String> = views.iter().filter(|view| view.leads()).map(|view| view.id.to_string()).collect();
    if leaders.len() > 1 {
        return Some(format!("nodes {} lead at the same time", leaders.join(", ")));
    }
    if let Some(view) = views.iter().find(|view| !["leader", "follower"].contains(&view.state.as_str())) {
        return Some(format!("node {} is {}", view.id, view.state));
    }
    let name = |leader: Option<usize>| leader.map_or("no leader".into(), |leader| format!("node {leader}"));
    if let Some(other) = views.iter().find(|view| view.leader != first.leader) {
        let (one, two) = (name(first.leader), name(other.leader));
        return Some(format!("node {} names {one}, node {} names {two}", first.id, other.id));
    }
    if first.leader.is_none() {
        return Some("the nodes do not know which node leads".into());
    }
    if let Some(view) = views.iter().find(|view| view.leads() != (Some(view.id) == view.leader)) {
        return Some(format!("node {} is {} and names {}", view.id, view.state, name(view.leader)));
    }
    let silent = answers.iter().find(|answer| answer.view().is_none());
    let silent = silent.filter(|_| !views.iter().any(|view| view.is_confirmed()));
    silent.map(|answer| format!("{} does not answer, and a node there could lead, too", answer.host))
}

#[cfg(test)]
mod tests {
    use super::super::view::{Guard, Told};
    use super::*;

    fn view(id: usize, leader: usize, state: &str) -> View {
        View {
            id,
            cluster: "test".into(),
            leader: Some(leader),
            epoch: 0,
            state: state.into(),
            stable_for_seconds: 1.0,
            age_seconds: 0.0,
            barred: None,
            guard: None,
            heard: vec![],
            changes: vec![],
            notices: vec![],
            rest: Default::default(),
        }
    }

    fn answer(view: View) -> Answer {
        Answer { host: format!("host{}", view.id), told: Told::View(Box::new(view)) }
    }

    fn silent() -> Answer {
        Answer { host: "host9".into(), told: Told::Error("connection refused".into()) }
    }

    fn confirmed(lease: f64) -> View {
        let guard =
            Guard { digest: String::new(), lease_seconds: Some(lease), token: Some(7), rest: Default::default() };
        View { guard: Some(guard), ..view(0, 0, "leader") }
    }

    #[test]
    fn hosts_agree_if_all_name_a_leader_that_leads() {
        let all = [view(0, 0, "leader"), view(1, 0, "follower"), view(2, 0, "follower")].map(answer);
        assert_eq!(judge(&all), Verdict { agreed: true, leader: Some(0), verdict: "agreed: node 0 leads".into() });
        let local = judge(&[answer(view(1, 0, "follower"))]);
        assert!(local.agreed && local.verdict.ends_with("in the view of node 1 alone"), "{local:?}");
        assert!(
            judge(&[answer(view(1, 0, "follower")), answer(view(2, 0, "follower"))]).agreed,
            "the leader was not asked"
        );
    }

    #[test]
    fn every_disagreement_has_a_reason() {
        let follower = || view(1, 0, "follower");
        let leader = || view(0, 0, "leader");
        let other_cluster = View { cluster: "other".into(), ..follower() };
        let nameless = |id| View { leader: None, ..view(id, 0, "follower") };
        for (views, reason) in [
            (vec![], "no host answers"),
            (vec![leader(), other_cluster], "two clusters, test and other"),
            (vec![leader(), leader()], "two hosts answer as node 0"),
            (vec![leader(), view(1, 1, "leader")], "nodes 0, 1 lead at the same time"),
            (vec![leader(), view(1, 0, "unsettled")], "node 1 is unsettled"),
            (vec![view(0, 0, "unconfirmed")], "node 0 is unconfirmed"),
            (vec![leader(), view(1, 2, "follower")], "node 0 names node 0, node 1 names node 2"),
            (vec![nameless(0), nameless(1)], "do not know which node leads"),
            (vec![view(0, 0, "follower"), follower()], "node 0 is follower and names node 0"),
            (vec![view(0, 1, "leader")], "node 0 is leader and names node 1"),
        ] {
            let verdict = judge(&views.into_iter().map(answer).collect::<Vec<_>>());
            assert!(!verdict.agreed && verdict.verdict.contains(reason), "{verdict:?}, not {reason}");
        }
    }

    #[test]
    fn a_host_without_an_answer_prevents_agreement_unless_the_leader_is_confirmed() {
        let plain = judge(&[answer(view(0, 0, "leader")), silent()]);
        assert!(!plain.agreed && plain.verdict.contains("host9 does not answer"), "{plain:?}");
        let guarded = judge(&[answer(confirmed(1.5)), answer(view(1, 0, "follower")), silent()]);
        assert!(guarded.agreed && guarded.verdict.contains("confirmed by a majority"), "{guarded:?}");
        assert!(!judge(&[answer(confirmed(0.0)), silent()]).agreed, "the lease has ended");
        let unsettled = judge(&[answer(confirmed(1.5)), answer(view(1, 0, "unsettled")), silent()]);
        assert!(!unsettled.agreed, "{unsettled:?}");
    }
}
