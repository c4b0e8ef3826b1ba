//! The views of all hosts as a table for people.

use super::printable;
use super::verdict::Verdict;
use super::view::{Answer, Told, View};
use std::fmt::Write;

/// The changes that are shown.
const MOST_CHANGES: usize = 8;
/// The age from which a problem may be solved already, so that its age is shown, in seconds.
const OLD: f64 = 2.0;

/// The verdict, a line for each host, the last changes, and the warnings.
pub(super) fn text(verdict: &Verdict, answers: &[Answer]) -> String {
    let mut text = format!("{}\n\n", printable(&verdict.verdict).replace('\n', " "));
    for line in hosts(answers) {
        let _ = writeln!(text, "{line}");
    }
    for (heading, lines) in [("last changes", changes(answers)), ("warnings", warnings(answers))] {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n{heading}");
        }
        for line in lines {
            let _ = writeln!(text, "  {line}");
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// One line for each host, in columns.
fn hosts(answers: &[Answer]) -> Vec<String> {
    let heading = ["host", "node", "state", "leader", "unchanged", "lease", "token", "hears"].map(String::from);
    let rows: Vec<[String; 8]> = std::iter::once(heading).chain(answers.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..8).map(width).collect();
    let line = |row: &[String; 8]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

fn row(answer: &Answer) -> [String; 8] {
    let host = printable(&answer.host);
    let view = match &answer.told {
        Told::View(view) => view,
        Told::Error(_) => return [&*host, "", "no answer", "", "", "", "", ""].map(String::from),
    };
    let guard = view.guard.as_ref();
    let state = match &view.barred {
        Some(bar) => format!("{}, {bar}", view.state),
        None => view.state.clone(),
    };
    [
        host,
        view.id.to_string(),
        one_line(&state),
        view.leader.map_or("none".into(), |leader| leader.to_string()),
        seconds(view.stable_for_seconds),
        guard.and_then(|guard| guard.lease_seconds).map_or(String::new(), seconds),
        guard.and_then(|guard| guard.token).map_or(String::new(), |token| token.to_string()),
        heard(view),
    ]
}

/// The peers that a node has heard, and how long ago.
fn heard(view: &View) -> String {
    let ago = |heard: &super::view::Heard| format!("{} ({} ago)", heard.peer, seconds(heard.seconds));
    let peers: Vec<String> = view.heard.iter().filter(|heard| heard.peer != view.id).map(ago).collect();
    if peers.is_empty() { "nobody".into() } else { peers.join(", ") }
}

/// The last changes at all hosts, newest first.
fn changes(answers: &[Answer]) -> Vec<String> {
    let views = answers.iter().filter_map(Answer::view);
    let mut all: Vec<_> = views.flat_map(|view| view.changes.iter().map(move |change| (view.id, change))).collect();
    all.sort_by(|(_, one), (_, two)| one.seconds_ago.total_cmp(&two.seconds_ago));
    let name = |leader: Option<usize>| leader.map_or("none".into(), |leader| leader.to_string());
    let said = |(id, change): &(usize, &super::view::Change)| {
        let leader = match change.was == change.leader {
            true => format!("leader {}", name(change.leader)),
            false => format!("leader {} -> {}", name(change.was), name(change.leader)),
        };
        let ago = seconds(change.seconds_ago);
        one_line(&format!("{ago:>9} ago  node {id} is {}, {leader}: {}", change.state, change.why))
    };
    all.iter().take(MOST_CHANGES).map(said).collect()
}

/// The hosts without an answer, and the problems that the nodes report.
fn warnings(answers: &[Answer]) -> Vec<String> {
    let mut lines = vec![];
    for answer in answers {
        match &answer.told {
            Told::Error(error) => lines.push(one_line(&format!("{}: {error}", answer.host))),
            Told::View(view) => {
                let notice = |notice: &super::view::Notice| {
                    let old = notice.seconds_ago >= OLD;
                    let ago = if old { format!(", {} ago", seconds(notice.seconds_ago)) } else { String::new() };
                    one_line(&format!("node {}{ago}: {}", view.id, notice.advice))
                };
                lines.extend(view.notices.iter().map(notice));
            }
        }
    }
    lines
}

fn one_line(text: &str) -> String {
    printable(text).replace('\n', " ")
}

/// A time in a unit that suits it.
fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.1} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 360_000.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} d", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::verdict::judge;
    use super::*;

    /// The pages of two nodes and a host without an answer.
    #[test]
    fn a_cluster_is_one_table() {
        let pages = [
            r#"{"version":1,"id":0,"cluster":"c","leader":0,"epoch":3,"state":"leader","stable_for_seconds":72.04,"age_seconds":0.01,
                "barred":null,"notices":[],"guard":{"digest":"00","lease_seconds":1.91,"token":7},"heard":[{"peer":1,"seconds":0.31}],
                "changes":[{"seconds_ago":70.5,"was":0,"leader":0,"state":"leader","reason":"confirmed","why":"a majority granted it"}]}"#,
            r#"{"version":1,"id":1,"cluster":"c","leader":0,"epoch":3,"state":"follower","stable_for_seconds":7200.0,"age_seconds":0.01,
                "barred":"drained","notices":[{"peer":2,"trouble":"x","seconds_ago":12.3,"advice":"node 2 has\u001b[2J another key"}],
                "guard":{"digest":"00","lease_seconds":null,"token":null},"heard":[{"peer":0,"seconds":0.2}],
                "changes":[{"seconds_ago":30.0,"was":1,"leader":0,"state":"follower","reason":"withdrawn","why":"this node is drained"}]}"#,
        ];
        let mut answers: Vec<Answer> = pages
            .iter()
            .enumerate()
            .map(|(k, page)| Answer {
                host: format!("h{k}:7480"),
                told: Told::View(serde_json::from_str(page).unwrap()),
            })
            .collect();
        answers.push(Answer { host: "h2:7480".into(), told: Told::Error("Connection refused".into()) });
        assert_eq!(
            text(&judge(&answers), &answers),
            "agreed: node 0 leads, confirmed by a majority

host     node  state              leader  unchanged  lease  token  hears
h0:7480  0     leader             0       72.0 s     1.9 s  7      1 (0.3 s ago)
h1:7480  1     follower, drained  0       2 h                      0 (0.2 s ago)
h2:7480        no answer

last changes
     30.0 s ago  node 1 is follower, leader 1 -> 0: this node is drained
     70.5 s ago  node 0 is leader, leader 0: a majority granted it

warnings
  node 1, 12.3 s ago: node 2 has?[2J another key
  h2:7480: Connection refused"
        );
    }
}
