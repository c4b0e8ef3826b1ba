//! The steps of ring algorithms against the published rules, written a second time, over all pairs of states.

use ringleader_algorithms::ring::alternator::Alternator;
use ringleader_algorithms::ring::burns_pachl::{self, BurnsPachl};
use ringleader_algorithms::ring::fich_johnen::{FichJohnen, State, Tag};
use ringleader_algorithms::ring::gouda_haddix::{self, GoudaHaddix};
use ringleader_model::{Coin, NoCoin, Place, Ring, View, number};

/// What a process that reads its left neighbour sees.
fn view<S: Copy>(at: Place, left: S, own: S) -> View<S> {
    View { at, left, own, right: own }
}

/// A value of Fich and Johnen's table: a condition on v_L or v, or a new value.
#[derive(Clone, Copy)]
enum V {
    Any,
    /// n
    N,
    /// n - 1
    N1,
    NotN,
    NotN1,
    NotN1OrN,
}

#[derive(Clone, Copy)]
enum New {
    One,
    N,
    Keep,
    /// v + 1
    Count,
    Left,
    /// 1 + v_L
    After,
    /// 1 + (v_L mod n)
    AfterMod,
}

/// Left tags, condition on v_L, own tags, condition on v, whether v >= v_L (if that counts), new tag, new value.
type Action = (&'static str, V, &'static str, V, Option<bool>, char, New);

/// Fich and Johnen's 18 actions as data.
const ACTIONS: [Action; 18] = [
    ("BD", V::Any, "cd", V::Any, None, 'd', New::One),
    ("d", V::NotN1, "cd", V::Any, None, 'd', New::AfterMod),
    ("cC", V::Any, "d", V::Any, None, 'c', New::Left),
    ("C", V::Any, "c", V::Any, None, 'd', New::One),
    ("c", V::Any, "c", V::Any, None, 'B', New::One),
    ("d", V::N1, "cd", V::Any, None, 'B', New::One),
    ("Bcd", V::Any, "B", V::NotN, None, 'B', New::Count),
    ("d", V::Any, "B", V::N, None, 'D', New::AfterMod),
    ("B", V::Any, "B", V::N, None, 'D', New::One),
    ("c", V::Any, "B", V::N, None, 'B', New::N),
    ("CD", V::Any, "BCD", V::Any, None, 'd', New::One),
    ("B", V::Any, "CD", V::Any, None, 'D', New::One),
    ("c", V::Any, "CD", V::Any, Some(true), 'D', New::Keep),
    ("c", V::Any, "CD", V::Any, Some(false), 'd', New::N),
    ("d", V::N, "D", V::Any, None, 'D', New::Keep),
    ("d", V::NotN1OrN, "D", V::Any, None, 'C', New::After),
    ("d", V::Any, "C", V::Any, None, 'D', New::AfterMod),
    ("d", V::N1, "D", V::Any, None, 'D', New::N),
];

fn letter(tag: Tag) -> char {
    match tag {
        Tag::c => 'c',
        Tag::d => 'd',
        Tag::B => 'B',
        Tag::C => 'C',
        Tag::D => 'D',
    }
}

fn applies(n: u32, action: &Action, left: State, own: State) -> bool {
    let holds = |v: V, value: u32| match v {
        V::Any => true,
        V::N => value == n,
        V::N1 => value == n - 1,
        V::NotN => value != n,
        V::NotN1 => value != n - 1,
        V::NotN1OrN => value != n - 1 && value != n,
    };
    action.0.contains(letter(left.tag))
        && holds(action.1, left.v)
        && action.2.contains(letter(own.tag))
        && holds(action.3, own.v)
        && action.4.is_none_or(|at_least| at_least == (own.v >= left.v))
}

/// Hears which action fired.
struct Ear(u8);

impl Coin for Ear {
    fn below(&mut self, _: u32) -> u32 {
        panic!("the algorithm is deterministic")
    }
    fn fired(&mut self, rule: u8) {
        self.0 = rule;
    }
}

/// "As printed, the 18 actions are total and do not overlap": exactly one applies to every pair, and it is the one that the
/// algorithm takes, for every n up to 7.
#[test]
fn fich_johnen_has_18_actions_total_and_disjoint() {
    for n in 2..=7 {
        let algorithm = FichJohnen { size: n };
        let mut taken = [false; 18];
        for left in number::all(&algorithm) {
            for own in number::all(&algorithm) {
                let found: Vec<usize> = (0..18).filter(|&a| applies(n, &ACTIONS[a], left, own)).collect();
                assert_eq!(found.len(), 1, "{left:?} {own:?}: {found:?}");
                let (_, _, _, _, _, tag, new) = ACTIONS[found[0]];
                let v = match new {
                    New::One => 1,
                    New::N => n,
                    New::Keep => own.v,
                    New::Count => own.v + 1,
                    New::Left => left.v,
                    New::After => 1 + left.v,
                    New::AfterMod => 1 + left.v % n,
                };
                let mut ear = Ear(0);
                let after = algorithm.act(view(Place::Other, left, own), &mut ear);
                assert_eq!(
                    (letter(after.tag), after.v, usize::from(ear.0)),
                    (tag, v, found[0] + 1),
                    "{left:?} {own:?}"
                );
                taken[found[0]] = true;
            }
        }
        // For n = 2 every value is n - 1 or n, so that action 16 has nothing to apply to.
        assert!(taken.iter().enumerate().all(|(a, &taken)| taken || (n == 2 && a + 1 == 16)), "{n}: {taken:?}");
    }
}

/// Every combination of place, left and own bits, with the token and the enabling read off the definition.
#[test]
fn gouda_haddix_follows_its_rules() {
    for (bottom, place) in [(true, Place::Bottom), (false, Place::Other)] {
        for left in number::all(&GoudaHaddix) {
            for own in number::all(&GoudaHaddix) {
                let enabled = if bottom { left.e == own.e } else { left.e != own.e };
                let token = if bottom { left.t == own.t } else { left.t != own.t };
                let follow = |bit: bool| if bottom { !bit } else { bit };
                let (t, r) = match (token, own.t || own.r) {
                    (false, _) => (own.t, false),
                    (true, true) => (follow(left.t), false),
                    (true, false) => (own.t, true),
                };
                let expected = if enabled { gouda_haddix::State { e: follow(left.e), t, r } } else { own };
                assert_eq!(GoudaHaddix.act(view(place, left, own), &mut NoCoin), expected, "{bottom} {left:?} {own:?}");
                assert_eq!(GoudaHaddix.marks(view(place, left, own)).token(), token);
            }
        }
    }
}

/// The rules over the tags 0, 2, 3, .., n-2 themselves, 0 as 0; at most one of them applies.
#[test]
fn burns_pachl_follows_its_rules() {
    let plain = |s: burns_pachl::State| (s.label, if s.tag == burns_pachl::ZERO { 0 } else { s.tag });
    for n in [3, 5, 7] {
        let algorithm = BurnsPachl { size: n };
        let m = n - 1;
        assert_eq!(number::states(&algorithm), Some(u64::from((n - 1) * (n - 2))));
        for left in number::all(&algorithm) {
            for own in number::all(&algorithm) {
                let ((a, s), (b, t)) = (plain(left), plain(own));
                let (g, next) = ((m + b - a) % m, (a + 1) % m);
                let rules = [
                    (b != next && (b != 0 || (t == g && (t == 0 || t < s))), (next, g)),
                    (b == 0 && b != next && t != g, (0, g)),
                    (b == next && b != 0 && t != s, (b, s)),
                ];
                assert!(rules.iter().filter(|rule| rule.0).count() <= 1);
                let expected = rules.iter().find(|rule| rule.0).map_or((b, t), |rule| rule.1);
                let after = algorithm.act(view(Place::Other, left, own), &mut NoCoin);
                assert_eq!(plain(after), expected, "{left:?} {own:?}");
            }
        }
    }
}

/// m is the least integer that does not divide n: one bit for odd n, and 3 for n = 2.
#[test]
fn the_alternator_counts_modulo_the_least_non_divisor() {
    let moduli = [2, 3, 4, 6, 12, 60, 7, 15].map(|n| Alternator::new(GoudaHaddix, n).modulus);
    assert_eq!(moduli, [3, 2, 3, 4, 5, 7, 2, 2]);
}

/// Only a privileged process acts, and then takes exactly one step of the algorithm behind the alternator.
#[test]
fn the_alternator_gates_the_inner_step() {
    for (size, modulus) in [(2, 3), (3, 2)] {
        let inner = FichJohnen { size };
        let gated = Alternator::new(inner, size as usize);
        for left in number::all(&gated) {
            for own in number::all(&gated) {
                let after = gated.act(view(Place::Other, left, own), &mut NoCoin);
                let privileged = if modulus == 2 { own.lower == left.lower } else { own.lower != (left.lower + 1) % 3 };
                if privileged {
                    assert_eq!(after.lower, (left.lower + 1) % modulus);
                    assert_eq!(after.upper, inner.act(view(Place::Other, left.upper, own.upper), &mut NoCoin));
                } else {
                    assert_eq!(after, own);
                }
            }
        }
    }
}
