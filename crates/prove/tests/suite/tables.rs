//! The tables of the tests are the built-in algorithms: state by state, step by step.

use crate::subjects;
use ringleader_algorithms::population::angluin_ring::{self, AngluinRing};
use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::{self, FischerJiangRing};
use ringleader_algorithms::population::token_circulation::{self, TokenCirculation};
use ringleader_algorithms::ring::gouda_haddix::{self, GoudaHaddix};
use ringleader_model::{NoCoin, Place as At, Population, Ring, Told, View, number};
use ringleader_verify::{Move, Place, Rules, State};

/// The outcome of an interaction by the table.
pub(crate) fn interaction(rules: &Rules, seen: bool, (u, v): (State, State)) -> (State, State) {
    let fits = |m: &&Move| {
        let right = m.right.expect("an interaction");
        m.seen.is_none_or(|s| s == seen) && (m.own.before, right.before) == (u, v)
    };
    let mut found = rules.moves.iter().filter(fits);
    let to = found.next().map_or((u, v), |m| (m.own.after, m.right.expect("an interaction").after));
    assert!(found.next().is_none());
    to
}

#[test]
fn fischer_jiang() {
    let rules = subjects::fischer_jiang();
    let code =
        |s: fischer_jiang_ring::State| State::from(s.bullet) * 4 + State::from(s.leader) * 2 + State::from(s.shield);
    for u in number::all(&FischerJiangRing) {
        for v in number::all(&FischerJiangRing) {
            for seen in [false, true] {
                let (a, b) = FischerJiangRing.interact(u, v, Told::both(seen), &mut NoCoin);
                assert_eq!(interaction(&rules, seen, (code(u), code(v))), (code(a), code(b)));
            }
        }
    }
}

#[test]
fn angluin() {
    let rules = subjects::angluin();
    let ring = AngluinRing { modulus: 2 };
    let code = |s: angluin_ring::State| {
        let bits = [s.leader, s.bullet, s.probe, s.phase, s.label == 1];
        bits.iter().fold(0, |code, &bit| 2 * code + State::from(bit))
    };
    for u in number::all(&ring) {
        for v in number::all(&ring) {
            let (a, b) = ring.interact(u, v, Told::both(true), &mut NoCoin);
            assert_eq!(interaction(&rules, true, (code(u), code(v))), (code(a), code(b)));
        }
    }
}

#[test]
fn fischer_jiang_complete() {
    let rules = subjects::fischer_jiang_complete();
    for u in number::all(&FischerJiangComplete) {
        for v in number::all(&FischerJiangComplete) {
            for seen in [false, true] {
                let (a, b) = FischerJiangComplete.interact(u, v, Told::both(seen), &mut NoCoin);
                let met = interaction(&rules, seen, (u.leader.into(), v.leader.into()));
                assert_eq!(met, (a.leader.into(), b.leader.into()));
            }
        }
    }
}

#[test]
fn tokens() {
    let rules = subjects::token_circulation();
    let code =
        |s: token_circulation::State| State::from(s.leader) * 4 + State::from(s.label) * 2 + State::from(s.token);
    for u in number::all(&TokenCirculation) {
        for v in number::all(&TokenCirculation) {
            let (a, b) = TokenCirculation.interact(u, v, Told::both(true), &mut NoCoin);
            assert_eq!(interaction(&rules, true, (code(u), code(v))), (code(a), code(b)));
        }
    }
}

#[test]
fn gouda_and_haddix() {
    let rules = subjects::gouda_haddix();
    let code = |s: gouda_haddix::State| State::from(s.e) * 4 + State::from(s.t) * 2 + State::from(s.r);
    for left in number::all(&GoudaHaddix) {
        for own in number::all(&GoudaHaddix) {
            for place in Place::ALL {
                let at = if place == Place::Bottom { At::Bottom } else { At::Other };
                let to = GoudaHaddix.act(View { at, left, own, right: own }, &mut NoCoin);
                let fits = |m: &&Move| {
                    let sees = m.left.expect("it reads its left neighbour").before;
                    m.place == Some(place) && (sees, m.own.before) == (code(left), code(own))
                };
                let found = rules.moves.iter().find(fits).map_or(code(own), |m| m.own.after);
                assert_eq!(found, code(to));
            }
        }
    }
}
