//! What came of many runs.

use ringleader_simulate::network::Settlement;

/// What became of all runs of one size; times in δ.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) runs: usize,
    pub(super) settled: usize,
    pub(super) unsettled: Vec<u64>,
    pub(super) mean: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
    pub(super) leader_changes: f64,
    pub(super) most_changes: u64,
    pub(super) messages_per_delta: f64,
    pub(super) fewest_links: usize,
    pub(super) most_links: usize,
    /// The sets of links used at the end, if there are few enough to print.
    pub(super) link_sets: Vec<Vec<(usize, usize)>>,
    pub(super) deliveries: u64,
    pub(super) digest: u64,
}

impl Summary {
    pub(super) fn of(outcomes: &[(u64, Settlement)], delta: u64) -> Summary {
        let in_deltas = |time: u64| time as f64 / delta as f64;
        let settled: Vec<_> = outcomes.iter().filter_map(|(_, o)| o.settled.as_ref()).collect();
        let mut times: Vec<f64> = settled.iter().map(|s| in_deltas(s.after)).collect();
        times.sort_by(f64::total_cmp);
        let count = settled.len().max(1) as f64;
        let changes = || outcomes.iter().filter(|(_, o)| o.settled.is_some()).map(|(_, o)| o.leader_changes);
        let mut link_sets: Vec<_> = settled.iter().map(|s| s.links.clone()).collect();
        link_sets.sort();
        link_sets.dedup();
        link_sets.truncate(100);
        Summary {
            runs: outcomes.len(),
            settled: settled.len(),
            unsettled: outcomes.iter().filter(|(_, o)| o.settled.is_none()).map(|(index, _)| *index).collect(),
            mean: times.iter().sum::<f64>() / count,
            p99: times.get((times.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or(0.0),
            max: times.last().copied().unwrap_or(0.0),
            leader_changes: changes().sum::<u64>() as f64 / count,
            most_changes: changes().max().unwrap_or(0),
            messages_per_delta: settled.iter().map(|s| s.messages as f64 / in_deltas(s.stretch)).sum::<f64>() / count,
            fewest_links: settled.iter().map(|s| s.links.len()).min().unwrap_or(0),
            most_links: settled.iter().map(|s| s.links.len()).max().unwrap_or(0),
            link_sets,
            deliveries: outcomes.iter().map(|(_, o)| o.deliveries).sum(),
            digest: outcomes.iter().fold(0, |digest: u64, (_, o)| digest.rotate_left(7) ^ o.digest),
        }
    }
}
