//! Determines the model of a file, and reports items that do not belong to it.

use crate::diagnostic::{Diagnostic, Span};
use crate::meaning::typed::Model;
use crate::near::nearest;
use crate::syntax::ast::{self, File};
use ringleader_erased::Topology;
use ringleader_model::{Chain, Channels, Reads};

/// One of several words, or an error.
pub(crate) fn choose<T: Copy>(name: &ast::Name, known: &[(&str, T)], problems: &mut Vec<Diagnostic>) -> Option<T> {
    let found = known.iter().find(|(word, _)| *word == name.it).map(|(_, value)| *value);
    if found.is_none() {
        let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
        let problem = Diagnostic::error(name.span.clone(), format!("`{}` is not one of {}", name.it, words.join(", ")));
        problems.push(match nearest(&name.it, words.iter().copied()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem,
        });
    }
    found
}

/// The model of a file and its graph; `None` if the model is unknown.
pub(crate) fn model(file: &File, problems: &mut Vec<Diagnostic>) -> Option<(Model, Topology)> {
    let population = (Model::Population { hears: file.oracle.is_some() }, Topology::DirectedRing);
    if let Some(oracle) = &file.oracle {
        choose(oracle, &[("leader-detector", ())], problems);
    }
    let Some((model, on)) = &file.model else {
        let problem = Diagnostic::error(file.place(), "the file has no `model` line");
        problems.push(problem.help(
            "add `model population on directed-ring`, `model ring`, `model line`, `model graph` or `model messages on bidirectional-ring`",
        ));
        return Some(population);
    };
    let kinds = [("population", 0), ("ring", 1), ("line", 2), ("messages", 3), ("graph", 4)];
    let kind = choose(model, &kinds, problems)?;
    let reads =
        file.reads.as_ref().and_then(|r| choose(r, &[("left", Reads::Left), ("both", Reads::BothSides)], problems));
    let reads = reads.unwrap_or(Reads::Left);
    let graphs: &[(&str, Topology)] = match kind {
        0 => &[
            ("directed-ring", Topology::DirectedRing),
            ("undirected-ring", Topology::UndirectedRing),
            ("complete", Topology::Complete),
            ("graph", Topology::Any),
        ],
        3 => &[
            ("bidirectional-ring", Topology::BidirectionalRing),
            ("unidirectional-ring", Topology::UnidirectionalRing),
        ],
        4 => &[("tree", Topology::Tree)],
        _ => &[],
    };
    let graph = match (on, kind) {
        (None, 1) if reads == Reads::BothSides => Some(Topology::BidirectionalRing),
        (None, 1) => Some(Topology::DirectedRing),
        (None, 2) => Some(Topology::Line),
        (None, 4) => Some(Topology::Any),
        (None, _) => {
            let words: Vec<_> = graphs.iter().map(|(word, _)| *word).collect();
            let problem = Diagnostic::error(model.span.clone(), "the graph is missing");
            problems.push(problem.help(format!("add `on` and one of {}", words.join(", "))));
            None
        }
        (Some(on), 1 | 2) => {
            problems.push(
                Diagnostic::error(on.span.clone(), format!("`model {}` takes no graph", model.it))
                    .help("remove `on` and the graph"),
            );
            None
        }
        (Some(on), _) => choose(on, graphs, problems),
    };
    let graph = graph.unwrap_or(Topology::DirectedRing);
    let channels =
        file.channels.as_ref().and_then(|c| choose(c, &[("bag", Channels::Bag), ("fifo", Channels::Fifo)], problems));
    let model = match kind {
        0 => population.0,
        1 => Model::Ring { chain: Chain::Ring, reads },
        2 => Model::Ring { chain: Chain::Line, reads },
        4 => Model::Graph { identities: file.identities.is_some() },
        _ => Model::Message {
            bidirectional: graph == Topology::BidirectionalRing,
            channels: channels.unwrap_or(Channels::Bag),
            identities: file.identities.is_some(),
        },
    };
    misplaced(file, kind, problems);
    Some((model, graph))
}

/// Items that belong to another model.
fn misplaced(file: &File, kind: usize, problems: &mut Vec<Diagnostic>) {
    let mut wrong = |span: Option<Span>, what: &str, models: &[usize], whose: &str| {
        if let Some(span) = span.filter(|_| !models.contains(&kind)) {
            problems.push(Diagnostic::error(span, format!("`{what}` is only for {whose}")).help("remove it"));
        }
    };
    let span = |name: &Option<ast::Name>| name.as_ref().map(|name| name.span.clone());
    wrong(span(&file.reads), "reads", &[1, 2], "rings and lines of processes");
    wrong(span(&file.oracle), "oracle", &[0], "population protocols");
    wrong(file.roles.as_ref().map(|(l, _)| l.span.clone()), "agents", &[0], "population protocols");
    wrong(span(&file.channels), "channels", &[3], "message passing");
    wrong(file.identities.clone(), "identities", &[3, 4], "message passing and graphs of processes");
    wrong(file.messages.first().map(|m| m.name.span.clone()), "message", &[3], "message passing");
    wrong(file.handlers.first().map(|h| h.event.span.clone()), "on", &[3], "message passing");
    wrong(file.cut_off.as_ref().map(|c| c.span.clone()), "cut off", &[3], "message passing");
    let rule = file.groups.iter().flat_map(|g| &g.rules).next().map(|rule| rule.span.clone());
    wrong(rule, "a rule", &[0, 1, 2, 4], "populations and rings; put the actions of a process below `on`");
    let stabilizing = [0, 1, 2, 4];
    wrong(file.goal.as_ref().map(|g| g.span.clone()), "goal", &stabilizing, "self-stabilizing protocols");
    wrong(file.closed.first().map(|c| c.name.span.clone()), "closed", &stabilizing, "self-stabilizing protocols");
    wrong(file.safe.as_ref().map(|s| s.holds.span.clone()), "safe", &stabilizing, "self-stabilizing protocols");
    wrong(file.given.first().map(|g| g.variable.span.clone()), "given", &stabilizing, "self-stabilizing protocols");
}
