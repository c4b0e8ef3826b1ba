//! What a node counts, in the text format of Prometheus, and what it shows, as JSON.

use crate::clock;
use crate::observer::Observer;
use ringleader_model::MessageKind;
use ringleader_node_core::{Counters, Kind, Rejection, Role};
use std::fmt::Write;
use std::time::Duration;

/// The leadership as one JSON object, with what is wrong with the cluster as far as this node has seen lately.
pub fn leadership_json(observer: &Observer) -> String {
    let shown = observer.leadership();
    let disputed = observer.disputed().map(|notice| notice.trouble.name());
    let bar = disputed.or(observer.withdrawn().map(|withdrawal| withdrawal.name()));
    let notices = observer.notices().into_iter().map(|notice| {
        format!("{{\"peer\":{},\"trouble\":\"{}\",\"advice\":\"{notice}\"}}", notice.peer, notice.trouble.name())
    });
    let left = |until: Duration| until.saturating_sub(clock::elapsed()).as_secs_f64();
    let guard = observer.guard().map(|digest| {
        let lease = shown.confirmation.map_or("null".into(), |confirmation| format!("{:.3}", left(confirmation.until)));
        let token = shown.confirmation.and_then(|confirmation| confirmation.token);
        let token = token.map_or("null".into(), |token| token.to_string());
        format!(",\"guard\":{{\"digest\":\"{digest:016x}\",\"lease_seconds\":{lease},\"token\":{token}}}")
    });
    format!(
        "{{\"version\":1,\"id\":{},\"leader\":{},\"epoch\":{},\"state\":\"{}\",\"stable_for_seconds\":{:.3},\
         \"age_seconds\":{:.3},\"barred\":{}{}{},\"notices\":[{}]{}}}\n",
        observer.id,
        shown.named().map_or("null".into(), |leader| leader.to_string()),
        shown.epoch,
        shown.state,
        shown.stable_for.as_secs_f64(),
        observer.age().as_secs_f64(),
        bar.map_or("null".into(), |bar| format!("\"{bar}\"")),
        observer.token().map_or(String::new(), |token| format!(",\"token\":{token}")),
        observer.variables().map_or(String::new(), |text| format!(",\"variables\":\"{text}\"")),
        notices.collect::<Vec<_>>().join(","),
        guard.unwrap_or_default()
    )
}

/// One page of metrics being written.
struct Page(String);

impl Page {
    fn metric(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP ringleader_{name} {help}"));
        self.line(format_args!("# TYPE ringleader_{name} {kind}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{line}");
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.metric(name, kind, help);
        self.line(format_args!("ringleader_{name} {value}"));
    }

    /// One line per peer and, perhaps, another label.
    fn by_peer(&mut self, name: &str, kind: &str, help: &str, values: impl IntoIterator<Item = (String, String)>) {
        self.metric(name, kind, help);
        for (labels, value) in values {
            self.line(format_args!("ringleader_{name}{{{labels}}} {value}"));
        }
    }

    /// One line per label value.
    fn family<L: std::fmt::Display>(
        &mut self,
        name: &str,
        label: &str,
        help: &str,
        values: impl IntoIterator<Item = (L, u64)>,
    ) {
        self.metric(name, "counter", help);
        for (value, count) in values {
            self.line(format_args!("ringleader_{name}{{{label}=\"{value}\"}} {count}"));
        }
    }
}

/// What is known of each peer.
fn peers(page: &mut Page, observer: &Observer, counters: &Counters) {
    let rejected = counters.rejected_of.iter();
    page.by_peer(
        "peer_rejected_total",
        "counter",
        "Datagrams dropped, by the sender they name and by reason.",
        rejected.map(|((peer, reason), count)| (format!("peer=\"{peer}\",reason=\"{reason}\""), count.to_string())),
    );
    let now = clock::elapsed();
    let heard = counters.last_heard.iter().enumerate().filter_map(|(peer, at)| Some((peer, (*at)?)));
    page.by_peer(
        "peer_last_heard_seconds",
        "gauge",
        "How long ago each peer was heard from. Only the leader speaks all the time.",
        heard.map(|(peer, at)| (format!("peer=\"{peer}\""), now.saturating_sub(at).as_secs_f64().to_string())),
    );
    let offsets = counters.clock_offset.iter().enumerate().filter_map(|(peer, offset)| Some((peer, (*offset)?)));
    page.by_peer(
        "peer_clock_offset_seconds",
        "gauge",
        "How far the clock of each peer was ahead, less what its last datagram took.",
        offsets.map(|(peer, offset)| (format!("peer=\"{peer}\""), (offset as f64 / 1e6).to_string())),
    );
    page.by_peer(
        "trouble",
        "gauge",
        "1 for what is wrong with the cluster, as seen lately; /leader says what to do.",
        observer
            .notices()
            .iter()
            .map(|notice| (format!("peer=\"{}\",trouble=\"{}\"", notice.peer, notice.trouble.name()), "1".to_string())),
    );
    let barred = u8::from(observer.disputed().is_some() || observer.withdrawn().is_some());
    page.single(
        "barred",
        "gauge",
        "1 if this node may not lead just now: drained, unfit, cut off, or in dispute.",
        barred,
    );
}

/// All metrics of a node.
pub fn prometheus(observer: &Observer) -> String {
    let (shown, counters) = (observer.leadership(), observer.counters());
    let mut page = Page(String::new());
    let named = shown.named().map_or("-1".into(), |leader| leader.to_string());
    page.single("leader", "gauge", "The identity this node takes for the leader; -1 if it names none.", named);
    if let Some(token) = observer.token() {
        page.single("token", "gauge", "1 if this node holds the token.", u8::from(token));
    }
    let leads = u8::from(shown.state == Role::Leader);
    page.single("is_leader", "gauge", "1 if this node is the leader and settled.", leads);
    if observer.guard().is_some() {
        let left = shown.confirmation.map_or(0.0, |lease| lease.until.saturating_sub(clock::elapsed()).as_secs_f64());
        page.single("lease_seconds", "gauge", "For how long a majority has granted this node the lease.", left);
        let token = shown.confirmation.and_then(|lease| lease.token).unwrap_or(0);
        page.single("fencing_token", "gauge", "The fencing token of this node while it is confirmed, or 0.", token);
    }
    let settled = u8::from(!matches!(shown.state, Role::Unsettled | Role::Unconfirmed));
    page.single("settled", "gauge", "1 unless the leadership changed a moment ago or the leader is silent.", settled);
    page.single("epoch", "gauge", "The algorithm's own number for this leadership; advisory.", shown.epoch);
    let stable = shown.stable_for.as_secs_f64();
    page.single("stable_seconds", "gauge", "For how long this leader has been named.", stable);
    page.single("leader_changes_total", "counter", "How often another leader was named.", counters.leader_changes);
    let by_peer = |counts: &[u64]| -> Vec<(usize, u64)> {
        counts.iter().copied().enumerate().filter(|&(_, count)| count > 0).collect()
    };
    page.family("datagrams_received_total", "peer", "Datagrams taken, by sender.", by_peer(&counters.received));
    page.family("datagrams_sent_total", "peer", "Datagrams sent, by receiver.", by_peer(&counters.sent));
    page.family(
        "messages_received_total",
        "kind",
        "Messages taken, by kind.",
        counters.messages_received.iter().map(|(k, &c)| (k, c)),
    );
    page.family(
        "messages_sent_total",
        "kind",
        "Messages sent, by kind.",
        counters.messages_sent.iter().map(|(k, &c)| (k, c)),
    );
    let accusation = Kind::Timed(MessageKind::Accusation);
    let accused = counters.messages_received.get(&accusation).copied().unwrap_or(0);
    page.single("accusations_received_total", "counter", "How often others found this node silent.", accused);
    let rejected = Rejection::ALL.iter().map(|&reason| (reason.name(), counters.rejected(reason)));
    page.family("datagrams_rejected_total", "reason", "Datagrams dropped, by reason.", rejected);
    peers(&mut page, observer, &counters);
    page.single("send_errors_total", "counter", "Datagrams that could not be sent.", counters.send_errors);
    let hooks = observer.hooks();
    let outcomes = [("succeeded", hooks.succeeded), ("failed", hooks.failed), ("timed_out", hooks.timed_out)];
    page.family("hooks_total", "outcome", "Hooks that were run, by how they ended.", outcomes);
    page.single("state_age_seconds", "gauge", "How long ago the loop last ran.", observer.age().as_secs_f64());
    page.single("iterations_total", "counter", "Loop iterations.", counters.iterations);
    let late = counters.late_iterations;
    page.single("late_iterations_total", "counter", "Iterations longer than the algorithm assumes.", late);
    let (last, worst) = (counters.last_lateness.as_secs_f64(), counters.worst_lateness.as_secs_f64());
    page.single("loop_lateness_seconds", "gauge", "How late the latest iteration began.", last);
    page.single("loop_lateness_worst_seconds", "gauge", "How late the worst iteration began.", worst);
    page.0
}
