//! The rules of an algorithm of the catalog for a proof, if it is suitable, and a check of the sizes below those of the proof.

use crate::claims::values;
use crate::{Catalog, Instance, Placed, stabilizing};
use ringleader_check::{Detector, Level, Monitor, Question};
use ringleader_erased::{Card, Kind, Layers, Parameters, Refusal, Topology};
use ringleader_language::{Protocol, RegularCondition};
use ringleader_model::{Graph, Scheduler};
use ringleader_prove::{Algorithm, LARGEST_FIRST, NoRules, OwnGoal};
use ringleader_simulate::StabilizingInstance;
use ringleader_verify::{Coins, Mark, Rules, Scheduler as Fairness, Sizes, Variable, Window};

/// The schedulers of proofs.
pub const SCHEDULERS: &str = "random, globally-fair, fair (processes, weakly fair), locally-fair (populations), unfair (every central daemon), distributed, synchronous or random-partner";

/// The schedules of a proof under this scheduler. The default is synchronous where the algorithm claims that, otherwise globally fair.
pub fn schedules(card: &Card, scheduler: Option<Scheduler>) -> Result<Fairness, Refusal> {
    match scheduler {
        None if card.scheduler == Scheduler::Synchronous => Ok(Fairness::Synchronous),
        None | Some(Scheduler::Random | Scheduler::GloballyFair) => Ok(Fairness::GloballyFair),
        // Random partners are outcomes of coins in other rules: `ringleader_prove::random_partners`.
        Some(Scheduler::Unfair | Scheduler::RandomPartner) => Ok(Fairness::Unfair),
        Some(Scheduler::Fair) => Ok(Fairness::WeaklyFair),
        Some(Scheduler::LocallyFair) => Ok(Fairness::LocallyFair),
        Some(Scheduler::Distributed) => Ok(Fairness::Distributed),
        Some(Scheduler::Synchronous) => Ok(Fairness::Synchronous),
        Some(other) => Err(Refusal::new(format!("scheduler {other}: the schedulers of proofs are {SCHEDULERS}"))),
    }
}

/// The rules of an algorithm on rings or lines, if its local states and rules are the same at all these sizes.
pub fn ring(catalog: &Catalog, card: &Card, parameters: &Parameters, sizes: &Sizes) -> Result<Rules, Refusal> {
    if sizes.from < 3 {
        return Err(Refusal::new("proofs are about rings of at least 3 agents; `check` checks smaller ones"));
    }
    if matches!(card.kind, Kind::Message | Kind::Robust) {
        return Err(Refusal::new(format!(
            "proofs are about population protocols and rings of processes that read their neighbours, but {} passes messages",
            card.name
        )));
    }
    let topology = parameters.layers.topology(card);
    use Topology::{BidirectionalRing, DirectedRing, Line, UndirectedRing};
    if !matches!(topology, DirectedRing | UndirectedRing | BidirectionalRing | Line) {
        return Err(Refusal::new(format!(
            "proofs are about rings, lines and complete graphs, but this algorithm is for: {}",
            topology.describe()
        )));
    }
    constant(catalog, card, parameters, sizes, true)
}

/// The rules of a population protocol on complete graphs.
pub fn complete(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<Rules, Refusal> {
    if parameters.size < 2 {
        return Err(Refusal::new("proofs about complete graphs need at least 2 agents"));
    }
    match parameters.layers.topology(card) {
        // All outcomes of coins are moves like others there.
        Topology::Complete => constant(catalog, card, parameters, &Sizes::from(parameters.size), false)
            .map(|rules| Rules { tosses: vec![], ..rules }),
        other => Err(Refusal::new(format!("{} is for a {}, not for complete graphs", card.name, other.describe()))),
    }
}

/// Refuses an algorithm that a proof cannot cover if the two agents get different answers of the detector.
pub fn check_equal_answers(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<(), Refusal> {
    let refused = |why| Refusal::new(format!("{}: {why}", card.name));
    algorithm(catalog, card, parameters)?.check_equal_answers().map_err(refused)
}

/// Refuses an algorithm with choices of the scheduler that a proof for this scheduler and these coins cannot cover. `rules` are its
/// rules.
pub fn check_choices(
    catalog: &Catalog,
    card: &Card,
    parameters: &Parameters,
    rules: &Rules,
    fairness: Fairness,
    coins: Coins,
) -> Result<(), Refusal> {
    let refused = |why: String| Refusal::new(format!("{}: {why}", card.name));
    if coins == Coins::Adversarial && fairness == Fairness::Synchronous && !rules.tosses.is_empty() {
        return Err(refused("adversarial coins: under synchronous no daemon chooses; prove it with fair coins".into()));
    }
    if fairness == Fairness::LocallyFair && !rules.tosses.is_empty() {
        return Err(refused("proofs for locally fair schedules do not cover coins; `check` does".into()));
    }
    if coins == Coins::Adversarial && fairness == Fairness::WeaklyFair && !rules.tosses.is_empty() {
        return Err(refused("proofs for fair schedules do not cover adversarial coins; `check` does".into()));
    }
    // `check` counts no step in which all coins together change nothing, and the table of a proof has such steps.
    if coins == Coins::Adversarial && fairness == Fairness::Distributed && rules.tosses.iter().any(|toss| toss.idle) {
        return Err(refused(
            "adversarial coins under distributed: proofs do not cover coins that can leave an agent unchanged; `check` does".into(),
        ));
    }
    algorithm(catalog, card, parameters)?.check_choices(fairness, coins).map_err(|why| refused(why.to_string()))
}

/// The rules on rings and lines (`chain`), or on complete graphs. Refuses a text that mentions n, even if its rules are the same at the
/// compared sizes.
fn constant(
    catalog: &Catalog,
    card: &Card,
    parameters: &Parameters,
    sizes: &Sizes,
    chain: bool,
) -> Result<Rules, Refusal> {
    let depends = |what: String| {
        let reason = "but a proof is about all sizes at once; `check` checks one size at a time";
        Refusal::new(format!("{}: {what}, {reason}", card.name))
    };
    if let Some(text) = catalog.protocol(card.name) {
        if let Some((line, said)) = text.mention_of_size(parameters) {
            return Err(depends(format!("its states, rules or marks depend on n (line {line}: {said})")));
        }
        if let Some((line, said)) = text.irregular_sizes() {
            return Err(depends(format!("it does not support every size (line {line}: {said})")));
        }
        if let Some(start) = text.start().filter(|_| !chain || parameters.layers != Layers::default()) {
            return Err(Refusal::new(format!(
                "{}: its executions start where {start}, but a proof on a complete graph, or with a layer, is about all configurations; \
                 `check` checks executions from these starts",
                card.name
            )));
        }
        // Remainders modulo numbers up to 64 repeat after this many sizes.
        for size in (sizes.from..sizes.from + 64 * 64).filter(|n| sizes.contains(*n)) {
            text.allows(&parameters.resized(size)).map_err(|refusal| {
                let allows = |size: usize| text.allows(&parameters.resized(size)).is_ok();
                let part = some_sizes(sizes.from, allows);
                Refusal::new(format!(
                    "{refusal}; {}",
                    part.unwrap_or("a proof needs sizes that the text allows".into())
                ))
            })?;
        }
    }
    let rules = ringleader_prove::rules(sizes, |size| algorithm(catalog, card, &parameters.resized(size)));
    let rules = rules.map_err(|why| match why {
        NoRules::Refused(refusal) => refusal,
        NoRules::DependsOnSize(..) => depends(why.to_string()),
        why => Refusal::new(why.to_string()),
    })?;
    let rules = match catalog.protocol(card.name).filter(|_| chain) {
        Some(text) => started(text, catalog, card, parameters, rules)?,
        None => rules,
    };
    named(card, &rules)?;
    Ok(rules)
}

/// Refuses names that formulas cannot tell apart. The text can rename only variables: its rules are called by their numbers, and the
/// conditions of its goal and its starts in their order.
fn named(card: &Card, rules: &Rules) -> Result<(), Refusal> {
    for Variable { name, .. } in &rules.variables {
        let taken = match name.as_str() {
            "root" | "top" => "the first or the last agent",
            "X" | "Y" => "the condition of a neighbour",
            name if rules.rules.iter().any(|rule| rule == name) => "a rule",
            name if rules.marks.iter().any(|mark| mark.name == name) => "a condition or a mark",
            _ => continue,
        };
        let words = |line: &&str| {
            let code = line.split('#').next().unwrap_or_default();
            code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
        };
        let line = card.source.lines().position(|line| words(&line));
        let place = line.map_or(String::new(), |line| format!(" (line {})", line + 1));
        return Err(Refusal::new(format!(
            "{}: a variable is called `{name}`{place}, but in the formulas of a proof `{name}` is {taken}: rename the variable",
            card.name
        )));
    }
    Ok(())
}

/// The rules with the condition on the configurations in which executions start, if the text has one, as an assumption.
fn started(
    text: &Protocol,
    catalog: &Catalog,
    card: &Card,
    parameters: &Parameters,
    mut rules: Rules,
) -> Result<Rules, Refusal> {
    let Some(start) = text.regular_start(parameters)? else { return Ok(rules) };
    let instance = catalog.instance(card.name, parameters)?;
    let algorithm = stabilizing(&instance).ok_or_else(not_about_it)?;
    rules.marks.extend(tabulated(&start, algorithm)?);
    rules.given = Some(start.formula);
    Ok(rules)
}

/// The flag that restricts a proof to sizes that a text allows, if one does.
fn some_sizes(from: usize, allows: impl Fn(usize) -> bool) -> Option<String> {
    // A period of all moduli up to 8.
    let allowed: Vec<(usize, bool)> = (from..from + 840).map(|size| (size, allows(size))).collect();
    let all = |wanted: &dyn Fn(usize) -> bool| allowed.iter().all(|(size, allows)| !wanted(*size) || *allows);
    let moduli = || 2..=LARGEST_FIRST;
    let others = moduli().find(|k| all(&|size| size % k != 0)).map(|k| format!("--not-multiple-of {k}"));
    let multiples = || moduli().find(|k| all(&|size| size % k == 0)).map(|k| format!("--multiple-of {k}"));
    others.or_else(multiples).map(|flag| format!("{flag} restricts the proof to sizes that the text allows"))
}

pub(crate) fn algorithm(catalog: &Catalog, card: &Card, parameters: &Parameters) -> Result<Algorithm, Refusal> {
    let text = catalog.protocol(card.name);
    match catalog.instance(card.name, parameters)? {
        Instance::Population(instance) => {
            let topology = parameters.layers.topology(card);
            // On a complete graph agents have no neighbours in an order.
            let text = text.filter(|_| topology != Topology::Complete);
            let goal = text.map(|text| own_goal(text, parameters, &instance)).transpose()?.flatten();
            Ok(Algorithm::Population { instance, undirected: topology == Topology::UndirectedRing, goal })
        }
        Instance::Ring(instance) => {
            let goal = match text {
                Some(text) if text.promises_one_rule() => Some(OwnGoal::OneRule),
                Some(text) => own_goal(text, parameters, &instance)?,
                None => None,
            };
            Ok(Algorithm::Ring { instance, goal })
        }
        _ => Err(not_about_it()),
    }
}

fn not_about_it() -> Refusal {
    Refusal::new("proofs are about population protocols and rings of processes")
}

/// Conditions on three neighbours with more views than this are not tabulated.
const MOST_VIEWS: u64 = 1 << 18;

/// The goal that a text states as an expression.
fn own_goal(
    text: &Protocol,
    parameters: &Parameters,
    algorithm: &dyn StabilizingInstance,
) -> Result<Option<OwnGoal>, Refusal> {
    // More states than this are refused with the table of the rules.
    let Some(goal) = text.regular_goal(parameters)?.filter(|_| algorithm.states() <= 255) else { return Ok(None) };
    let marks = tabulated(&goal, algorithm)?;
    Ok(Some(OwnGoal::Everywhere { formula: goal.formula, marks }))
}

/// The names of a condition as marks: the views of neighbours in which they hold.
fn tabulated(condition: &RegularCondition, algorithm: &dyn StabilizingInstance) -> Result<Vec<Mark>, Refusal> {
    let states = algorithm.states();
    let variables: Vec<Vec<u64>> = (0..states).map(|state| values(algorithm, state)).collect();
    let mut marks = vec![];
    for local in &condition.names {
        let reads = local.reads();
        let views = states.pow(reads.iter().filter(|reads| **reads).count() as u32);
        if views > MOST_VIEWS {
            return Err(Refusal::new(format!(
                "a condition of the goal or the start has {views} views of neighbours; a proof supports {MOST_VIEWS}"
            )));
        }
        let [left, own, right] = reads.map(|reads| if reads { 0..states } else { 0..1 });
        let views = left.flat_map(|l| own.clone().map(move |o| (l, o)));
        let views = views.flat_map(|(l, o)| right.clone().map(move |r| [l, o, r]));
        let holds = |view: &[u64; 3]| local.holds(view.map(|state| &*variables[state as usize]));
        let window = |view: [u64; 3]| {
            let [left, own, right] = [0, 1, 2].map(|at| reads[at].then_some(view[at] as u8));
            Window { place: None, left, own, right }
        };
        marks.push(Mark { name: local.name.clone(), windows: views.filter(holds).map(window).collect() });
    }
    Ok(marks)
}

/// The checker's result for one size.
#[derive(Clone, Copy, Debug)]
pub struct Below {
    /// The number of agents.
    pub size: usize,
    /// Whether the promise holds.
    pub holds: bool,
    /// Under local fairness: the schedules for which it holds, or fails, are fair to arcs, or to transitions.
    pub level: Option<Level>,
    /// Whether a set that the algorithm names violates its claim. Proofs are not about these sets.
    sets_fail: bool,
}

impl Below {
    /// The verdict in words.
    pub fn verdict(&self) -> &'static str {
        match (self.holds, self.sets_fail, self.level) {
            (true, _, Some(Level::Transition)) => {
                "holds under schedules that are fair to the transitions of each arc, and not under all that are fair to arcs"
            }
            (true, _, Some(_)) => "holds too, under every schedule that is fair to arcs",
            (true, _, None) => "holds too",
            (false, false, _) => "fails",
            (false, true, _) => "has a set that violates the algorithm's claim about it, and may fail",
        }
    }
}

/// The coins of a claim, unless the user asks for others: fair, where a daemon chooses and rules toss coins. Elsewhere all outcomes are alike.
#[must_use]
pub fn usual_coins(fairness: Fairness, rules: &Rules) -> Coins {
    if fairness == Fairness::GloballyFair || rules.tosses.is_empty() { Coins::Adversarial } else { Coins::Fair }
}

/// The executions of a proof's claim.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The scheduler.
    pub fairness: Fairness,
    /// The coins.
    pub coins: Coins,
    /// Whether the detector may lie for a while.
    pub lies: bool,
}

/// Checks the sizes from 2 on that the algorithm claims and the proof does not cover.
pub fn below(
    catalog: &Catalog,
    card: &Card,
    sizes: &Sizes,
    at: impl Fn(usize) -> Parameters,
    Claim { fairness, coins, lies }: Claim,
    monitor: &Monitor,
) -> Result<Vec<Below>, Refusal> {
    let scheduler = match fairness {
        Fairness::GloballyFair => Scheduler::GloballyFair,
        Fairness::Unfair => Scheduler::Unfair,
        Fairness::WeaklyFair => Scheduler::Fair,
        Fairness::LocallyFair => Scheduler::LocallyFair,
        Fairness::Distributed => Scheduler::Distributed,
        Fairness::Synchronous => Scheduler::Synchronous,
    };
    let detector = if lies { Detector::EventuallyCorrect } else { Detector::Perfect };
    let mut question = match coins {
        Coins::Fair => Question::new(scheduler),
        Coins::Adversarial => Question::new(scheduler).with_adversarial_coins(),
    };
    question.detector = detector;
    let mut all = vec![];
    for size in (2..sizes.from).filter(|size| sizes.residues.contains(&(size % sizes.modulus))) {
        let parameters = at(size);
        if catalog.supports(card.name, &parameters).is_err() {
            continue;
        }
        let graph = || Graph::shaped(parameters.layers.topology(card).shape(), size);
        let placed = Placed::new(catalog.instance(card.name, &parameters)?, size, graph)
            .map_err(|error| Refusal::new(error.to_string()))?
            .ok_or_else(not_about_it)?;
        let checked =
            |question: &Question| placed.check(question, monitor).map_err(|stop| Refusal::new(stop.to_string()));
        let mut level = (fairness == Fairness::LocallyFair).then_some(Level::Arc);
        question.level = level.unwrap_or_default();
        let mut report = checked(&question)?;
        if !report.holds && level.is_some() {
            question.level = Level::Transition;
            (level, report) = (Some(question.level), checked(&question)?);
        }
        let own = report.own_is_closed && report.own_is_really_safe;
        let sets_fail = !own || report.sets.iter().any(|set| set.counterexample.is_some());
        all.push(Below { size, holds: report.holds, level, sets_fail });
    }
    Ok(all)
}
