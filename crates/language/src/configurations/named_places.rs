//! A syntactic test whether a condition may name an agent by its position. If not, the condition has the same value on all rotations
//! of a configuration or, off the ring, on all its permutations.

use crate::meaning::typed::{Agent, Ex, Op};
use crate::syntax::ast::Quantifier;

/// The number of agents, and whether they form a ring.
pub(crate) struct Places {
    pub(crate) size: i64,
    pub(crate) around: bool,
}

impl Places {
    /// Whether a condition with folded constants names no position.
    pub(crate) fn are_alike(&self, ex: &Ex) -> bool {
        self.turns(ex, &mut vec![]) == Some(0)
    }

    /// The change of a value, modulo the size, when all agents move by one position; `None` if it is not certain.
    fn turns(&self, ex: &Ex, all: &mut Vec<usize>) -> Option<i64> {
        let still =
            |ex: &Ex, all: &mut Vec<usize>| self.turns(ex, all).filter(|turns| *turns == 0 && !counts_places(ex, all));
        match &ex.op {
            Op::Const(_) | Op::Parameter(_) | Op::Size | Op::Set(_) => Some(0),
            Op::Bound(slot) => Some(i64::from(all.contains(slot))),
            Op::Var(Agent::At(index), _) => {
                let bound = matches!(index.op, Op::Bound(_));
                (self.turns(index, all)? == 1 && (self.around || bound)).then_some(0)
            }
            Op::Two(sign @ ("+" | "-"), a, b) => {
                let (a, b) = (self.turns(a, all)?, self.turns(b, all)?);
                Some(if *sign == "+" { a + b } else { a - b })
            }
            // On a ring, the distance of two agents does not change; only its sign and the number of rounds do.
            Op::Two("mod", a, b) if self.around && b.op == Op::Const(self.size) => {
                self.turns(a, all).filter(|turns| *turns == 0)
            }
            // Equality of two agents does not depend on their positions.
            Op::Two("=" | "!=", a, b) if matches!((&a.op, &b.op), (Op::Bound(_), Op::Bound(_))) => {
                (self.turns(a, all) == self.turns(b, all)).then_some(0)
            }
            Op::Not(_) | Op::Prime(_) | Op::Log2(_) | Op::Two(..) | Op::If(..) | Op::In(..) => {
                ex.op.operands().try_fold(0, |_, operand| still(operand, all))
            }
            Op::Quantified { quantifier, slot, low, high, body } => {
                still(low, all).and(still(high, all))?;
                let over_all = low.op == Op::Const(0) && high.op == Op::Const(self.size - 1);
                let place = over_all && speaks_of(body, *slot, &mut vec![]);
                // The least place does not move with the agents: behind the last place comes the first.
                if place && *quantifier == Quantifier::Least {
                    return None;
                }
                if place {
                    all.push(*slot);
                }
                let turns = still(body, all);
                if place {
                    all.pop();
                }
                turns
            }
            _ => None,
        }
    }
}

/// Whether a value is a sum with positions in it. Where agents move from the last position to the first, it changes by the size.
fn counts_places(ex: &Ex, all: &[usize]) -> bool {
    match &ex.op {
        Op::Bound(slot) => all.contains(slot),
        Op::Two("+" | "-", a, b) => counts_places(a, all) || counts_places(b, all),
        _ => false,
    }
}

/// Whether a bound variable, with the variables bound inside, is the index of an agent; otherwise it is a distance.
fn speaks_of(ex: &Ex, slot: usize, within: &mut Vec<usize>) -> bool {
    match &ex.op {
        Op::Var(Agent::At(index), _) => {
            let mut slots = vec![];
            bound(index, &mut slots);
            slots.retain(|slot| !within.contains(slot));
            slots == [slot] || speaks_of(index, slot, within)
        }
        Op::Quantified { slot: inner, low, high, body, .. } => {
            if speaks_of(low, slot, within) || speaks_of(high, slot, within) {
                return true;
            }
            within.push(*inner);
            let speaks = speaks_of(body, slot, within);
            within.pop();
            speaks
        }
        op => op.operands().any(|operand| speaks_of(operand, slot, within)),
    }
}

/// The bound variables that are summed in an index.
fn bound(index: &Ex, slots: &mut Vec<usize>) {
    match &index.op {
        Op::Bound(slot) => slots.push(*slot),
        Op::Two("+" | "-", a, b) => [a, b].into_iter().for_each(|ex| bound(ex, slots)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::Source;
    use crate::build::Built;
    use crate::configurations::predicates::Stabilized;
    use ringleader_erased::Parameters;
    use ringleader_model::Stabilizing as _;

    #[test]
    fn conditions_that_name_a_position_are_detected() {
        let names = |condition: &str| {
            let text = format!(
                "protocol t\nmodel ring\nstate x : bit\nshow token when x\ngoal one token\n\
                 let N(i) = least d in 1..n - 1 : x[i + d]\nlet L(i) = least d : x[i - d]\nsafe = {condition}\n\
                 first:\n  1: x and left.x -> x := 0\n"
            );
            let protocol = Source::parse("t", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
            let built = Built::new(protocol.parts().0, &Parameters::new(5)).unwrap();
            Stabilized::with(&built, ()).unwrap().names_places()
        };
        for blind in [
            "one i : x[i]",
            "all i : x[i] => N(i) < 3",
            "all i : L(i) < 2",
            "some i : x[i] and not x[i + 1]",
            "all i : x[i] => (all j in 0..L(i) : not x[i - j] or j = 0)",
            "some i : N(i) < infinity and x[i + N(i)]",
            "all i : all j : i != j => not (x[i] and x[j])",
            "all i : all j : x[i] and x[j] => (i - j) mod n != 1",
            "all i : all j : x[i] => x[j + (i - j)]",
        ] {
            assert!(!names(blind), "{blind}");
        }
        let agreement = |on: &str| {
            let text = format!(
                "protocol t\nmodel population on graph\nstate x : bit\ngoal agreement on {on}\nfirst:\n  1: l.x -> r.x := 1\n"
            );
            let protocol = Source::parse("t", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
            Stabilized::with(&Built::new(protocol.parts().0, &Parameters::new(4)).unwrap(), ()).unwrap().names_places()
        };
        assert!(!agreement("x"));
        for sees in [
            "not x[3]",
            "some i in 1..2 : x[i]",
            "all i : i = 0 => x[i]",
            "some i : x[i + i]",
            "all i : all j : i = j + 1 => x[i] or x[j]",
            "x[0 - 1] or (one i : x[i])",
            "(least i : x[i]) = 0",
            "all i : all j : x[i] and x[j] => i - j < 2",
            "(max i : if x[i] then i else 0) < 2",
            "all j : (least i : x[i] and x[j]) < 2",
            "all i : x[i] or (least j : x[j]) < 2",
        ] {
            assert!(names(sees), "{sees}");
        }
    }
}
