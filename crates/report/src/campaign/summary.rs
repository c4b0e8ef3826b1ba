//! The summary of many runs.

use ringleader_simulate::network::Settlement;
use ringleader_simulate::statistics::{Censored, Summary};

/// The summary of all runs of one size; times in δ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CampaignSummary {
    /// The number of runs.
    pub runs: usize,
    /// The numbers of the runs that did not settle.
    pub unsettled: Vec<u64>,
    /// The times to settle, over the runs that settled; absent if none did.
    pub times: Option<Summary>,
    /// The known bounds of the time, where some runs did not settle within the horizon.
    pub cut_off: Option<Censored>,
    /// The mean number of leader changes in a settled run.
    pub leader_changes: f64,
    /// The most leader changes in a settled run.
    pub most_changes: u64,
    /// The mean number of messages per δ at the end of a settled run.
    pub messages_per_delta: f64,
    /// The fewest links in use at the end of a settled run.
    pub fewest_links: usize,
    /// The most links in use at the end of a settled run.
    pub most_links: usize,
    /// The number of settled runs that use n - 1 links at the end, the fewest possible.
    pub efficient: usize,
    /// The sets of links used at the end, if there are few enough to print.
    pub link_sets: Vec<Vec<(usize, usize)>>,
    /// The number of messages that arrived.
    pub deliveries: u64,
    /// A digest of all events of all runs.
    pub digest: u64,
}

impl CampaignSummary {
    /// Summarizes runs, each with its number. δ is `delta` units of time, there are `size` processes, and the limit of a
    /// run is `horizon` δ.
    #[must_use]
    pub fn of(settlements: &[(u64, Settlement)], delta: u64, size: usize, horizon: u64) -> CampaignSummary {
        let in_deltas = |time: u64| time as f64 / delta as f64;
        let settled: Vec<_> = settlements.iter().filter_map(|(_, o)| o.settled.as_ref()).collect();
        let count = settled.len().max(1) as f64;
        let changes = || settlements.iter().filter(|(_, o)| o.settled.is_some()).map(|(_, o)| o.leader_changes);
        let time = |o: &Settlement| o.settled.as_ref().map_or((horizon as f64, true), |s| (in_deltas(s.after), false));
        let mut link_sets: Vec<_> = settled.iter().map(|s| s.links.clone()).collect();
        link_sets.sort();
        link_sets.dedup();
        link_sets.truncate(100);
        CampaignSummary {
            runs: settlements.len(),
            unsettled: settlements.iter().filter(|(_, o)| o.settled.is_none()).map(|(index, _)| *index).collect(),
            times: Summary::of(settled.iter().map(|s| in_deltas(s.after)).collect()),
            cut_off: Censored::of(settlements.iter().map(|(_, o)| time(o)).collect()),
            leader_changes: changes().sum::<u64>() as f64 / count,
            most_changes: changes().max().unwrap_or(0),
            messages_per_delta: settled.iter().map(|s| s.messages as f64 / in_deltas(s.stretch)).sum::<f64>() / count,
            fewest_links: settled.iter().map(|s| s.links.len()).min().unwrap_or(0),
            most_links: settled.iter().map(|s| s.links.len()).max().unwrap_or(0),
            efficient: settled.iter().filter(|s| s.links.len() + 1 == size).count(),
            link_sets,
            deliveries: settlements.iter().map(|(_, o)| o.deliveries).sum(),
            digest: settlements.iter().fold(0, |digest: u64, (_, o)| digest.rotate_left(7) ^ o.digest),
        }
    }
}
