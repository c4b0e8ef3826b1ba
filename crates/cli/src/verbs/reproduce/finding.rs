//! The comparison of a claim with the results of its commands.

use super::item::{Item, Paper};
use serde::Serialize;
use serde_json::{Value, json};

/// One line of a result: the paper's figure and the computed one. Without `agrees` and `undecidable`, the paper gives no figure.
#[derive(Default, Serialize)]
pub(super) struct Row {
    pub(super) what: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) claimed: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) seen: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agrees: Option<bool>,
    /// The reason for a difference that is understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) explanation: Option<String>,
    /// The reason why no run can decide the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undecidable: Option<String>,
}

impl Row {
    pub(super) fn differs(&self) -> bool {
        self.agrees == Some(false) && self.explanation.is_none()
    }
}

/// The verdict on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub(super) enum Verdict {
    #[strum(to_string = "not reproduced")]
    NotReproduced,
    #[strum(to_string = "reproduced with a difference that is explained")]
    Different,
    #[strum(to_string = "cannot be decided by experiment")]
    Undecidable,
    #[strum(to_string = "reproduced")]
    Reproduced,
}

/// A picture, a page that plays a run, or a run or chart drawn in text.
#[derive(Serialize)]
pub(super) struct Exhibit {
    pub(super) caption: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) file: String,
    /// The drawing; the SVG of a figure is a file of its own.
    #[serde(skip_serializing_if = "is_svg")]
    pub(super) text: String,
}

fn is_svg(text: &str) -> bool {
    text.is_empty() || text.starts_with("<svg")
}

/// The result of an item.
#[derive(Default, Serialize)]
pub(super) struct Finding {
    pub(super) rows: Vec<Row>,
    pub(super) remarks: Vec<String>,
    pub(super) drawings: Vec<Exhibit>,
    pub(super) figures: Vec<Exhibit>,
    pub(super) pages: Vec<Exhibit>,
}

impl Finding {
    pub(super) fn verdict(&self) -> Verdict {
        let any = |test: fn(&Row) -> bool| self.rows.iter().any(test);
        if any(Row::differs) || self.rows.is_empty() {
            Verdict::NotReproduced
        } else if any(|row| row.explanation.is_some()) {
            Verdict::Different
        } else if any(|row| row.agrees == Some(true)) {
            Verdict::Reproduced
        } else {
            Verdict::Undecidable
        }
    }
}

/// A command that was run for an item.
#[derive(Serialize)]
pub(super) struct Ran {
    pub(super) command: String,
    /// Absent if a signal ended it.
    pub(super) exit: Option<i32>,
    pub(super) seconds: f64,
}

/// An item that was run, or the reason why it could not be.
pub(super) struct Attempt {
    pub(super) paper: &'static Paper,
    pub(super) item: &'static Item,
    pub(super) finding: Result<Finding, String>,
    pub(super) commands: Vec<Ran>,
    pub(super) seconds: f64,
}

impl Attempt {
    pub(super) fn verdict(&self) -> Verdict {
        self.finding.as_ref().map_or(Verdict::NotReproduced, Finding::verdict)
    }

    pub(super) fn json(&self) -> Value {
        let item = self.item;
        let mut object = match &self.finding {
            Ok(finding) => json!(finding),
            Err(reason) => json!({"error": reason}),
        };
        for (key, value) in [
            ("name", json!(item.name)),
            ("paper", json!(self.paper.citation)),
            ("place", json!(item.place)),
            ("claim", json!(item.claim)),
            ("algorithms", json!(item.algorithms)),
            ("commands", json!(self.commands)),
            ("verdict", json!(self.verdict().to_string())),
            ("seconds", json!(rounded(self.seconds))),
        ] {
            object[key] = value;
        }
        object
    }
}

/// Seconds with three decimals.
pub(super) fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_that_differs_spoils_the_verdict_unless_it_is_explained() {
        let mut finding = Finding::default();
        let mut verdict_with = |row: Row| {
            finding.rows.push(row);
            finding.verdict()
        };
        let explained =
            |why: Option<&str>| Row { agrees: Some(false), explanation: why.map(Into::into), ..Row::default() };
        assert_eq!(Finding::default().verdict(), Verdict::NotReproduced, "nothing was compared");
        assert_eq!(verdict_with(Row::default()), Verdict::Undecidable);
        assert_eq!(
            verdict_with(Row { undecidable: Some("infinitely many".into()), ..Row::default() }),
            Verdict::Undecidable
        );
        assert_eq!(verdict_with(Row { agrees: Some(true), ..Row::default() }), Verdict::Reproduced);
        assert_eq!(verdict_with(explained(Some("two agents are special"))), Verdict::Different);
        assert_eq!(verdict_with(explained(None)), Verdict::NotReproduced);
    }
}
