//! What a node counts, in the text format of Prometheus, and what it shows, as JSON.

use crate::leadership::Role;
use crate::observer::Observer;
use crate::wire::Rejection;
use std::fmt::Write;

/// The leadership as one JSON object.
pub fn leadership_json(observer: &Observer) -> String {
    let shown = observer.leadership();
    format!(
        "{{\"version\":1,\"id\":{},\"leader\":{},\"epoch\":{},\"state\":\"{}\",\"stable_for_seconds\":{:.3}}}\n",
        observer.id,
        shown.leader,
        shown.epoch,
        shown.state,
        shown.stable_for.as_secs_f64()
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

/// All metrics of a node.
pub fn prometheus(observer: &Observer) -> String {
    let (shown, counters) = (observer.leadership(), observer.counters());
    let mut page = Page(String::new());
    page.single("leader", "gauge", "The identity this node takes for the leader.", shown.leader);
    let leads = u8::from(shown.state == Role::Leader);
    page.single("is_leader", "gauge", "1 if this node is the leader and settled.", leads);
    let settled = u8::from(shown.state != Role::Unsettled);
    page.single("settled", "gauge", "1 unless the leadership changed a moment ago or the leader is silent.", settled);
    page.single("epoch", "gauge", "The algorithm's own number for this leadership; advisory.", shown.epoch);
    let stable = shown.stable_for.as_secs_f64();
    page.single("stable_seconds", "gauge", "For how long this leader has been named.", stable);
    page.single("leader_changes_total", "counter", "How often another leader was named.", counters.leader_changes);
    let by_peer = |counts: &[u64]| -> Vec<(usize, u64)> {
        counts.iter().copied().enumerate().filter(|&(peer, count)| peer != observer.id && count > 0).collect()
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
    let accused = counters.messages_received.get("ACCUSATION").copied().unwrap_or(0);
    page.single("accusations_received_total", "counter", "How often others found this node silent.", accused);
    let rejected = Rejection::ALL.map(|reason| (reason.name(), counters.rejected(reason)));
    page.family("datagrams_rejected_total", "reason", "Datagrams dropped, by reason.", rejected);
    page.single("send_errors_total", "counter", "Datagrams that could not be sent.", counters.send_errors);
    let hooks = observer.hooks();
    let outcomes = [("succeeded", hooks.succeeded), ("failed", hooks.failed), ("timed_out", hooks.timed_out)];
    page.family("hooks_total", "outcome", "Hooks that were run, by how they ended.", outcomes);
    page.single("iterations_total", "counter", "Loop iterations.", counters.iterations);
    let late = counters.late_iterations;
    page.single("late_iterations_total", "counter", "Iterations longer than the algorithm assumes.", late);
    let (last, worst) = (counters.last_lateness.as_secs_f64(), counters.worst_lateness.as_secs_f64());
    page.single("loop_lateness_seconds", "gauge", "How late the latest iteration began.", last);
    page.single("loop_lateness_worst_seconds", "gauge", "How late the worst iteration began.", worst);
    page.0
}
