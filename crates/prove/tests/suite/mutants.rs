//! Broken variants of the algorithms that are proved: none is proved that fails on a ring of up to seven.

use crate::brute;
use crate::quick::{Ring, holds};
use crate::subjects::*;
use ringleader_prove::{Options, Outcome, prove};
use ringleader_verify::{Cell, Move, Place, Possible, Rules, Scheduler, Sizes, State, Variable};

/// The algorithms that are proved.
fn proved() -> [(&'static str, Rules, Scheduler); 5] {
    [
        ("dijkstra-four", dijkstra_four(), Scheduler::Unfair),
        ("dijkstra-three", dijkstra_three(), Scheduler::Unfair),
        ("token-circulation", token_circulation(), Scheduler::GloballyFair),
        ("gouda-haddix", gouda_haddix(), Scheduler::GloballyFair),
        ("fischer-jiang-ring", fischer_jiang(), Scheduler::GloballyFair),
    ]
}

/// The same rules with other moves; moves that change nothing are dropped.
fn with(rules: &Rules, moves: impl IntoIterator<Item = Move>) -> Rules {
    let moves = moves.into_iter().filter(|m| m.cells().iter().any(|c| c.before != c.after));
    Rules { moves: moves.collect(), ..rules.clone() }
}

/// The cells that some move changes: own, and right in an interaction.
type Role = fn(&mut Move) -> Option<&mut Cell>;
const ROLES: [Role; 2] = [|m| Some(&mut m.own), |m| m.right.as_mut()];

/// Whether a role changes in any move. A neighbour that is only read does not change.
fn changes(rules: &Rules, role: Role) -> bool {
    rules.moves.iter().any(|m| role(&mut m.clone()).is_some_and(|c| c.before != c.after))
}

/// Each rule dropped; each without assigning one variable of one agent.
fn of_rules(rules: &Rules) -> Vec<Rules> {
    let mut mutants = Vec::new();
    for rule in 0..rules.rules.len() {
        mutants.push(with(rules, rules.moves.iter().copied().filter(|m| m.rule != rule)));
        for (role, variable) in ROLES.into_iter().flat_map(|role| rules.variables.iter().map(move |v| (role, v))) {
            let keep = |mut m: Move| {
                if m.rule == rule
                    && let Some(cell) = role(&mut m)
                {
                    cell.after = assigned(rules, cell.after, variable, variable.values[usize::from(cell.before)]);
                }
                m
            };
            mutants.push(with(rules, rules.moves.iter().map(|m| keep(*m))));
        }
    }
    mutants
}

/// The state that differs from this one by a variable's value.
fn assigned(rules: &Rules, state: State, variable: &Variable, value: u8) -> State {
    let same = |s: usize| {
        let other = |v: &Variable| if v == variable { value } else { v.values[usize::from(state)] };
        rules.variables.iter().all(|v| v.values[s] == other(v))
    };
    (0..rules.states.len()).find(|s| same(*s)).expect("every combination of values is a state") as State
}

/// Each single move dropped, and each made to end in another state, for each agent that it may change.
fn of_moves(rules: &Rules) -> Vec<Rules> {
    let mut mutants = Vec::new();
    for i in 0..rules.moves.len() {
        let mut without = rules.clone();
        without.moves.remove(i);
        mutants.push(without);
        for role in ROLES.into_iter().filter(|role| changes(rules, *role)) {
            let mut elsewhere = rules.moves.clone();
            if let Some(cell) = role(&mut elsewhere[i]) {
                cell.after = (cell.after + 1) % rules.states.len() as State;
                mutants.push(with(rules, elsewhere));
            }
        }
    }
    mutants
}

/// Whether steps lead to possible states only: five agents have every window of three.
fn closed(rules: &Rules) -> bool {
    let possible = |w: &Vec<State>| (0..5).all(|i| rules.possible.at(Place::of(i, 5)).contains(&w[i]));
    let closed = |w: &Vec<State>| brute::steps(rules, w).iter().all(possible);
    rules.possible == Possible::all(rules.states.len()) || brute::configurations(rules, 5).iter().all(closed)
}

/// The number of mutants by outcome.
#[derive(Debug, Default)]
struct Ends {
    mutants: usize,
    /// Mutants that fail at some checked size,
    fail: usize,
    refuted: usize,
    not_proved: usize,
    /// and the failing mutants that are proved: must be 0.
    wrongly_proved: usize,
}

impl Ends {
    fn look(&mut self, name: &str, rules: &Rules, scheduler: Scheduler, largest: usize) {
        self.mutants += 1;
        let Some(n) = (3..=largest).find(|&n| !holds(rules, n, scheduler)) else { return };
        self.fail += 1;
        // Mutants that fail on small rings are refuted there immediately; the others get the time of a search.
        let options = Options { families: false, ..Options::seconds(60) };
        match prove(name, rules, &Sizes::from(3), scheduler, &options).unwrap() {
            Outcome::Refuted(r) => {
                assert_eq!(r.size, n);
                let ring = Ring::new(rules, n);
                assert!(ring.failing(scheduler).contains(&r.start), "{name}: {r:?} {rules:?}");
                assert_eq!(ring.safe_words().is_empty(), r.nothing_is_safe);
                self.refuted += 1;
            }
            Outcome::Proved(proof) => {
                println!("{name}: fails at {n}, and is proved: {:?} {rules:?}", proof.certificate.measures);
                self.wrongly_proved += 1;
            }
            other => {
                println!("{name}: fails at {n}, and ends {other:?}");
                self.not_proved += 1;
            }
        }
    }
}

/// Checks mutants of all five algorithms: all mutants of rules, every `every`-th mutant of single moves, on rings of up
/// to `largest` agents.
fn look(every: usize, largest: usize) -> Ends {
    let mut all = Ends::default();
    for (name, rules, scheduler) in proved() {
        let mut ends = Ends::default();
        let mutants = of_rules(&rules).into_iter().chain(of_moves(&rules).into_iter().step_by(every));
        for mutant in mutants.filter(|m| m.moves != rules.moves && closed(m)) {
            ends.look(name, &mutant, scheduler, largest);
        }
        println!("{name}: {ends:?}");
        all.mutants += ends.mutants;
        all.fail += ends.fail;
        all.refuted += ends.refuted;
        all.not_proved += ends.not_proved;
        all.wrongly_proved += ends.wrongly_proved;
    }
    println!("{all:?}");
    all
}

#[test]
fn a_sample_of_mutants_that_fail_is_not_proved() {
    let ends = look(9, 6);
    assert_eq!(ends.wrongly_proved, 0);
    assert!(ends.refuted > 40);
}

#[test]
#[ignore = "minutes"]
fn no_mutant_that_fails_is_proved() {
    assert_eq!(look(1, 7).wrongly_proved, 0);
}
