//! The corpus, judged by the naive twin of the checker: configuration by configuration, nothing clever.

use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{GraphInstance, LocalStates, Number, RuleTable};
use ringleader_model::{Chain, Reads, Ring as _, Safety, Scheduler, Stabilizing};
use ringleader_testkit::cases;
use ringleader_testkit::configurations::{
    Alternating, Changing, Network, Synchronous, System, Together, count, expected_steps, graph, greatest_closed,
    leaving, longest, unable_to_reach,
};
use ringleader_testkit::corpus::{Case, corpus};

/// More configurations are left to the engine.
fn fits(states: u64, case: &Case) -> bool {
    let most = cases(400_000, 1_200_000) as u64;
    states.checked_pow(case.size as u32).is_some_and(|configurations| configurations <= most)
}

/// The processes of a graph without coins, under a daemon: no run stays outside the safe set for ever, and nothing leaves it.
fn networked(case: &Case, algorithm: GraphInstance, daemon: Together) -> bool {
    let system = Network::new(algorithm, daemon);
    let own = match system.algorithm.safety() {
        Safety::Unknown => greatest_closed(&system, system.set(|a, c| a.correct(c)), |_, _| true),
        _ => system.set(|a, c| a.safe(c)),
    };
    case.holds_against("configurations", case.configurations, system.configurations() as u64);
    case.holds_against("own safe", case.own_safe, count(&own) as u64);
    let steps = longest(&system, &own);
    if let Ok(steps) = steps {
        case.lies_between("worst steps", case.worst_steps, (steps.into(), steps.into()));
    }
    leaving(&system, &own).is_none() && steps.is_ok()
}

/// Whether a rule of a process tosses a coin somewhere.
fn tosses(algorithm: &GraphInstance) -> bool {
    let mut tosses = false;
    let local = LocalStates::new(algorithm);
    for process in 0..algorithm.size() {
        let table = RuleTable::graph_while(algorithm, &local, process, &|| true).expect("a small table");
        tosses |= table.tosses();
    }
    tosses
}

/// What is the same under every scheduler: the sizes of sets, and whether they are closed.
fn counts<A: Stabilizing<State = Number>>(case: &Case, system: &System<A>, own: &[bool]) -> bool {
    let number = |set: &[bool]| count(set) as u64;
    case.holds_against("configurations", case.configurations, system.configurations() as u64);
    case.holds_against("own safe", case.own_safe, number(own));
    let mut closed = leaving(system, own).is_none();
    for set in system.algorithm.closed_sets() {
        let members = system.set(|_, c| (set.contains)(c));
        closed &= leaving(system, &members).is_none();
        case.holds_against(&set.name, case.closed_sets.get(set.name.as_ref()).copied(), number(&members));
    }
    closed
}

/// Under global fairness: everything reaches the algorithm's own safe set, and that is really safe.
fn globally<A: Stabilizing<State = Number>>(case: &Case, system: &System<A>) -> bool {
    let own = system.set(|a, c| a.safe(c));
    let safe = system.really_safe();
    case.holds_against("really safe", case.really_safe, count(&safe) as u64);
    let holds = counts(case, system, &own)
        && own.iter().zip(&safe).all(|(&own, &real)| real || !own)
        && unable_to_reach(system, &own).is_none();
    if holds && case.worst_expected_steps.is_some() {
        let steps = expected_steps(system, &safe);
        let (worst, sum) = (steps.iter().copied().fold(0.0, f64::max), steps.iter().sum::<f64>());
        let mean = sum / system.configurations() as f64;
        case.lies_between("worst expected steps", case.worst_expected_steps, (worst, worst));
        case.lies_between("mean expected steps", case.mean_expected_steps, (mean, mean));
    }
    holds
}

/// Under every schedule of a class: no run stays outside the safe set for ever.
fn always<A: Stabilizing<State = Number>>(case: &Case, system: &System<A>, scheduler: Scheduler) -> bool {
    let named = system.algorithm.safety() != Safety::Unknown;
    let own = if named { system.set(|a, c| a.safe(c)) } else { system.really_safe() };
    if case.really_safe.is_some() {
        case.holds_against("really safe", case.really_safe, count(&system.really_safe()) as u64);
    }
    let steps = match scheduler {
        Scheduler::Alternating => longest(&Alternating(system), &Alternating(system).lift(&own)),
        _ => longest(&Changing(system), &own),
    };
    if let Ok(steps) = steps {
        case.lies_between("worst steps", case.worst_steps, (steps.into(), steps.into()));
    }
    counts(case, system, &own) && steps.is_ok()
}

/// Where all step at once and coins decide: everything reaches the algorithm's own safe set, and nothing leaves it.
fn together<A: Stabilizing<State = Number>>(case: &Case, system: &System<A>) -> bool {
    let (all, own) = (Synchronous(system), system.set(|a, c| a.safe(c)));
    case.holds_against("configurations", case.configurations, system.configurations() as u64);
    case.holds_against("own safe", case.own_safe, count(&own) as u64);
    let holds = leaving(&all, &own).is_none() && unable_to_reach(&all, &own).is_none();
    if holds && case.worst_expected_steps.is_some() {
        let steps = expected_steps(&all, &own);
        let worst = steps.iter().copied().fold(0.0, f64::max);
        case.lies_between("worst expected steps", case.worst_expected_steps, (worst, worst));
        for (start, expected) in &case.expected_from {
            let start: Vec<_> = start.split(',').map(|state| Number(state.parse().expect("a state"))).collect();
            let at = (0..steps.len()).find(|&c| system.configuration(c) == start).expect("a configuration");
            case.lies_between("expected steps from a start", Some(*expected), (steps[at], steps[at]));
        }
    }
    holds
}

/// Whether the case holds, if this twin can tell: it knows rings whose processes read their left neighbour.
fn judge(catalog: &Catalog, case: &Case) -> Option<bool> {
    use Scheduler::{Alternating, Distributed, GloballyFair, LocallyCentral, Random, Synchronous, Unfair};
    let (card, parameters) = (catalog.card(&case.algorithm).ok()?, case.parameters());
    let scheduler: Scheduler = case.scheduler.as_deref()?.parse().expect("a scheduler");
    if case.expect == "refused" || case.oracle.as_deref().is_some_and(|oracle| oracle != "perfect") {
        return None;
    }
    match catalog.instance(card.name, &parameters).expect("the checker builds every size") {
        Instance::Population(a) if matches!(scheduler, Random | GloballyFair) && fits(a.states(), case) => {
            let graph = graph(parameters.layers.topology(card), case.size);
            Some(globally(case, &System::population(a, &graph)))
        }
        Instance::Ring(a) if a.reads() == Reads::BothSides || a.chain() == Chain::Line || !fits(a.states(), case) => {
            None
        }
        Instance::Graph(a) if fits(a.states(), case) && !tosses(&a) => match scheduler {
            Unfair => Some(networked(case, a, Together::One)),
            Distributed => Some(networked(case, a, Together::Any)),
            LocallyCentral => Some(networked(case, a, Together::Apart)),
            Synchronous => Some(networked(case, a, Together::All)),
            _ => None,
        },
        Instance::Ring(a) if matches!(scheduler, Unfair | Alternating) => {
            Some(always(case, &System::ring(a, case.size), scheduler))
        }
        Instance::Ring(a) if scheduler == Synchronous => Some(together(case, &System::ring(a, case.size))),
        _ => None,
    }
}

#[test]
fn the_naive_checker_agrees_with_the_corpus() {
    let catalog = Catalog::builtin();
    let (mut judged, mut starts) = (0, 0);
    for case in corpus() {
        if let Some(holds) = judge(&catalog, &case) {
            assert_eq!(if holds { "holds" } else { "fails" }, case.expect, "{case:?}");
            judged += 1;
            starts += case.expected_from.len();
        }
    }
    assert!(judged >= 60 && starts >= 14, "only {judged} cases were judged, {starts} from single starts");
}
