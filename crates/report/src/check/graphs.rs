//! A check of all graphs of a size.

use ringleader_check::Report;
use ringleader_model::Knowledge;
use ringleader_model::graph::Census;
use serde_json::{Value, json};

/// All graphs of a size that an algorithm can tell apart, and the number of them on which it fails.
#[derive(Clone, Copy, Debug)]
pub struct AllGraphs {
    /// The kind of the graphs.
    pub census: Census,
    /// The facts by which the algorithm tells graphs apart.
    pub knowledge: Knowledge,
    /// The number of graphs.
    pub count: usize,
    /// The number of graphs on which the algorithm fails.
    pub failing: usize,
}

impl AllGraphs {
    /// The verdict in words, before the report of the graph that is shown. `members` are agents or processes.
    #[must_use]
    pub fn text(&self, size: usize, members: &str, shown: &Report) -> String {
        let verdict = match (self.failing, shown.longest()) {
            (0, Some(_)) => "holds on all of them. The graph on which it takes longest:".to_string(),
            (0, None) => {
                "holds on all of them. No steps are counted under this scheduler. The first graph:".to_string()
            }
            (few, _) => format!("fails on {few} of them. The failing graph with the fewest edges:"),
        };
        let (kind, marks) = (self.census.describe(), Census::marks(self.knowledge));
        let kind = if self.count == 1 { kind.trim_end_matches('s') } else { kind };
        let marks = if marks.starts_with("up to") { format!(", {marks}") } else { format!(" {marks}") };
        format!("{} {kind} of {size} {members}{marks}: {verdict}\n\n", self.count)
    }

    /// The field `graphs` of the report.
    #[must_use]
    pub fn json(&self) -> Value {
        let Knowledge { identities, root, ports } = self.knowledge;
        let told = [(identities, "identities"), (root, "root"), (ports, "ports")];
        let told: Vec<_> = told.into_iter().filter(|(uses, _)| *uses).map(|(_, name)| name).collect();
        json!({"kind": self.census.to_string(), "count": self.count, "failing": self.failing, "told_apart_by": told})
    }
}
