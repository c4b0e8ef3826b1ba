//! A claim of a paper, and what came out when it was tried.

use serde_json::{Value, json};

/// One of the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Paper {
    pub(super) key: &'static str,
    pub(super) citation: &'static str,
}

/// One claim.
pub(super) struct Item {
    /// What the command line calls it.
    pub(super) name: &'static str,
    pub(super) paper: &'static Paper,
    /// Where in the paper.
    pub(super) place: &'static str,
    pub(super) claim: &'static str,
    /// The algorithms it is about, by their names in the catalog.
    pub(super) algorithms: &'static [&'static str],
    pub(super) run: fn(&mut super::Runner) -> Result<Finding, crate::terminal::exit::Failure>,
}

/// How a number or a verdict compares with the paper's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Match {
    Agrees,
    /// It differs, and this is why.
    Explained(String),
    Differs,
    /// No run can tell, and this is why.
    Undecidable(String),
    /// The paper says nothing of it.
    Beyond,
}

/// One line of a result: what the paper says, and what was seen.
pub(super) struct Row {
    pub(super) what: String,
    pub(super) claimed: String,
    pub(super) seen: String,
    pub(super) matches: Match,
}

/// What is said of an item in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    NotReproduced,
    Different,
    Undecidable,
    Reproduced,
}

impl Verdict {
    pub(super) fn words(self) -> &'static str {
        match self {
            Verdict::NotReproduced => "not reproduced",
            Verdict::Different => "reproduced with a difference that is explained",
            Verdict::Undecidable => "cannot be decided by experiment",
            Verdict::Reproduced => "reproduced",
        }
    }
}

/// A picture, as SVG.
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) caption: String,
    pub(super) svg: String,
}

/// What came out.
#[derive(Default)]
pub(super) struct Finding {
    pub(super) rows: Vec<Row>,
    /// Runs and charts, drawn in text, each with a caption.
    pub(super) drawings: Vec<(String, String)>,
    pub(super) figures: Vec<Figure>,
    /// Pages that play a run, each with a caption, by their file in the folder `runs`.
    pub(super) pages: Vec<(String, String)>,
    /// What a reader should know who reads the rows.
    pub(super) remarks: Vec<String>,
}

impl Finding {
    fn row(&mut self, what: impl Into<String>, claimed: String, seen: String, matches: Match) {
        self.rows.push(Row { what: what.into(), claimed, seen, matches });
    }

    /// What the paper says must be what was seen.
    pub(super) fn equal(&mut self, what: impl Into<String>, claimed: impl ToString, seen: impl ToString) {
        let (claimed, seen) = (claimed.to_string(), seen.to_string());
        let matches = if claimed == seen { Match::Agrees } else { Match::Differs };
        self.row(what, claimed, seen, matches);
    }

    /// What was seen agrees with the paper if `agrees`.
    pub(super) fn judged(&mut self, what: impl Into<String>, claimed: &str, seen: impl Into<String>, agrees: bool) {
        let matches = if agrees { Match::Agrees } else { Match::Differs };
        self.row(what, claimed.to_string(), seen.into(), matches);
    }

    /// What was seen is not what the paper says, and `why` explains it; if it is not what was `expected` either, nothing does.
    pub(super) fn explained(
        &mut self,
        what: impl Into<String>,
        claimed: &str,
        expected: &str,
        seen: impl Into<String>,
        why: &str,
    ) {
        let seen = seen.into();
        let matches = if seen == expected { Match::Explained(why.to_string()) } else { Match::Differs };
        self.row(what, claimed.to_string(), seen, matches);
    }

    /// No run can tell.
    pub(super) fn undecidable(&mut self, what: impl Into<String>, claimed: &str, why: &str) {
        self.row(what, claimed.to_string(), String::new(), Match::Undecidable(why.to_string()));
    }

    /// Measured, though the paper gives no number.
    pub(super) fn beyond(&mut self, what: impl Into<String>, seen: impl Into<String>) {
        self.row(what, String::new(), seen.into(), Match::Beyond);
    }

    pub(super) fn verdict(&self) -> Verdict {
        let any = |test: fn(&Match) -> bool| self.rows.iter().any(|row| test(&row.matches));
        if any(|m| *m == Match::Differs) || self.rows.is_empty() {
            Verdict::NotReproduced
        } else if any(|m| matches!(m, Match::Explained(_))) {
            Verdict::Different
        } else if any(|m| *m == Match::Agrees) {
            Verdict::Reproduced
        } else {
            Verdict::Undecidable
        }
    }
}

/// A command that was run for an item.
pub(super) struct Ran {
    pub(super) command: String,
    /// Absent if a signal ended it.
    pub(super) exit: Option<i32>,
    pub(super) seconds: f64,
}

/// An item that was run, or the reason why it could not be.
pub(super) struct Attempt {
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
        let commands: Vec<_> = self
            .commands
            .iter()
            .map(|c| json!({"command": c.command, "exit": c.exit, "seconds": rounded(c.seconds)}))
            .collect();
        let mut object = json!({
            "name": item.name, "paper": item.paper.citation, "place": item.place, "claim": item.claim,
            "algorithms": item.algorithms, "commands": commands, "verdict": self.verdict().words(),
            "seconds": rounded(self.seconds),
        });
        match &self.finding {
            Err(reason) => object["error"] = json!(reason),
            Ok(finding) => {
                object["rows"] = finding.rows.iter().map(Row::json).collect();
                object["remarks"] = json!(finding.remarks);
                object["figures"] = finding
                    .figures
                    .iter()
                    .map(|f| json!({"file": format!("figures/{}.svg", f.name), "caption": f.caption}))
                    .collect();
                object["pages"] = finding
                    .pages
                    .iter()
                    .map(|(caption, file)| json!({"file": format!("runs/{file}"), "caption": caption}))
                    .collect();
                object["drawings"] =
                    finding.drawings.iter().map(|(caption, text)| json!({"caption": caption, "text": text})).collect();
            }
        }
        object
    }
}

impl Row {
    fn json(&self) -> Value {
        let mut object = json!({"what": self.what});
        if !self.claimed.is_empty() {
            object["claimed"] = json!(self.claimed);
        }
        if !self.seen.is_empty() {
            object["seen"] = json!(self.seen);
        }
        match &self.matches {
            Match::Agrees => object["agrees"] = json!(true),
            Match::Differs => object["agrees"] = json!(false),
            Match::Explained(why) => {
                object["agrees"] = json!(false);
                object["explanation"] = json!(why);
            }
            Match::Undecidable(why) => object["undecidable"] = json!(why),
            Match::Beyond => {}
        }
        object
    }
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_that_differs_spoils_the_verdict_unless_it_is_explained() {
        let mut finding = Finding::default();
        assert_eq!(finding.verdict(), Verdict::NotReproduced, "nothing was compared");
        finding.undecidable("a law", "for all n", "infinitely many");
        assert_eq!(finding.verdict(), Verdict::Undecidable);
        finding.equal("states", 657, 657);
        assert_eq!(finding.verdict(), Verdict::Reproduced);
        finding.explained("n = 2", "holds", "fails", "fails", "two agents are special");
        assert_eq!(finding.verdict(), Verdict::Different);
        finding.explained("n = 3", "holds", "fails", "holds", "an explanation of something else");
        assert_eq!(finding.verdict(), Verdict::NotReproduced);
    }
}
