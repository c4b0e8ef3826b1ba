//! The two independent decision procedures, of the search and of the checker, agree; and so do the two ways to the really safe set.

#[path = "../../../verify/tests/suite/subjects.rs"]
#[allow(dead_code)]
mod subjects;

#[path = "../../../verify/tests/suite/dice.rs"]
#[allow(dead_code)]
mod dice;
#[path = "../../tests/suite/drawn.rs"]
mod drawn;

use super::descent::{FALLS, LOST, OPEN};
use super::space::{Hypothesis, Words};
use crate::formulas::atoms::{Atom, atoms};
use crate::formulas::evaluate::Evaluator;
use crate::formulas::expr::{Expr, Measure, Mode};
use crate::rings::{Moves, Ring};
use crate::watch::Cancel;
use dice::Dice;
use drawn::random;
use ringleader_verify::{
    Automaton, Certificate, Claim as Claimed, Coins, Goal, Rejection, Rules, Scheduler, Sizes, State, verify,
};
use std::sync::Arc;
use subjects::*;

impl Dice {
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
    let space = Words::new(&rules, None, &sizes, &atoms, Cancel::default()).unwrap();
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
            coins: Coins::Adversarial,
            safe: safe.clone(),
            lasting: None,
            recurring: None,
            helpful: None,
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

/// Whether automata find a set; if so, it is the really safe set of every ring of three to seven.
fn really_safe(rules: &Rules) -> bool {
    let atoms = atoms(rules);
    let evaluator = Evaluator::new(rules, &atoms).unwrap();
    let space = Words::new(rules, None, &Sizes::from(3), &atoms, Cancel::default()).unwrap();
    let Some(safe) = space.really_safe(&evaluator) else { return false };
    let moves = Moves::new(rules, None);
    for n in 3..=7 {
        let ring = Ring::new(rules, &moves, &evaluator, n, Cancel::default()).unwrap().unwrap();
        for code in 0..ring.safe.len() {
            assert_eq!(safe.accepts(&ring.word(code)), ring.safe[code], "{:?} {rules:?}", ring.word(code));
        }
    }
    true
}

#[test]
fn on_the_really_safe_set() {
    assert!(really_safe(&dijkstra_four()));
    let mut dice = Dice(5);
    let found = (0..200).filter(|round| {
        let mut rules = random(&mut dice);
        if round % 4 == 0 {
            rules.goal = Goal::ExactlyOne { of: vec!["x=0".into(), "x=1".into()], stays: true };
        }
        really_safe(&rules)
    });
    let found = found.count();
    println!("{found} of 200 random protocols have a set that automata find");
    assert!(found > 50);
}
