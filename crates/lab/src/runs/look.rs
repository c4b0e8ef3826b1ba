//! What a page is told of an algorithm: its card, its graph, its variables, what each choice would do.

use crate::runs::setup::{Setup, Start, Subject, System, schedulers};
use crate::runs::story::Move;
use ringleader_catalog::Catalog;
use ringleader_erased::{Card, Kind, Number, Parameter, ParameterKind, Topology};
use ringleader_model::trace::Actor;
use ringleader_model::{
    Chain, Domain, Goal, Marks, Name, Odometer, Population as _, Ring as _, Safety, Scheduler, Shape, Stabilizing,
    Told, Variables, View, Visitor,
};
use serde_json::{Value, json};

/// The marks in the order of their bits, as pages know them.
pub(crate) const MARKS: [(Marks, &str, &str); 10] = [
    (Marks::LEADER, "leader", "leader"),
    (Marks::TOKEN, "token", "token"),
    (Marks::BULLET, "bullet", "live bullet"),
    (Marks::DUMMY, "dummy", "dummy bullet"),
    (Marks::SHIELD, "shield", "shield"),
    (Marks::SIGNAL, "signal", "signal"),
    (Marks::ACTIVE, "active", "active"),
    (Marks::PASSIVE, "passive", "passive"),
    (Marks::BEGINNER, "beginner", "candidate"),
    (Marks::PROBE, "probe", "probe"),
];

/// Marks as bits.
pub(crate) fn bits(marks: Marks) -> u16 {
    MARKS.iter().enumerate().fold(0, |bits, (i, (mark, ..))| bits | u16::from(marks.contains(*mark)) << i)
}

/// A state as text.
pub(crate) fn text(subject: &Subject, state: u64) -> String {
    match &subject.system {
        System::Population(instance, _) => instance.text(state),
        System::Ring(instance) => instance.text(state),
        System::Message(_) => String::new(),
    }
}

/// Whether a configuration is correct now, and whether it is in the algorithm's safe set.
pub(crate) fn judged(subject: &Subject, states: &[Number]) -> (bool, bool) {
    match &subject.system {
        System::Population(instance, _) => (instance.correct(states), instance.safe(states)),
        System::Ring(instance) => (instance.correct(states), instance.safe(states)),
        System::Message(_) => (false, false),
    }
}

/// All algorithms, for a list to choose from.
pub(crate) fn cards(catalog: &Catalog) -> Value {
    let one = |card: &'static Card| {
        let runnable = catalog.why_absent(card.name).is_none();
        json!({
            "name": card.name, "summary": card.summary, "family": family(card.kind), "topology": card.topology.describe(),
            "size": card.default_size, "flawed": card.flaw.is_some(), "runnable": runnable,
        })
    };
    let marks: Vec<_> = MARKS.iter().map(|(_, name, meaning)| json!({"name": name, "meaning": meaning})).collect();
    json!({"cards": catalog.cards().map(one).collect::<Vec<_>>(), "marks": marks})
}

fn family(kind: Kind) -> &'static str {
    match kind {
        Kind::Population => "population protocols",
        Kind::Ring => "rings of processes",
        Kind::Message => "message passing",
        Kind::Robust => "crash-prone networks",
    }
}

/// Everything a page shows of an algorithm besides its run.
pub(crate) fn subject(setup: &Setup, subject: &Subject) -> Value {
    let Subject { card, parameters, .. } = subject;
    let (goal, safety, safe_set, states) = match &subject.system {
        System::Population(i, _) => (i.goal().describe(), i.safety(), i.safe_set(), Some(i.states())),
        System::Ring(i) => (i.goal().describe(), i.safety(), i.safe_set(), Some(i.states())),
        System::Message(_) => (Goal::OneLeader.describe(), Safety::Unknown, String::new(), None),
    };
    json!({
        "name": card.name, "summary": card.summary, "citation": card.citation, "rules": card.rules.trim_end(),
        "claim": card.claim, "assumes": card.assumes, "knowledge": card.knowledge, "sizes": card.sizes,
        "flaw": card.flaw, "family": family(card.kind), "kind": kind(card.kind), "shade": parameters.layers.shade(card),
        "topology": parameters.layers.topology(card).describe(), "any_graph": parameters.layers.topology(card) == Topology::Any, "size": parameters.size,
        "parameters": takes(setup, subject), "scheduler": subject.scheduler.name(),
        "schedulers": schedulers(card.kind).iter().map(|s| json!([s.name(), s.describe()])).collect::<Vec<_>>(),
        "claimed": checked_under(subject).name(),
        "oracle": parameters.layers.oracle(card), "goal": goal, "safe_set": safe_set,
        "safety": match safety { Safety::ForEver => "ever", Safety::ForLong => "long", Safety::Unknown => "unknown" },
        "states": states, "variables": variables(subject), "graph": graph(subject),
        "beyond_claim": subject.beyond_claim, "channels": subject.channels.name(), "command": command(setup, subject),
    })
}

/// Under which schedules a check is asked for unless told otherwise.
pub(crate) fn checked_under(subject: &Subject) -> Scheduler {
    let layers = subject.parameters.layers;
    if layers.alternator { Scheduler::Unfair } else { layers.scheduler(&subject.card) }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Population => "population",
        Kind::Ring => "ring",
        Kind::Message => "message",
        Kind::Robust => "robust",
    }
}

/// The parameters that it takes, with what they are.
fn takes(setup: &Setup, subject: &Subject) -> Vec<Value> {
    let one = |p: &Parameter| {
        let choices: &[&str] = match p.kind {
            ParameterKind::Choice(words) => words,
            ParameterKind::Switch => &["no", "yes"],
            _ => &[],
        };
        let given = setup.parameters.get(p.name);
        json!({"name": p.name, "meaning": p.meaning, "default": p.default, "choices": choices, "given": given})
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
    match &subject.system {
        System::Population(instance, _) => instance.variables(&mut Number(0), &mut listing),
        System::Ring(instance) => instance.variables(&mut Number(0), &mut listing),
        System::Message(_) => {}
    }
    listing.0
}

/// How the agents are connected, and where a click makes a step.
fn graph(subject: &Subject) -> Value {
    let size = subject.parameters.size;
    match &subject.system {
        System::Population(_, graph) => json!({
            "shape": graph.shape().to_string(), "size": size, "steps": "arc",
            // All pairs are no news.
            "arcs": if graph.has_shape(Shape::Complete) && size > 5 { Value::Null } else { json!(graph.arcs()) },
        }),
        System::Ring(instance) => {
            let line = instance.chain() == Chain::Line;
            let both = instance.reads() == ringleader_model::Reads::BothSides;
            let last = if line { size - 1 } else { size };
            let arcs: Vec<_> = (0..last).map(|i| (i, (i + 1) % size)).collect();
            json!({"shape": if line { "line" } else { "ring" }, "size": size, "steps": "process", "arcs": arcs, "both": both})
        }
        System::Message(algorithm) => {
            let network = algorithm.subject().network();
            json!({"shape": "ring", "size": network.size(), "steps": "message", "arcs": []})
        }
    }
}

/// The command that shows the same run in a terminal, if nobody has steered it.
fn command(setup: &Setup, subject: &Subject) -> String {
    let name = if setup.text.is_some() { "FILE.ring" } else { subject.card.name };
    let mut command = format!("ringleader elect {name} --size {} --seed {}", subject.parameters.size, setup.seed);
    let layers = subject.parameters.layers;
    for (name, value) in setup.parameters.iter().filter(|(name, _)| name.as_str() != "layers") {
        command += &format!(" --{name} {value}");
    }
    if setup.graph.is_some() {
        command += " --graph FILE";
    }
    if layers.undirected {
        command += " --undirected";
    }
    if layers.alternator {
        command += " --alternator";
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
        Start::Named(start) if start != "arbitrary" && !matches!(subject.system, System::Message(_)) => {
            command += &format!(" --start {start}");
        }
        Start::Given(_) => command += " --start FILE",
        Start::Named(_) => {}
    }
    if subject.card.flaw.is_some() {
        command += " --allow-flawed";
    }
    command
}

/// So many choices are described, at most.
const MOST_CHOICES: usize = 400;

/// What each choice would do: who, which rules, what changes, and with what odds.
pub(crate) fn choices(subject: &Subject, states: &[Number]) -> Vec<Value> {
    let mut found = vec![];
    let mut tell = |actor: Actor, coin: &Odometer, after: Vec<(usize, u64)>| {
        let changes: Vec<_> = after.into_iter().filter(|&(i, state)| states[i].0 != state).collect();
        let texts: Vec<_> = changes.iter().map(|&(i, state)| json!([i, state, text(subject, state)])).collect();
        found.push(json!({
            "step": Move::of(&actor, None, &coin.draws()), "rules": coin.rules(), "changes": texts, "odds": coin.outcomes(),
            "active": !changes.is_empty(),
        }));
    };
    match &subject.system {
        System::Population(instance, graph) => {
            let told = Told::both(states.iter().any(|s| instance.marks(s).leader()));
            for &(u, v) in graph.arcs().iter().take(MOST_CHOICES) {
                let (u, v) = (u as usize, v as usize);
                Odometer::each(|coin| {
                    if let Ok((a, b)) = instance.try_interact(states[u].0, states[v].0, told, coin) {
                        tell(Actor::Arc(u, v), coin, vec![(u, a), (v, b)]);
                    }
                });
            }
        }
        System::Ring(instance) => {
            for i in 0..states.len().min(MOST_CHOICES) {
                let view = View::of(states, i, instance.chain()).map(|state| state.0);
                Odometer::each(|coin| {
                    if let Ok(after) = instance.try_act(view, coin) {
                        tell(Actor::Process(i), coin, vec![(i, after)]);
                    }
                });
            }
        }
        System::Message(_) => {}
    }
    found
}
