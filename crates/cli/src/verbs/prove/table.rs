//! An algorithm as the table of moves that a proof is about.

use crate::terminal::exit::Failure;
use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Card, Kind, Number, Parameters, PopulationInstance, RingInstance, Topology};
use ringleader_model::{
    Chain, Domain, Goal, Name, Odometer, Place as At, Population, Reads, Ring, Stabilizing, Told, Variables, View,
    Visitor,
};
use ringleader_verify::{Cell, Goal as Promise, Mark, Move, Place, Possible, Rules, Sizes, State, Variable, Window};

/// The table of an algorithm, if its local states and rules are the same at every one of the sizes.
pub(super) fn rules(catalog: &Catalog, card: &Card, parameters: &Parameters, sizes: &Sizes) -> Result<Rules, Failure> {
    if sizes.from < 3 {
        return Err(Failure::usage("proofs are about rings of at least 3: smaller ones are for `check`"));
    }
    if matches!(card.kind, Kind::Message | Kind::Robust) {
        return Err(Failure::usage(format!(
            "proofs are about population protocols and rings of processes that read their neighbours; {} passes messages",
            card.name
        )));
    }
    let topology = parameters.layers.topology(card);
    use Topology::{BidirectionalRing, DirectedRing, Line, UndirectedRing};
    if !matches!(topology, DirectedRing | UndirectedRing | BidirectionalRing | Line) {
        return Err(Failure::usage(format!(
            "proofs are about rings, lines and complete graphs; this is for: {}",
            topology.describe()
        )));
    }
    constant(catalog, card, parameters, sizes)
}

/// The table of a population protocol on complete graphs.
pub(super) fn meetings(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<Rules, Failure> {
    if parameters.size < 2 {
        return Err(Failure::usage("it takes two agents to meet: proofs about complete graphs begin at 2"));
    }
    match parameters.layers.topology(card) {
        Topology::Complete => constant(catalog, card, parameters, &Sizes::from(parameters.size)),
        other => {
            Err(Failure::usage(format!("{} is about a {}, not about complete graphs", card.name, other.describe())))
        }
    }
}

/// The table at the least size, which must be that at every other. A text that speaks of n is refused, however alike its tables are;
/// of a program only its tables can be asked, and they are at as many sizes as take no time.
fn constant(catalog: &Catalog, card: &Card, parameters: &Parameters, sizes: &Sizes) -> Result<Rules, Failure> {
    let text = catalog.protocol(card.name);
    let one_rule = text.is_some_and(|text| text.promises_one_rule());
    let mut first = true;
    let mut at = |size: usize| -> Result<Rules, Failure> {
        let thorough = std::mem::take(&mut first);
        match catalog.instance(card.name, &parameters.resized(size))? {
            Instance::Population(algorithm) => {
                let mut rules = population(&algorithm, size)?;
                if thorough {
                    given_one_by_one(&algorithm, algorithm.states(), size, &rules.possible)?;
                }
                if parameters.layers.topology(card) == Topology::UndirectedRing {
                    rules.moves = rules.moves.iter().flat_map(|m| [*m, mirrored(m)]).collect();
                }
                Ok(rules)
            }
            Instance::Ring(algorithm) => {
                let rules = ring(&algorithm, size, one_rule)?;
                if thorough {
                    given_one_by_one(&algorithm, algorithm.states(), size, &rules.possible)?;
                }
                Ok(rules)
            }
            _ => Err(Failure::usage("proofs are about population protocols and rings of processes")),
        }
    };
    let depends = |what: String| {
        let reason = "and a proof speaks of all sizes at once; `check` takes one size at a time";
        Failure::usage(format!("{}: {what}, {reason}", card.name))
    };
    if !(1..=64).contains(&sizes.modulus) {
        return Err(Failure::usage("sizes are told apart by numbers up to 64"));
    }
    if let Some((line, said)) = text.and_then(|text| text.mention_of_size(parameters)) {
        return Err(depends(format!("its states, rules or marks speak of n (line {line}: {said})")));
    }
    if let Some((line, said)) = text.and_then(|text| text.irregular_sizes()) {
        return Err(depends(format!("it is not for every size (line {line}: {said})")));
    }
    // Remainders by numbers up to 64 are the same again after so many sizes.
    for size in (sizes.from..sizes.from + 64 * 64).filter(|n| text.is_some() && sizes.contains(*n)) {
        if let Some(Err(refusal)) = text.map(|text| text.allows(&parameters.resized(size))) {
            return Err(refusal.into());
        }
    }
    let mut spoken = (sizes.from..sizes.from + 64 * (COMPARED + 1)).filter(|n| sizes.contains(*n));
    let least = spoken.next().ok_or_else(|| Failure::usage("no size is spoken of"))?;
    let found = at(least)?;
    let more = if found.moves.len() > LARGE { 1 } else { COMPARED - 1 };
    for size in spoken.take(more) {
        if at(size)? != found {
            return Err(depends(format!("its states or rules are not the same with {least} agents and with {size}")));
        }
    }
    Ok(found)
}

/// The same interaction with the responder to the left: on an undirected ring either neighbour may be met.
fn mirrored(interaction: &Move) -> Move {
    Move { left: interaction.right, right: None, ..*interaction }
}

/// Refuses an algorithm of which two agents can do more when they are told different things than when they are told the same: a table
/// tells both the same, and a detector that lies may not.
pub(super) fn told_alike(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<(), Failure> {
    let Instance::Population(algorithm) = catalog.instance(card.name, parameters)? else { return Ok(()) };
    let states = algorithm.states();
    let outcomes = |u: u64, v: u64, told: [Told; 2]| {
        let mut found = std::collections::BTreeSet::new();
        for told in told {
            Odometer::each(|coin| found.extend(algorithm.try_interact(u, v, told, coin).ok()));
        }
        found
    };
    let alike = |(u, v): (u64, u64)| {
        let mixed = outcomes(u, v, [Told::each(false, true), Told::each(true, false)]);
        mixed.is_subset(&outcomes(u, v, [Told::both(false), Told::both(true)]))
    };
    if (0..states).flat_map(|u| (0..states).map(move |v| (u, v))).all(alike) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: two agents that are told different things do what neither answer alone makes them do; proofs with a detector that may \
         lie are not for such",
        card.name
    )))
}

/// Tables are compared at so many sizes, unless they have more moves than this.
const COMPARED: usize = 24;
const LARGE: usize = 20_000;

const PLACES: [(At, Place); 3] = [(At::Bottom, Place::Bottom), (At::Other, Place::Middle), (At::Top, Place::Top)];

fn few<A: Stabilizing<State = Number>>(
    states: u64,
    size: usize,
    algorithm: &A,
) -> Result<(Vec<Variable>, Possible), Failure> {
    if states > 255 {
        return Err(Failure::usage(format!("{states} local states are too many for a proof: at most 255")));
    }
    Ok((variables(states, algorithm), possible(states, size, algorithm)))
}

/// The variables with their value in each state; those that take one value say nothing.
fn variables<A: Variables<State = Number>>(states: u64, algorithm: &A) -> Vec<Variable> {
    struct Look(Vec<(String, u64, u64)>);
    impl Visitor for Look {
        fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
            let name: String = name.to_string().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            self.0.push((name, domain.len().unwrap_or(0), value - domain.low()));
            value
        }
    }
    let look = |state: u64| {
        let mut look = Look(vec![]);
        algorithm.variables(&mut Number(state), &mut look);
        look.0
    };
    let mut variables: Vec<Variable> =
        look(0).into_iter().map(|(name, size, _)| Variable { name, size: size as u8, values: vec![] }).collect();
    for state in 0..states {
        for (variable, (_, _, value)) in variables.iter_mut().zip(look(state)) {
            variable.values.push(value as u8);
        }
    }
    variables.retain(|variable| variable.size >= 2);
    variables
}

/// The states that no fault is ruled out to bring about, at each place.
fn possible<A: Stabilizing<State = Number>>(states: u64, size: usize, algorithm: &A) -> Possible {
    let kept = |state: u64, agent: usize| {
        let mut configuration = vec![Number(state); size];
        algorithm.restore(&mut configuration);
        configuration[agent] == Number(state)
    };
    let at = |agent: usize| (0..states).filter(|&state| kept(state, agent)).map(|state| state as State).collect();
    Possible { bottom: at(0), middle: at(1), top: at(size - 1) }
}

/// Refuses what is given of all agents together, such as that some agent has a token: no list of possible states says that.
fn given_one_by_one<A: Stabilizing<State = Number>>(
    algorithm: &A,
    states: u64,
    size: usize,
    possible: &Possible,
) -> Result<(), Failure> {
    let one_by_one = |number: u64| {
        let configuration: Vec<_> = (0..size as u32).map(|i| Number(number / states.pow(i) % states)).collect();
        let mut restored = configuration.clone();
        algorithm.restore(&mut restored);
        let fits = |i: usize| possible.at(Place::of(i, size)).contains(&(configuration[i].0 as State));
        (restored == configuration) == (0..size).all(fits)
    };
    let all = states.checked_pow(size as u32).filter(|all| *all <= MOST);
    match (0..all.unwrap_or(0)).all(one_by_one) {
        true => Ok(()),
        false => Err(Failure::usage(
            "what is given speaks of several agents together; in a proof each place has its own list of possible states",
        )),
    }
}

/// More configurations than this are not compared one by one.
const MOST: u64 = 1 << 20;

/// What the goal means in the table, with the mark it speaks of.
fn promise(goal: Goal, windows: impl Fn(bool) -> Vec<Window>) -> Result<(Promise, Vec<Mark>), Failure> {
    let one = |name: &str, stays: bool, windows: Vec<Window>| {
        let goal = Promise::ExactlyOne { of: vec![name.into()], stays };
        (goal, vec![Mark { name: name.into(), windows }])
    };
    match goal {
        Goal::OneLeader => Ok(one("isLeader", true, windows(true))),
        Goal::OneToken => Ok(one("hasToken", false, windows(false))),
        Goal::Agreement | Goal::Holds(_) => Err(Failure::usage(PROMISES)),
    }
}

const PROMISES: &str = "proofs are about exactly one leader, one token, or one rule that may be applied";

/// The names of rules, as they are met.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn number(&mut self, fired: &[u8]) -> usize {
        let numbers: Vec<_> = fired.iter().map(ToString::to_string).collect();
        let name = format!("rule{}", numbers.join("_"));
        self.0.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        })
    }
}

fn population(algorithm: &PopulationInstance, size: usize) -> Result<Rules, Failure> {
    let states = algorithm.states();
    let (variables, possible) = few(states, size, algorithm)?;
    let leads = |state: u64| algorithm.marks_of(state).leader();
    let shown = |leader: bool| {
        let shows = |state: &u64| if leader { leads(*state) } else { algorithm.marks_of(*state).token() };
        (0..states).filter(shows).map(|own| Window { own: Some(own as State), ..Window::default() }).collect()
    };
    let (goal, marks) = promise(algorithm.goal(), shown)?;
    let (mut names, mut moves) = (Names::default(), vec![]);
    for seen in [false, true].into_iter().filter(|seen| *seen || algorithm.hears()) {
        for (u, v) in (0..states).flat_map(|u| (0..states).map(move |v| (u, v))) {
            let mut wrong = None;
            Odometer::each(|coin| match algorithm.try_interact(u, v, Told::both(seen), coin) {
                Ok((a, b)) if (a, b) != (u, v) => moves.push(Move {
                    rule: names.number(coin.rules()),
                    place: None,
                    seen: algorithm.hears().then_some(seen),
                    left: None,
                    own: Cell { before: u as State, after: a as State },
                    right: Some(Cell { before: v as State, after: b as State }),
                }),
                Ok(_) => {}
                Err(error) => wrong = Some(error),
            });
            wrong.map_or(Ok(()), |error| Err(Failure::usage(error)))?;
        }
    }
    let detector = algorithm.hears().then(|| (0..states).filter(|&s| leads(s)).map(|s| s as State).collect());
    let texts = (0..states).map(|state| algorithm.text(state)).collect();
    Ok(Rules { states: texts, variables, marks, rules: names.0, moves: distinct(moves), possible, detector, goal })
}

/// `one_rule`: its goal is that exactly one of its rules may be applied.
fn ring(algorithm: &RingInstance, size: usize, one_rule: bool) -> Result<Rules, Failure> {
    let states = algorithm.states();
    let (variables, possible) = few(states, size, algorithm)?;
    let both = algorithm.reads() == Reads::BothSides;
    // Whom a process at a place sees: at the ends of a line, itself in the place of the neighbour that is not there.
    let sees = |at: At| {
        let line = algorithm.chain() == Chain::Line;
        (!(line && at == At::Bottom), both && !(line && at == At::Top))
    };
    let views = |at: At| {
        let (left, right) = sees(at);
        let range = move |looks: bool| if looks { 0..states } else { 0..1 };
        range(left).flat_map(move |l| {
            (0..states).flat_map(move |own| {
                range(right).map(move |r| View {
                    at,
                    left: if left { l } else { own },
                    own,
                    right: if right { r } else { own },
                })
            })
        })
    };
    let shown = |leader: bool| {
        let mut windows = vec![];
        for (at, place) in PLACES {
            let (left, right) = sees(at);
            for view in views(at) {
                let marks = algorithm.marks_of(view);
                if if leader { marks.leader() } else { marks.token() } {
                    windows.push(Window {
                        place: Some(place),
                        left: left.then_some(view.left as State),
                        own: Some(view.own as State),
                        right: right.then_some(view.right as State),
                    });
                }
            }
        }
        windows
    };
    let (mut names, mut moves) = (Names::default(), vec![]);
    // Whether every rule changes something wherever it may be applied: then its moves say where that is.
    let mut all_move = true;
    for (at, place) in PLACES {
        let (left, right) = sees(at);
        for view in views(at) {
            let same = |state: u64| Cell { before: state as State, after: state as State };
            let mut wrong = None;
            Odometer::each(|coin| match algorithm.try_act(view, coin) {
                Ok(after) if after != view.own => moves.push(Move {
                    rule: names.number(coin.rules()),
                    place: Some(place),
                    seen: None,
                    left: left.then(|| same(view.left)),
                    own: Cell { before: view.own as State, after: after as State },
                    right: right.then(|| same(view.right)),
                }),
                Ok(_) => all_move &= coin.rules().is_empty(),
                Err(error) => wrong = Some(error),
            });
            wrong.map_or(Ok(()), |error| Err(Failure::usage(error)))?;
        }
    }
    let (goal, marks) = match algorithm.goal() {
        Goal::Holds(_) if one_rule && all_move => (Promise::ExactlyOne { of: names.0.clone(), stays: false }, vec![]),
        goal => promise(goal, shown)?,
    };
    let texts = (0..states).map(|state| algorithm.text(state)).collect();
    Ok(Rules {
        states: texts,
        variables,
        marks,
        rules: names.0,
        moves: distinct(moves),
        possible,
        detector: None,
        goal,
    })
}

/// Coins may give the same move twice.
fn distinct(moves: Vec<Move>) -> Vec<Move> {
    let mut seen = std::collections::HashSet::new();
    moves.into_iter().filter(|one| seen.insert(*one)).collect()
}
