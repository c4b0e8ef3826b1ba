//! The two independent decision procedures, of the search and of the checker, agree.

#[path = "../../../verify/tests/suite/subjects.rs"]
#[allow(dead_code)]
mod subjects;

use super::descent::{FALLS, LOST, OPEN};
use super::space::{Hypothesis, Words};
use crate::formulas::atoms::{Atom, atoms};
use crate::formulas::evaluate::Evaluator;
use crate::formulas::expr::{Expr, Measure, Mode};
use crate::watch::Cancel;
use ringleader_verify::{Automaton, Certificate, Claim as Claimed, Rejection, Rules, Scheduler, Sizes, State, verify};
use std::sync::Arc;
use subjects::*;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn expr(&mut self, atoms: &[Atom], depth: usize) -> Expr {
        if depth == 0 {
            return Expr::Atom(self.below(atoms.len()));
        }
        let a = Arc::new(self.expr(atoms, depth - 1));
        let b = Arc::new(self.expr(atoms, depth - 1));
        match self.below(8) {
            0 => Expr::Not(a),
            1 => Expr::And(a, b),
            2 => Expr::Or(a, b),
            3 => Expr::Left(a),
            4 => Expr::Right(a),
            5 => Expr::Since(a, b),
            6 => Expr::Until(a, b),
            _ => Expr::Since(Arc::new(Expr::One), b),
        }
    }

    fn measure(&mut self, atoms: &[Atom]) -> Measure {
        let expr = self.expr(atoms, 1);
        match self.below(4) {
            0 => Measure::Of(Mode::FromBottom, vec![(1, expr)]),
            1 => Measure::Of(Mode::FromTop, vec![(1, expr)]),
            2 => Measure::Of(Mode::Count, vec![(2, expr), (-1, self.expr(atoms, 1))]),
            _ => Measure::Of(Mode::Count, vec![(1, expr)]),
        }
    }
}

/// The word or step that refutes the measures according to the search; `None` if the search gives up.
fn refuted(claim: &Hypothesis, scheduler: Scheduler, measures: &[Measure]) -> Option<Option<Vec<State>>> {
    let unfair = scheduler == Scheduler::Unfair;
    if unfair && let Some(stuck) = claim.uncovered(&claim.open, &[OPEN]) {
        return Some(Some(stuck));
    }
    let steps = measures.iter().try_fold(claim.open.clone(), |s, m| claim.refine(&s, m, unfair))?;
    Some(if unfair {
        let open = claim.step_of(&steps, OPEN).into_iter().chain(claim.step_of(&steps, LOST));
        open.map(|s| s.0).min_by_key(Vec::len)
    } else {
        claim.uncovered(&steps, &[FALLS])
    })
}

fn agree(rules: Rules, safe: Automaton, scheduler: Scheduler, rounds: usize) {
    let sizes = Sizes::from(3);
    let atoms = atoms(&rules);
    let names: Vec<String> = atoms.iter().map(|a| a.name.clone()).collect();
    let space = Words::new(&rules, &sizes, &atoms, Cancel::default()).unwrap();
    let claim = Hypothesis::new(&space, &safe).unwrap();
    assert_eq!(claim.flaw(&Evaluator::new(&rules, &atoms).unwrap()), None);
    let mut dice = Dice(11);
    let mut decided = 0;
    for _ in 0..rounds {
        let measures: Vec<Measure> = (0..1 + dice.below(2)).map(|_| dice.measure(&atoms)).collect();
        let Some(refuted) = refuted(&claim, scheduler, &measures) else { continue };
        decided += 1;
        let certificate = Certificate {
            version: 1,
            subject: "random".into(),
            rules: rules.clone(),
            sizes: sizes.clone(),
            scheduler,
            safe: safe.clone(),
            lasting: None,
            recurring: None,
            text: None,
            measures: measures.iter().map(|m| m.text(&names)).collect(),
        };
        let checker = match verify(&certificate) {
            Ok(_) => None,
            Err(Rejection::Fails(Claimed::SomeFalls | Claimed::Progress | Claimed::EveryFalls, w, _)) => Some(w.len()),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(refuted.map(|w| w.len()), checker, "{:?}", certificate.measures);
    }
    assert!(2 * decided > rounds);
}

#[test]
fn on_dijkstras_systems() {
    agree(dijkstra_four(), dijkstra_four_safe(), Scheduler::Unfair, 20);
    agree(dijkstra_three(), dijkstra_three_safe(), Scheduler::Unfair, 20);
    agree(dijkstra_three(), dijkstra_three_safe(), Scheduler::GloballyFair, 10);
}

#[test]
fn on_fischer_and_jiang() {
    agree(fischer_jiang(), fischer_jiang_safe(), Scheduler::GloballyFair, 5);
}
