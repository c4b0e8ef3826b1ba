//! A syntactic test of the facts about a graph that a protocol uses besides the edges: the numbers of processes, or the root.
//!
//! The order of ports cannot be used: pointers are only compared with neighbours and with each other.

use crate::domains::fold::Constants;
use crate::meaning::typed::{Agent, Domain, Ex, Link, Op, Unit};
use crate::syntax::ast::Quantifier;
use ringleader_model::{Goal, Knowledge};

/// Stands for the process in a condition on each process. It exceeds the size of every graph, and fits into the 32 bits that a browser has.
pub(crate) const ANY_PROCESS: usize = u32::MAX as usize;

const NUMBERS: Knowledge = Knowledge { identities: true, ..Knowledge::NONE };
const ROOT: Knowledge = Knowledge { root: true, ..Knowledge::NONE };

/// The facts that the rules, the marks and the sets of a protocol use.
pub(crate) fn of_protocol(unit: &Unit) -> Knowledge {
    let mut rules = Uses { of_configurations: false, ..Uses::default() };
    unit.groups.iter().flat_map(|group| group.expressions()).for_each(|ex| rules.look(ex));
    unit.marks.iter().for_each(|(_, when)| rules.look(when));
    let mut found = rules.found;
    let agreement = unit.correct.iter().filter(|_| !matches!(unit.goal, Goal::Agreement));
    let sets = unit.closed.iter().map(|set| &set.holds);
    agreement
        .chain(sets)
        .chain(unit.safe.iter().map(|(_, safe)| safe))
        .for_each(|ex| found = found.and(of_condition(ex)));
    // A condition on the variables of one process, which is the first bound variable.
    let mut own = Uses { places: vec![0], ..Uses::default() };
    unit.given.iter().flat_map(|given| given.ends.iter().chain(&given.when)).for_each(|ex| own.look(ex));
    let whens = unit.variables.iter().filter_map(|variable| match &variable.domain {
        Domain::Neighbour { when, .. } => when.as_ref(),
        _ => None,
    });
    whens.for_each(|when| own.look(when));
    found.and(own.found)
}

/// The facts that a condition on configurations uses.
pub(crate) fn of_condition(ex: &Ex) -> Knowledge {
    let mut uses = Uses::default();
    uses.look(ex);
    uses.found
}

/// The condition on one process, the first bound variable, if a condition on configurations says that every process meets it and it is about
/// the variables of the process and of its neighbours only.
pub(crate) fn part<'e>(ex: &'e Ex, constants: &Constants) -> Option<&'e Ex> {
    let Op::Quantified { quantifier: Quantifier::All, slot: 0, low, high, body } = &ex.op else { return None };
    let everyone = (constants.value(low), constants.value(high)) == (0, constants.size - 1);
    (everyone && is_near(body)).then_some(&**body)
}

/// Whether an expression reads only the process that is the first bound variable, and its neighbours.
fn is_near(ex: &Ex) -> bool {
    let own = |ex: &Ex| ex.op == Op::Bound(0);
    let near = |ex: &Ex| match &ex.op {
        Op::Link(Link::Neighbour, process, port) => own(process) && is_near(port),
        _ => own(ex),
    };
    match &ex.op {
        Op::Set(_) | Op::Process => false,
        Op::Var(Agent::At(process), _) => near(process),
        Op::Link(_, process, port) => near(process) && is_near(port),
        op => op.operands().all(is_near),
    }
}

struct Uses {
    found: Knowledge,
    /// The bound variables that are processes.
    places: Vec<usize>,
    /// In a condition on configurations, the index of a variable is a process; in a rule it is a port.
    of_configurations: bool,
}

impl Default for Uses {
    fn default() -> Uses {
        Uses { found: Knowledge::NONE, places: vec![], of_configurations: true }
    }
}

impl Uses {
    fn is_place(&self, ex: &Ex) -> bool {
        match &ex.op {
            Op::Process | Op::Link(Link::Neighbour, ..) => true,
            Op::Bound(slot) => self.places.contains(slot),
            Op::Const(value) => *value == ANY_PROCESS as i64,
            _ => false,
        }
    }

    /// A process that an expression may name without its number being used.
    fn place(&mut self, ex: &Ex) {
        match &ex.op {
            Op::Link(Link::Neighbour, process, port) => {
                self.place(process);
                self.look(port);
            }
            _ if self.is_place(ex) => {}
            _ => {
                self.found = self.found.and(NUMBERS);
                self.look(ex);
            }
        }
    }

    fn look(&mut self, ex: &Ex) {
        match &ex.op {
            Op::Var(Agent::At(process), _) if self.of_configurations => self.place(process),
            Op::Link(what, process, port) => {
                if *what == Link::Neighbour {
                    self.found = self.found.and(NUMBERS);
                }
                self.place(process);
                self.look(port);
            }
            Op::Two("=" | "!=", a, b) if self.is_place(a) && self.is_place(b) => {
                self.place(a);
                self.place(b);
            }
            Op::Two("=" | "!=", a, b) if self.is_place(a) && b.op == Op::Const(0) => {
                self.found = self.found.and(ROOT);
                self.place(a);
            }
            Op::Quantified { quantifier, slot, low, high, body } => {
                self.look(low);
                self.look(high);
                let place = self.of_configurations && is_process(body, *slot);
                // The least process is the one with the least number.
                if place && *quantifier == Quantifier::Least {
                    self.found = self.found.and(NUMBERS);
                }
                if place {
                    self.places.push(*slot);
                }
                self.look(body);
                if place {
                    self.places.pop();
                }
            }
            _ if self.is_place(ex) => self.found = self.found.and(NUMBERS),
            op => op.operands().for_each(|operand| self.look(operand)),
        }
    }
}

/// Whether a bound variable is used as a process, in a condition on configurations.
fn is_process(ex: &Ex, slot: usize) -> bool {
    let bound = |ex: &Ex| ex.op == Op::Bound(slot);
    match &ex.op {
        Op::Var(Agent::At(process), _) if bound(process) => true,
        Op::Link(_, process, _) if bound(process) => true,
        op => op.operands().any(|operand| is_process(operand, slot)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, Terms};
    use ringleader_erased::Parameters;
    use ringleader_model::Graph;

    fn of(lines: &str, guard: &str, goal: &str) -> Knowledge {
        let text = format!(
            "protocol p\nmodel graph\n{lines}\nstate x : 0..3\nstate p : neighbour or none\ngoal {goal} \"goal\"\nany:\n  1: {guard} -> x := 0\n"
        );
        of_protocol(Source::parse("p.ring", &text).unwrap_or_else(|wrong| panic!("{wrong}")).parts().0)
    }

    #[test]
    fn rules_that_look_at_neighbours_only_know_nothing_else() {
        let goal = "all i : x[i] = 0";
        for guard in
            ["some j : x[j] = 1", "degree = 2", "p != none and x[p] = 1", "all j : p[j] = me", "some j : p = j"]
        {
            assert_eq!(of("", guard, goal), Knowledge::NONE, "{guard}");
        }
        assert_eq!(of("", "root", goal), ROOT);
        assert_eq!(of("", "some j : root[j]", goal), ROOT);
        assert_eq!(of("identities", "identity = 2", goal), NUMBERS);
        assert_eq!(of("identities", "some j : identity[j] > 1", goal), NUMBERS);
        assert_eq!(of("identities", "x = 1", goal), Knowledge::NONE);
    }

    #[test]
    fn sets_that_name_a_process_know_its_number() {
        let with = |goal| of("let low = all j : x[j] < 2", "low", goal);
        for goal in [
            "all i : low[i]",
            "(count i : x[i] = 1) = n - 1",
            "all i : degree[i] = 1 => x[i] = 0",
            "all i : all k : x[i] = x[k]",
        ] {
            assert_eq!(with(goal), Knowledge::NONE, "{goal}");
        }
        assert_eq!(with("all i : root[i] => x[i] = 0"), ROOT);
        for goal in ["x[0] = 1", "all i : x[i] = i", "all i : i > 0 => x[i] = 0", "(least i : x[i] = 1) = 1"] {
            assert_eq!(with(goal), NUMBERS, "{goal}");
        }
    }

    #[test]
    fn goals_about_every_process_and_its_neighbours_have_parts() {
        let parts = |goal: &str| {
            let text = format!(
                "protocol p\nmodel graph\nstate x : 0..3\nstate p : neighbour or none\nlet low = all j : x[j] < 2 and p[j] != me\n\
                 goal {goal} \"goal\"\nany:\n  1: low and p = none -> x := 0\n"
            );
            let protocol = Source::parse("p.ring", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
            let unit = protocol.parts().0;
            part(unit.correct.as_ref().unwrap(), &Constants { size: 4, ..Constants::default() }).is_some()
        };
        for goal in ["all i : low[i]", "all i : x[i] = 0 and degree[i] > 1", "all i : x[i] = n - 1"] {
            assert!(parts(goal), "{goal}");
        }
        for goal in
            ["some i : low[i]", "all i : all k : x[i] = x[k]", "all i : x[i] = x[0]", "all i in 0..n - 2 : x[i] = 0"]
        {
            assert!(!parts(goal), "{goal}");
        }
    }

    #[test]
    fn claims_about_each_process_name_none() {
        let text =
            "protocol p\nmodel graph\nstate x : 0..3\ngoal all i : x[i] = 0 \"goal\"\nany:\n  1: x > 0 -> x := 0\n";
        let parameters = Parameters::new(3).on(Graph::complete(3).unwrap());
        let protocol = Source::parse("p.ring", text).unwrap();
        let terms = Terms::of(&protocol, &parameters).unwrap();
        let names = |text| terms.each("--recurring", text).unwrap()[0].names_places();
        assert!(!names("x[i] = 0") && !names("degree[i] = 2") && !names("some i : x[i] = 0"));
        assert!(names("x[0] = 0") && names("x[i] = i"));
    }
}
