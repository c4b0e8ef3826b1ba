//! The state of a node as JSON, and its counters in the text format of Prometheus.

use crate::address::AddressStatus;
use crate::clock;
use crate::observer::Observer;
use ringleader_model::MessageKind;
use ringleader_node_core::lease::{Lists, Members, Stage};
use ringleader_node_core::{Counters, PayloadKind, Rejection, Role, Status};
use std::fmt::{Display, Write};
use std::time::Duration;

/// The leadership as one JSON object, with the problems of the cluster that this node has seen lately.
pub fn leadership_json(observer: &Observer) -> String {
    format!("{{{}}}\n", leadership_fields(observer))
}

/// The fields of that object.
pub(crate) fn leadership_fields(observer: &Observer) -> String {
    let status = observer.status();
    let shown = status.leadership;
    let disputed = status.disputed.map(|notice| notice.trouble.name().to_string());
    let bar = disputed.or(status.withdrawn.map(|withdrawal| withdrawal.to_string()));
    let notices = observer.notices().into_iter().map(|notice| {
        let (peer, trouble) = (notice.peer, notice.trouble.name());
        let ago = clock::elapsed().saturating_sub(notice.last).as_secs_f64();
        format!("{{\"peer\":{peer},\"trouble\":\"{trouble}\",\"seconds_ago\":{ago:.3},\"advice\":\"{notice}\"}}")
    });
    let left = |until: Duration| until.saturating_sub(clock::elapsed()).as_secs_f64();
    let guard = status.guard.map(|digest| {
        let lease = or_null(shown.confirmation.map(|confirmation| format!("{:.3}", left(confirmation.until))));
        let token = or_null(shown.confirmation.and_then(|confirmation| confirmation.token));
        let members = status.lists.map_or(String::new(), |(lists, stage)| members_json(&lists, stage));
        format!(",\"guard\":{{\"digest\":\"{digest:016x}\",\"lease_seconds\":{lease},\"token\":{token}{members}}}")
    });
    format!(
        "\"version\":1,\"id\":{},\"leader\":{},\"epoch\":{},\"state\":\"{}\",\"stable_for_seconds\":{:.3},\
         \"age_seconds\":{:.3},\"barred\":{}{}{},\"notices\":[{}]{}{}",
        observer.id,
        or_null(shown.named()),
        shown.epoch,
        shown.state,
        shown.stable_for.as_secs_f64(),
        observer.age().as_secs_f64(),
        or_null(bar.map(|bar| format!("\"{bar}\""))),
        status.token.map_or(String::new(), |token| format!(",\"token\":{token}")),
        status.variables.map_or(String::new(), |text| format!(",\"variables\":\"{text}\"")),
        notices.collect::<Vec<_>>().join(","),
        guard.unwrap_or_default(),
        observer.addresses().map_or(String::new(), |status| address_json(&status))
    )
}

/// A value in JSON.
pub(crate) fn or_null(value: Option<impl Display>) -> String {
    value.map_or("null".into(), |value| value.to_string())
}

/// The state of the virtual addresses. The reason of a problem is printable ASCII, which Rust and JSON write alike.
fn address_json(status: &AddressStatus) -> String {
    let problem = or_null(status.problem.as_ref().map(|problem| format!("{problem:?}")));
    format!(",\"address\":{{\"held\":{},\"problem\":{problem}}}", status.held)
}

/// The lists of members, and the stage of their change.
fn members_json(lists: &Lists, stage: Stage) -> String {
    let ids = |list: Members| format!("[{}]", list.iter().map(|id| id.to_string()).collect::<Vec<_>>().join(","));
    format!(
        ",\"members\":{{\"number\":{},\"adopted\":{},\"proposal\":{},\"change\":\"{}\"}}",
        lists.number,
        ids(lists.adopted),
        or_null(lists.proposal.map(ids)),
        stage.name()
    )
}

/// A page of metrics.
struct Page(String);

impl Page {
    /// A metric with one line for each set of labels, which is empty or in braces.
    fn metric<V: Display>(
        &mut self,
        kind: &str,
        name: &str,
        help: &str,
        values: impl IntoIterator<Item = (String, V)>,
    ) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP ringleader_{name} {help}\n# TYPE ringleader_{name} {kind}");
        for (labels, value) in values {
            let _ = writeln!(self.0, "ringleader_{name}{labels} {value}");
        }
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.metric("gauge", name, help, [(String::new(), value)]);
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.metric("counter", name, help, [(String::new(), value)]);
    }

    /// A counter with one label.
    fn family<L: Display>(&mut self, name: &str, of: &str, help: &str, values: impl IntoIterator<Item = (L, u64)>) {
        self.metric("counter", name, help, values.into_iter().map(|(value, count)| (label(of, value), count)));
    }
}

fn label(name: &str, value: impl Display) -> String {
    format!("{{{name}=\"{value}\"}}")
}

fn by_peer(counts: &[u64]) -> impl Iterator<Item = (usize, u64)> {
    counts.iter().copied().enumerate().filter(|(_, count)| *count > 0)
}

/// Writes the metrics of each peer.
fn peers(page: &mut Page, observer: &Observer, status: &Status, counters: &Counters) {
    let rejected = counters.rejected_of.iter();
    let rejected = rejected.map(|((peer, reason), count)| (format!("{{peer=\"{peer}\",reason=\"{reason}\"}}"), count));
    let help = "Datagrams rejected, by the sender they name and by reason.";
    page.metric("counter", "peer_datagrams_rejected_total", help, rejected);
    let now = clock::elapsed();
    let since =
        |(peer, at): (usize, &Option<Duration>)| Some((label("peer", peer), now.saturating_sub((*at)?).as_secs_f64()));
    page.metric(
        "gauge",
        "peer_last_heard_seconds",
        "Seconds since the last datagram of each peer. Only the leader sends all the time.",
        counters.last_heard.iter().enumerate().filter_map(since),
    );
    let ahead = |(peer, micros): (usize, &Option<i64>)| Some((label("peer", peer), (*micros)? as f64 / 1e6));
    page.metric(
        "gauge",
        "peer_clock_offset_seconds",
        "Seconds by which the clock of each peer was ahead, less the delay of its last datagram.",
        counters.clock_offset.iter().enumerate().filter_map(ahead),
    );
    let notices = observer.notices().into_iter();
    let notices = notices.map(|n| (format!("{{peer=\"{}\",trouble=\"{}\"}}", n.peer, n.trouble.name()), 1));
    page.metric("gauge", "trouble", "1 for each problem of the cluster seen lately; /leader has advice.", notices);
    let barred = u8::from(status.disputed.is_some() || status.withdrawn.is_some());
    page.gauge(
        "barred",
        "1 if this node must not lead now: drained, unfit, without a carrier, unable to hold the virtual addresses, a witness, alone, joining, removed from the list of members, or in dispute.",
        barred,
    );
}

/// All metrics of a node.
pub fn prometheus(observer: &Observer) -> String {
    let (status, counters) = (observer.status(), observer.counters());
    let shown = status.leadership;
    let mut page = Page(String::new());
    let version = label("version", env!("CARGO_PKG_VERSION"));
    page.metric("gauge", "build_info", "Always 1; the version of the program.", [(version, 1)]);
    let identity = label("id", observer.id);
    page.metric("gauge", "node_info", "Always 1; the identity of this node.", [(identity, 1)]);
    let named = shown.named().map_or("-1".into(), |leader| leader.to_string());
    page.gauge("leader", "The leader's identity according to this node; -1 for none.", named);
    if let Some(token) = status.token {
        page.gauge("token", "1 if this node holds the token.", u8::from(token));
    }
    page.gauge("is_leader", "1 if this node is the leader and settled.", u8::from(shown.state == Role::Leader));
    if status.guard.is_some() {
        let left = shown.confirmation.map_or(0.0, |lease| lease.until.saturating_sub(clock::elapsed()).as_secs_f64());
        page.gauge("lease_seconds", "Seconds until the lease of this node ends.", left);
        let token = shown.confirmation.and_then(|lease| lease.token).unwrap_or(0);
        page.gauge("fencing_token", "The fencing token of this node while it is confirmed, or 0.", token);
    }
    if let Some(addresses) = observer.addresses() {
        page.gauge("address_held", "1 if this node holds the virtual addresses.", u8::from(addresses.held));
        let outcomes = [("taken", addresses.taken), ("failed", addresses.failed)];
        page.family("address_total", "outcome", "Attempts to hold the virtual addresses, by outcome.", outcomes);
        let help = "Announcements of the virtual addresses to the neighbours.";
        page.counter("address_announcements_total", help, addresses.announced);
    }
    if let Some((lists, stage)) = status.lists {
        page.gauge("list_number", "The number of the adopted list of members; 0 if none is known.", lists.number);
        page.gauge("list_members", "The members of the adopted list.", lists.adopted.len());
        let changing = (stage != Stage::None).then(|| (label("stage", stage.name()), 1));
        page.metric("gauge", "list_change", "1 for the stage of a change of the list of members.", changing);
    }
    let settled = u8::from(!matches!(shown.state, Role::Unsettled | Role::Unconfirmed));
    page.gauge("settled", "0 if the leadership has just changed or the leader is silent, otherwise 1.", settled);
    page.gauge("epoch", "The algorithm's own number for this leadership; advisory.", shown.epoch);
    let stable = shown.stable_for.as_secs_f64();
    page.gauge("stable_seconds", "Seconds for which this node has named this leader.", stable);
    page.counter("leader_changes_total", "Changes of the leader that this node names.", counters.leader_changes);
    if let Some(patience) = status.patience {
        let help = "Silence of the leader after which this node gives it up: it adapts to losses, outages and stalls.";
        page.gauge("patience_seconds", help, patience.as_secs_f64());
    }
    page.family("datagrams_received_total", "peer", "Datagrams accepted, by sender.", by_peer(&counters.received));
    page.family("datagrams_sent_total", "peer", "Datagrams sent, by receiver.", by_peer(&counters.sent));
    page.family("messages_received_total", "kind", "Messages accepted, by kind.", counters.messages_received.clone());
    page.family("messages_sent_total", "kind", "Messages sent, by kind.", counters.messages_sent.clone());
    let accusation = PayloadKind::Timed(MessageKind::Accusation);
    let accused = counters.messages_received.get(&accusation).copied().unwrap_or(0);
    page.counter("accusations_received_total", "Accusations of silence against this node.", accused);
    let rejected = Rejection::ALL.iter().map(|&reason| (reason, counters.rejected(reason)));
    page.family("datagrams_rejected_total", "reason", "Datagrams rejected, by reason.", rejected);
    peers(&mut page, observer, &status, &counters);
    page.counter("send_errors_total", "Datagrams that could not be sent.", counters.send_errors);
    let hooks = observer.hooks();
    let outcomes = [("succeeded", hooks.succeeded), ("failed", hooks.failed), ("timed_out", hooks.timed_out)];
    page.family("hooks_total", "outcome", "Hooks that were run, by outcome.", outcomes);
    if let Some(lost) = observer.lost_lines() {
        page.counter("log_lines_lost_total", "Log lines that could not be written.", lost);
    }
    page.gauge("state_age_seconds", "Seconds since the last iteration of the loop.", observer.age().as_secs_f64());
    page.counter("loop_iterations_total", "Loop iterations.", counters.iterations);
    let late = counters.late_iterations;
    page.counter("loop_late_iterations_total", "Iterations that took longer than the algorithm assumes.", late);
    page.gauge("loop_lateness_seconds", "Delay of the last iteration.", counters.last_lateness.as_secs_f64());
    page.gauge("loop_lateness_max_seconds", "Greatest delay of an iteration.", counters.worst_lateness.as_secs_f64());
    page.0
}
