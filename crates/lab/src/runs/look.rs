//! The description of an algorithm for a page: its card, graph and variables, and the effect of each choice.

use crate::runs::setup::{AskedStart, Runnable, Setup, Subject, USUAL};
use crate::runs::story::Move;
use ringleader_catalog::Catalog;
use ringleader_erased::{Card, Kind, Number, Parameter, ParameterKind, RingInstance, Topology};
use ringleader_model::graph::Family;
use ringleader_model::trace::{Actor, Script};
use ringleader_model::{
    Chain, Domain, Goal, Graph, Name, Networked as _, Odometer, Place, Population as _, Ring as _, Safety, Scheduler,
    Shape, Terminating as _, Told, View, Visitor, shell_word,
};
use ringleader_report::spacetime::network::Stage;
use ringleader_simulate::{Oracle, schedulers};
use serde::Serialize;
use serde_json::{Value, json};

/// All algorithms, for a list to choose from.
pub(crate) fn cards(catalog: &Catalog) -> Value {
    let one = |card: &'static Card| {
        let runnable = catalog.why_absent(card.name).is_none();
        json!({
            "name": card.name, "summary": card.summary, "family": family(card.kind), "topology": card.topology.describe(),
            "size": card.default_size, "flawed": card.flaw.is_some(), "runnable": runnable,
        })
    };
    json!({"cards": catalog.cards().map(one).collect::<Vec<_>>()})
}

fn family(kind: Kind) -> &'static str {
    match kind {
        Kind::Population => "population protocols",
        Kind::Ring => "rings of processes",
        Kind::Graph => "graphs of processes",
        Kind::Message => "message passing",
        Kind::Robust => "crash-prone networks",
    }
}

/// The description of an algorithm.
pub(crate) fn subject(setup: &Setup, subject: &Subject) -> Value {
    let Subject { card, parameters, .. } = subject;
    let algorithm = subject.stabilizing();
    let goal = algorithm.map_or(Goal::OneLeader, |algorithm| algorithm.goal());
    let about = match goal {
        Goal::OneLeader => "leader",
        Goal::OneToken => "token",
        Goal::Agreement => "agreement",
        Goal::Holds(_) => "condition",
    };
    let safety = algorithm.map_or(Safety::Unknown, |algorithm| algorithm.safety());
    json!({
        "name": card.name, "summary": card.summary, "citation": card.citation, "rules": card.rules.trim_end(),
        "claim": card.claim, "assumes": card.assumes, "knowledge": card.knowledge, "sizes": card.sizes,
        "flaw": card.flaw, "family": family(card.kind), "kind": kind(card.kind), "shade": parameters.layers.shade(card),
        "topology": parameters.layers.topology(card).describe(), "any_graph": matches!(subject.runnable, Runnable::Graph(..)) || parameters.layers.topology(card) == Topology::Any, "size": parameters.size,
        "parameters": takes(setup, subject), "scheduler": subject.scheduler.name(),
        "schedulers": schedulers(card.kind).iter().map(|s| json!([s.name(), s.describe()])).collect::<Vec<_>>(),
        "claimed": checked_under(subject).name(),
        "oracle": parameters.layers.oracle(card), "truthful": subject.oracle == Oracle::Perfect, "goal": goal.describe(), "about": about, "safe_set": algorithm.map_or(String::new(), |algorithm| algorithm.safe_set()),
        "safety": match safety { Safety::ForEver => "ever", Safety::ForLong => "long", Safety::Unknown => "unknown" },
        "states": subject.states(), "variables": variables(subject), "graph": graph(subject),
        "beyond_claim": subject.beyond_claim, "own": setup.text.is_some(), "own_start": subject.own_start(), "channels": subject.channels.name(), "command": command(setup, subject),
    })
}

/// The scheduler of a check for which no other is chosen.
pub(crate) fn checked_under(subject: &Subject) -> Scheduler {
    subject.parameters.layers.checked_under(&subject.card)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Population => "population",
        Kind::Ring => "ring",
        Kind::Graph => "graph",
        Kind::Message => "message",
        Kind::Robust => "robust",
    }
}

/// The parameters of the algorithm.
fn takes(setup: &Setup, subject: &Subject) -> Vec<Value> {
    let one = |p: &Parameter| {
        let choices: &[&str] = match p.kind {
            ParameterKind::Choice(words) => words,
            ParameterKind::Switch => &["no", "yes"],
            _ => &[],
        };
        let given = setup.parameters.get(p.name);
        // The seed decides identities that are not given.
        let drawn = subject.parameters.word(p.name).filter(|_| p.kind == ParameterKind::Identities && given.is_none());
        let default = if drawn.is_some() { "drawn by the seed" } else { p.default };
        json!({"name": p.name, "meaning": p.meaning, "default": default, "choices": choices, "given": given, "drawn": drawn})
    };
    let layers = subject.parameters.layers;
    subject.card.parameters.iter().chain(layers.parameters()).map(one).collect()
}

struct Listing(Vec<Value>);

impl Visitor for Listing {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        let words: Vec<&str> = if let Domain::Symbols(words) = domain { words.to_vec() } else { vec![] };
        let listed = json!({"name": name.to_string(), "low": domain.low(), "high": domain.high(), "words": words});
        self.0.push(listed);
        value
    }
}

/// The variables of a state, with their domains.
fn variables(subject: &Subject) -> Vec<Value> {
    let mut listing = Listing(vec![]);
    if let Some(algorithm) = subject.stabilizing() {
        algorithm.variables(&mut Number(0), &mut listing);
    }
    listing.0
}

/// The graph, and the elements on which a click makes a step.
fn graph(subject: &Subject) -> Value {
    let size = subject.parameters.size;
    match &subject.runnable {
        Runnable::Population(_, graph) => json!({
            "shape": graph.shape().to_string(), "size": size, "steps": "arc",
            // The page knows the arcs of a complete graph.
            "arcs": if graph.has_shape(Shape::Complete) && size > 5 { Value::Null } else { json!(graph.arcs()) },
            "places": places(graph),
        }),
        Runnable::Ring(instance) => {
            let line = instance.chain() == Chain::Line;
            let both = instance.reads() == ringleader_model::Reads::BothSides;
            let last = if line { size - 1 } else { size };
            let arcs: Vec<_> = (0..last).map(|i| (i, (i + 1) % size)).collect();
            json!({"shape": if line { "line" } else { "ring" }, "size": size, "steps": "process", "arcs": arcs, "both": both,
                "bottom": tells_places_apart(instance)})
        }
        Runnable::Graph(instance, graph) => {
            let neighbours: Vec<_> = (0..size).map(|process| instance.neighbours().of(process)).collect();
            let (shape, knowledge) = (graph.shape().to_string(), instance.knowledge());
            json!({"shape": shape, "size": size, "steps": "process", "neighbours": neighbours, "places": places(graph),
                "pointers": instance.pointers(), "root": knowledge.root, "identities": knowledge.identities})
        }
        Runnable::Message(algorithm) => {
            let network = algorithm.network();
            json!({"shape": "ring", "size": network.size(), "steps": "message", "arcs": [], "both": subject.card.topology != Topology::UnidirectionalRing})
        }
    }
}

/// The most processes and edges of a graph for which places are computed; others stand on a circle.
const MOST_PLACED: (usize, usize) = (300, 1500);

/// The places of the vertices of a graph in the unit square, for a graph that is neither a ring nor complete.
fn places(graph: &Graph) -> Option<Vec<(f64, f64)>> {
    let (size, edges) = MOST_PLACED;
    let few = graph.size() <= size && graph.arcs().len() <= 2 * edges;
    let stage = (graph.shape() == Shape::Other && few).then(|| Stage::new(&graph.neighbours()))?;
    let short = |value: f32| f64::from((value * 1e4).round()) / 1e4;
    Some(stage.places.iter().map(|&(x, y)| (short(x), short(y))).collect())
}

/// The most values of each of three neighbours that are tried.
const TRIED: u64 = 12;

/// Whether some process follows other rules than its neighbours in the same states: the bottom, or the top.
fn tells_places_apart(instance: &RingInstance) -> bool {
    let values = || 0..instance.states().min(TRIED);
    let act = |at: Place, left, own, right| {
        let mut coin = Script::new(&[]);
        instance.try_act(View { at, left, own, right }, &mut coin).map(|state| (state, coin.rules)).ok()
    };
    values().any(|left| {
        values().any(|own| {
            values().any(|right| {
                let other = act(Place::Other, left, own, right);
                [Place::Bottom, Place::Top].into_iter().any(|at| act(at, left, own, right) != other)
            })
        })
    })
}

/// The command that shows the same run in a terminal, before the viewer steers it.
fn command(setup: &Setup, subject: &Subject) -> String {
    let name = if setup.text.is_some() { "FILE.ring" } else { subject.card.name };
    let mut command = format!("ringleader elect {name} --size {} --seed {}", subject.parameters.size, setup.seed);
    let layers = subject.parameters.layers;
    for (name, value) in setup.parameters.iter().filter(|(name, _)| name.as_str() != "layers") {
        command += &format!(" --{name} {}", shell_word(value));
    }
    if let Some(graph) = &setup.graph {
        let named = graph.trim().parse::<Family>().is_ok();
        command += &format!(" --graph {}", if named { graph.trim() } else { "FILE" });
    }
    if layers.undirected {
        command += " --undirected";
    }
    if layers.alternator {
        command += " --alternator";
    }
    if layers.read_write {
        command += " --atomicity read-write";
    }
    if let Some(layer) = layers.detector {
        command += &format!(" --oracle {}", layer.layer());
    }
    if let Some(oracle) = &setup.oracle {
        command += &format!(" --oracle {oracle}");
    }
    if subject.scheduler != layers.scheduler(&subject.card) {
        command += &format!(" --scheduler {}", subject.scheduler);
    }
    match &setup.start {
        AskedStart::Named(start)
            if start != USUAL
                && (start != "arbitrary" || subject.own_start().is_some())
                && !matches!(subject.runnable, Runnable::Message(_)) =>
        {
            command += &format!(" --start {}", shell_word(start));
        }
        AskedStart::Given(_) => command += " --start FILE",
        AskedStart::Named(_) => {}
    }
    if subject.card.flaw.is_some() {
        command += " --allow-flawed";
    }
    command
}

/// The most choices that are described.
const MOST_CHOICES: usize = 400;

/// A possible next step, and its effect.
#[derive(Debug, Serialize)]
pub(crate) struct PossibleStep {
    step: Move,
    rules: Vec<u8>,
    /// Each agent that changes, with its new state and the text of that.
    changes: Vec<(usize, u64, String)>,
    /// One in `odds` outcomes of the coins has this effect.
    odds: u64,
    active: bool,
    /// The facts about the configuration after the step, where the checker knows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub there: Option<Value>,
    /// Whether the step lowers the measures of a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowers: Option<bool>,
}

impl PossibleStep {
    /// The configuration after the step.
    pub(crate) fn after(&self, states: &[Number]) -> Vec<Number> {
        let mut after = states.to_vec();
        for &(agent, state, _) in &self.changes {
            after[agent] = Number(state);
        }
        after
    }
}

/// The possible next steps.
pub(crate) fn choices(subject: &Subject, states: &[Number], told: Option<(bool, bool)>) -> Vec<PossibleStep> {
    let mut found = vec![];
    let mut describe = |actor: Actor, coin: &Odometer, after: Vec<(usize, u64)>| {
        let changes = after.into_iter().filter(|&(i, state)| states[i].0 != state);
        let changes: Vec<_> = changes.map(|(i, state)| (i, state, subject.text(state))).collect();
        found.push(PossibleStep {
            step: Move::of(&actor, told, &coin.draws()),
            rules: coin.rules().to_vec(),
            odds: coin.outcomes(),
            active: !changes.is_empty(),
            changes,
            there: None,
            lowers: None,
        });
    };
    outcomes(subject, states, told, |actor, coin, after| describe(actor, coin, after.to_vec()));
    found
}

/// Visits every outcome of the next steps, each with the agents that take part and their new states. `told` is the answer of the oracle to
/// the two agents; without it, the truth.
pub(crate) fn outcomes(
    subject: &Subject,
    states: &[Number],
    told: Option<(bool, bool)>,
    mut visit: impl FnMut(Actor, &Odometer, &[(usize, u64)]),
) {
    match &subject.runnable {
        Runnable::Population(instance, graph) => {
            let truth = states.iter().any(|s| instance.marks(s).leader());
            let told = told.map_or(Told::both(truth), |(initiator, responder)| Told::each(initiator, responder));
            for &(u, v) in graph.arcs().iter().take(MOST_CHOICES) {
                let (u, v) = (u as usize, v as usize);
                Odometer::each(|coin| {
                    if let Ok((a, b)) = instance.try_interact(states[u].0, states[v].0, told, coin) {
                        visit(Actor::Arc(u, v), coin, &[(u, a), (v, b)]);
                    }
                });
            }
        }
        Runnable::Ring(instance) => {
            for i in 0..states.len().min(MOST_CHOICES) {
                let view = View::of(states, i, instance.chain()).map(|state| state.0);
                Odometer::each(|coin| {
                    if let Ok(after) = instance.try_act(view, coin) {
                        visit(Actor::Process(i), coin, &[(i, after)]);
                    }
                });
            }
        }
        Runnable::Graph(instance, _) => {
            for i in 0..states.len().min(MOST_CHOICES) {
                let read = instance.read(i, states);
                Odometer::each(|coin| {
                    if let Ok(after) = instance.try_act(i, &read, coin) {
                        visit(Actor::Process(i), coin, &[(i, after)]);
                    }
                });
            }
        }
        Runnable::Message(_) => {}
    }
}
