//! The state of a node as JSON, and its counters in the text format of Prometheus.

use crate::address::AddressStatus;
use crate::clock;
use crate::observer::Observer;
use ringleader_model::MessageKind;
use ringleader_node_core::lease::{Lists, Members, Stage};
use ringleader_node_core::{Counters, PayloadKind, Rejection, Role};
use std::fmt::{Display, Write};
use std::time::Duration;

/// The leadership as one JSON object, with the problems of the cluster that this node has seen lately.
pub fn leadership_json(observer: &Observer) -> String {
    format!("{{{}}}\n", leadership_fields(observer))
}

/// The fields of that object.
pub(crate) fn leadership_fields(observer: &Observer) -> String {
    let shown = observer.leadership();
    let disputed = observer.disputed().map(|notice| notice.trouble.name().to_string());
    let bar = disputed.or(observer.withdrawn().map(|withdrawal| withdrawal.to_string()));
    let notices = observer.notices().into_iter().map(|notice| {
        let (peer, trouble) = (notice.peer, notice.trouble.name());
        let ago = clock::elapsed().saturating_sub(notice.last).as_secs_f64();
        format!("{{\"peer\":{peer},\"trouble\":\"{trouble}\",\"seconds_ago\":{ago:.3},\"advice\":\"{notice}\"}}")
    });
    let left = |until: Duration| until.saturating_sub(clock::elapsed()).as_secs_f64();
    let guard = observer.guard().map(|digest| {
        let lease = shown.confirmation.map_or("null".into(), |confirmation| format!("{:.3}", left(confirmation.until)));
        let token = shown.confirmation.and_then(|confirmation| confirmation.token);
        let token = token.map_or("null".into(), |token| token.to_string());
        let members = observer.lists().map_or(String::new(), |(lists, stage)| members_json(&lists, stage));
        format!(",\"guard\":{{\"digest\":\"{digest:016x}\",\"lease_seconds\":{lease},\"token\":{token}{members}}}")
    });
    format!(
        "\"version\":1,\"id\":{},\"leader\":{},\"epoch\":{},\"state\":\"{}\",\"stable_for_seconds\":{:.3},\
         \"age_seconds\":{:.3},\"barred\":{}{}{},\"notices\":[{}]{}{}",
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
        guard.unwrap_or_default(),
        observer.addresses().map_or(String::new(), |status| address_json(&status))
    )
}

/// The state of the virtual addresses. The reason of a problem is printable ASCII, which Rust and JSON write alike.
fn address_json(status: &AddressStatus) -> String {
    let problem = status.problem.as_ref().map_or("null".into(), |problem| format!("{problem:?}"));
    format!(",\"address\":{{\"held\":{},\"problem\":{problem}}}", status.held)
}

/// The lists of members, and the stage of their change.
fn members_json(lists: &Lists, stage: Stage) -> String {
    let ids = |list: Members| format!("[{}]", list.iter().map(|id| id.to_string()).collect::<Vec<_>>().join(","));
    format!(
        ",\"members\":{{\"number\":{},\"adopted\":{},\"proposal\":{},\"change\":\"{}\"}}",
        lists.number,
        ids(lists.adopted),
        lists.proposal.map_or("null".into(), ids),
        stage.name()
    )
}

/// A page of metrics.
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

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.metric(name, kind, help);
        self.line(format_args!("ringleader_{name} {value}"));
    }

    /// One line for each set of labels.
    fn labelled(&mut self, name: &str, kind: &str, help: &str, values: impl IntoIterator<Item = (String, f64)>) {
        self.metric(name, kind, help);
        for (labels, value) in values {
            self.line(format_args!("ringleader_{name}{{{labels}}} {value}"));
        }
    }

    /// A counter with one label.
    fn family<L: Display>(&mut self, name: &str, label: &str, help: &str, values: impl IntoIterator<Item = (L, u64)>) {
        let labelled = values.into_iter().map(|(value, count)| (format!("{label}=\"{value}\""), count as f64));
        self.labelled(name, "counter", help, labelled);
    }
}

/// Writes the metrics of each peer.
fn peers(page: &mut Page, observer: &Observer, counters: &Counters) {
    let rejected = counters.rejected_of.iter();
    page.labelled(
        "peer_datagrams_rejected_total",
        "counter",
        "Datagrams rejected, by the sender they name and by reason.",
        rejected.map(|((peer, reason), count)| (format!("peer=\"{peer}\",reason=\"{reason}\""), *count as f64)),
    );
    let now = clock::elapsed();
    let heard = counters.last_heard.iter().enumerate().filter_map(|(peer, at)| Some((peer, (*at)?)));
    page.labelled(
        "peer_last_heard_seconds",
        "gauge",
        "Seconds since the last datagram of each peer. Only the leader sends all the time.",
        heard.map(|(peer, at)| (format!("peer=\"{peer}\""), now.saturating_sub(at).as_secs_f64())),
    );
    let offsets = counters.clock_offset.iter().enumerate().filter_map(|(peer, offset)| Some((peer, (*offset)?)));
    page.labelled(
        "peer_clock_offset_seconds",
        "gauge",
        "Seconds by which the clock of each peer was ahead, less the delay of its last datagram.",
        offsets.map(|(peer, offset)| (format!("peer=\"{peer}\""), offset as f64 / 1e6)),
    );
    page.labelled(
        "trouble",
        "gauge",
        "1 for each problem of the cluster seen lately; /leader has advice.",
        observer
            .notices()
            .iter()
            .map(|notice| (format!("peer=\"{}\",trouble=\"{}\"", notice.peer, notice.trouble.name()), 1.0)),
    );
    let barred = u8::from(observer.disputed().is_some() || observer.withdrawn().is_some());
    page.single(
        "barred",
        "gauge",
        "1 if this node must not lead now: drained, unfit, without a carrier, unable to hold the virtual addresses, a witness, alone, joining, removed from the list of members, or in dispute.",
        barred,
    );
}

/// All metrics of a node.
pub fn prometheus(observer: &Observer) -> String {
    let (shown, counters) = (observer.leadership(), observer.counters());
    let mut page = Page(String::new());
    let version = format!("version=\"{}\"", env!("CARGO_PKG_VERSION"));
    page.labelled("build_info", "gauge", "Always 1; the version of the program.", [(version, 1.0)]);
    let identity = format!("id=\"{}\"", observer.id);
    page.labelled("node_info", "gauge", "Always 1; the identity of this node.", [(identity, 1.0)]);
    let named = shown.named().map_or("-1".into(), |leader| leader.to_string());
    page.single("leader", "gauge", "The leader's identity according to this node; -1 for none.", named);
    if let Some(token) = observer.token() {
        page.single("token", "gauge", "1 if this node holds the token.", u8::from(token));
    }
    let leads = u8::from(shown.state == Role::Leader);
    page.single("is_leader", "gauge", "1 if this node is the leader and settled.", leads);
    if observer.guard().is_some() {
        let left = shown.confirmation.map_or(0.0, |lease| lease.until.saturating_sub(clock::elapsed()).as_secs_f64());
        page.single("lease_seconds", "gauge", "Seconds until the lease of this node ends.", left);
        let token = shown.confirmation.and_then(|lease| lease.token).unwrap_or(0);
        page.single("fencing_token", "gauge", "The fencing token of this node while it is confirmed, or 0.", token);
    }
    if let Some(status) = observer.addresses() {
        let held = u8::from(status.held);
        page.single("address_held", "gauge", "1 if this node holds the virtual addresses.", held);
        let outcomes = [("taken", status.taken), ("failed", status.failed)];
        page.family("address_total", "outcome", "Attempts to hold the virtual addresses, by outcome.", outcomes);
        page.single(
            "address_announcements_total",
            "counter",
            "Announcements of the virtual addresses to the neighbours.",
            status.announced,
        );
    }
    if let Some((lists, stage)) = observer.lists() {
        page.single(
            "list_number",
            "gauge",
            "The number of the adopted list of members; 0 if none is known.",
            lists.number,
        );
        page.single("list_members", "gauge", "The members of the adopted list.", lists.adopted.len());
        let changing = (stage != Stage::None).then(|| (format!("stage=\"{}\"", stage.name()), 1.0));
        page.labelled("list_change", "gauge", "1 for the stage of a change of the list of members.", changing);
    }
    let settled = u8::from(!matches!(shown.state, Role::Unsettled | Role::Unconfirmed));
    page.single(
        "settled",
        "gauge",
        "0 if the leadership has just changed or the leader is silent, otherwise 1.",
        settled,
    );
    page.single("epoch", "gauge", "The algorithm's own number for this leadership; advisory.", shown.epoch);
    let stable = shown.stable_for.as_secs_f64();
    page.single("stable_seconds", "gauge", "Seconds for which this node has named this leader.", stable);
    page.single(
        "leader_changes_total",
        "counter",
        "Changes of the leader that this node names.",
        counters.leader_changes,
    );
    if let Some(patience) = observer.patience() {
        page.single(
            "patience_seconds",
            "gauge",
            "Silence of the leader after which this node gives it up: it adapts to losses, outages and stalls.",
            patience.as_secs_f64(),
        );
    }
    let by_peer = |counts: &[u64]| -> Vec<(usize, u64)> {
        counts.iter().copied().enumerate().filter(|&(_, count)| count > 0).collect()
    };
    page.family("datagrams_received_total", "peer", "Datagrams accepted, by sender.", by_peer(&counters.received));
    page.family("datagrams_sent_total", "peer", "Datagrams sent, by receiver.", by_peer(&counters.sent));
    page.family(
        "messages_received_total",
        "kind",
        "Messages accepted, by kind.",
        counters.messages_received.iter().map(|(k, &c)| (k, c)),
    );
    page.family(
        "messages_sent_total",
        "kind",
        "Messages sent, by kind.",
        counters.messages_sent.iter().map(|(k, &c)| (k, c)),
    );
    let accusation = PayloadKind::Timed(MessageKind::Accusation);
    let accused = counters.messages_received.get(&accusation).copied().unwrap_or(0);
    page.single("accusations_received_total", "counter", "Accusations of silence against this node.", accused);
    let rejected = Rejection::ALL.iter().map(|&reason| (reason, counters.rejected(reason)));
    page.family("datagrams_rejected_total", "reason", "Datagrams rejected, by reason.", rejected);
    peers(&mut page, observer, &counters);
    page.single("send_errors_total", "counter", "Datagrams that could not be sent.", counters.send_errors);
    let hooks = observer.hooks();
    let outcomes = [("succeeded", hooks.succeeded), ("failed", hooks.failed), ("timed_out", hooks.timed_out)];
    page.family("hooks_total", "outcome", "Hooks that were run, by outcome.", outcomes);
    if let Some(lost) = observer.lost_lines() {
        page.single("log_lines_lost_total", "counter", "Log lines that could not be written.", lost);
    }
    page.single(
        "state_age_seconds",
        "gauge",
        "Seconds since the last iteration of the loop.",
        observer.age().as_secs_f64(),
    );
    page.single("loop_iterations_total", "counter", "Loop iterations.", counters.iterations);
    let late = counters.late_iterations;
    page.single(
        "loop_late_iterations_total",
        "counter",
        "Iterations that took longer than the algorithm assumes.",
        late,
    );
    let (last, worst) = (counters.last_lateness.as_secs_f64(), counters.worst_lateness.as_secs_f64());
    page.single("loop_lateness_seconds", "gauge", "Delay of the last iteration.", last);
    page.single("loop_lateness_max_seconds", "gauge", "Greatest delay of an iteration.", worst);
    page.0
}
