//! Assumptions about all agents together, and coins that choose the partner of an initiator.

use crate::choices::{is_true, random_rules};
use crate::dice::Dice;
use ringleader_prove::{Options, Outcome, prove, random_partners};
use ringleader_verify::{Cell, Coins, Goal, Move, Place, Possible, Rules, Scheduler, Sizes, State, Toss, Variable};

/// Tokens that merge, if some agent has one: interactions of an initiator with a token and its right neighbour.
fn tokens(places: &[Option<Place>]) -> Rules {
    let pass = |place: &Option<Place>, before: State| Move {
        rule: 0,
        place: *place,
        seen: None,
        left: None,
        own: Cell { before: 1, after: 0 },
        right: Some(Cell { before, after: 1 }),
    };
    Rules {
        states: vec!["-".into(), "T".into()],
        variables: vec![Variable { name: "token".into(), size: 2, values: vec![0, 1] }],
        marks: vec![],
        rules: vec!["pass".into()],
        moves: places.iter().flat_map(|place| [0, 1].map(|before| pass(place, before))).collect(),
        tosses: vec![],
        given: Some("(1 S token)".into()),
        possible: Possible::all(2),
        detector: None,
        goal: Goal::ExactlyOne { of: vec!["token".into()], stays: false },
    }
}

fn fair(rules: &Rules) -> Outcome {
    let options = Options { coins: Coins::Fair, ..Options::seconds(600) };
    prove("tokens", rules, &Sizes::from(3), Scheduler::Unfair, &options).unwrap()
}

/// Israeli and Jalfon: the daemon chooses the token, and a fair coin its direction.
#[test]
fn israeli_and_jalfon() {
    let mut rules = tokens(&[None]);
    rules.moves = rules.moves.iter().flat_map(|m| [*m, Move { left: m.right, right: None, ..*m }]).collect();
    let partners = random_partners(&rules).unwrap();
    let Outcome::Proved(proof) = fair(&partners) else { panic!("{:?}", fair(&partners)) };
    println!("{:?}", proof.certificate.measures);
    assert!((3..=6).all(|n| is_true(&partners, Scheduler::Unfair, Coins::Fair, n)));
    // A daemon that chooses the direction, too, keeps two tokens apart. Without the assumption there may be no token.
    assert!(matches!(fair(&rules), Outcome::Refuted(_)));
    let Outcome::Refuted(refutation) = fair(&Rules { given: None, ..partners }) else { panic!("no token") };
    assert!(refutation.start.iter().all(|s| *s == 0));
}

/// Herman's tokens on a line: the daemon chooses a token, which stays or moves right; the last agent keeps its token.
#[test]
fn herman_on_a_line() {
    let mut rules = tokens(&[Some(Place::Bottom), Some(Place::Middle)]);
    rules.tosses = (0..rules.moves.len()).map(|m| Toss { outcomes: vec![m], idle: true }).collect();
    let Outcome::Proved(proof) = fair(&rules) else { panic!("{:?}", fair(&rules)) };
    println!("{:?}", proof.certificate.measures);
    assert!((3..=6).all(|n| is_true(&rules, Scheduler::Unfair, Coins::Fair, n)));
}

/// On a ring a daemon moves tokens around, each as far as the others.
#[test]
fn herman_on_a_ring_under_an_unfair_daemon() {
    let mut rules = tokens(&[None]);
    rules.tosses = (0..rules.moves.len()).map(|m| Toss { outcomes: vec![m], idle: true }).collect();
    assert!(matches!(fair(&rules), Outcome::Refuted(_)));
}

/// Random protocols with random assumptions: none is proved that fails, and none refuted that holds.
#[test]
fn none_with_an_assumption_is_proved_that_fails() {
    let mut dice = Dice(1981);
    let (mut proved, mut refuted, mut others) = (0, 0, 0);
    for round in 0..120 {
        let at = round % 3;
        let scheduler = [Scheduler::Unfair, Scheduler::Distributed, Scheduler::Synchronous][at];
        let mut rules = random_rules(&mut dice, at == 0);
        rules.given = Some(format!("(1 S {})", ["x=0", "x=1", "m", "!x~0"][dice.below(4)]));
        let options = Options { attempts: 1, coins: Coins::Fair, ..Options::seconds(600) };
        match prove("random", &rules, &Sizes::from(3), scheduler, &options) {
            Ok(Outcome::Proved(_)) => {
                proved += 1;
                assert!((3..=5).all(|n| is_true(&rules, scheduler, Coins::Fair, n)), "{rules:?}");
            }
            Ok(Outcome::Refuted(r)) => {
                refuted += 1;
                assert!(r.size > 5 || !is_true(&rules, scheduler, Coins::Fair, r.size), "{rules:?}");
            }
            _ => others += 1,
        }
    }
    println!("{proved} proved, {refuted} refuted, {others} neither");
    assert!(proved > 5 && refuted > 10);
}
