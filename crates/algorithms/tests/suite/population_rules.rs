//! The transition functions of population protocols against the published rules, written a second time, over all pairs of
//! states.

use ringleader_algorithms::population::angluin_ring::{self, AngluinRing};
use ringleader_algorithms::population::layers::two_hop_colouring::{self, TwoHopColouring};
use ringleader_algorithms::population::ring_orientation::{self, RingOrientation};
use ringleader_algorithms::population::token_circulation::{self, TokenCirculation};
use ringleader_algorithms::population::yokota_ring::{self, YokotaRing};
use ringleader_model::{NoCoin, Odometer, Population, Told, number};

/// leader, bullet, shield, signal, distL.
type Yokota = [u32; 5];

/// Yokota, Sudo and Masuzawa's Algorithm 1, lines 1 to 16 as printed, over plain numbers.
fn algorithm_1(n: u32, mut l: Yokota, mut r: Yokota) -> (Yokota, Yokota) {
    const LEADER: usize = 0;
    const BULLET: usize = 1;
    const SHIELD: usize = 2;
    const SIGNAL: usize = 3;
    const DIST: usize = 4;
    l[DIST] = if l[LEADER] == 1 { 0 } else { l[DIST] }; // 1
    r[DIST] = match (r[LEADER], r[BULLET]) {
        (1, _) => 0,
        (0, 0) => n.min(l[DIST] + 1),
        _ => r[DIST],
    }; // 2
    if r[DIST] == n {
        // 3
        (r[LEADER], r[DIST]) = (1, 0); // 4
        (r[BULLET], r[SHIELD], r[SIGNAL]) = (2, 1, 0); // 5
    }
    if l[LEADER] == 1 && l[SIGNAL] == 1 {
        (l[BULLET], l[SHIELD], l[SIGNAL]) = (2, 1, 0); // 6, 7
    }
    if r[LEADER] == 1 && r[SIGNAL] == 1 {
        (r[BULLET], r[SHIELD], r[SIGNAL]) = (1, 0, 0); // 8, 9
    }
    if l[BULLET] > 0 && r[LEADER] == 1 {
        r[LEADER] = if l[BULLET] == 2 && r[SHIELD] == 0 { 0 } else { 1 }; // 10, 11
        l[BULLET] = 0; // 12
    } else if l[BULLET] > 0 && r[LEADER] == 0 {
        r[BULLET] = if r[BULLET] == 0 { l[BULLET] } else { r[BULLET] }; // 13, 14
        (l[BULLET], r[SIGNAL]) = (0, 0); // 15
    }
    l[SIGNAL] = l[SIGNAL].max(r[SIGNAL]).max(r[LEADER]); // 16
    (l, r)
}

#[test]
fn yokota_ring_is_algorithm_1() {
    let numbers = |s: yokota_ring::State| [s.leader.into(), s.bullet.into(), s.shield.into(), s.signal.into(), s.dist];
    for bound in 2..=4 {
        let protocol = YokotaRing { bound };
        for l in number::all(&protocol) {
            for r in number::all(&protocol) {
                let (l2, r2) = protocol.interact(l, r, Told::both(true), &mut NoCoin);
                assert_eq!((numbers(l2), numbers(r2)), algorithm_1(bound, numbers(l), numbers(r)), "{l:?} {r:?}");
            }
        }
    }
}

/// The rules of Angluin et al. as assignments to the variables of u and v: leader, bullet, probe, phase, label.
///
/// A line applies if its condition, over the old values, holds; the lines that apply write different variables.
fn angluin(k: u32, u: [u32; 5], v: [u32; 5]) -> ([u32; 5], [u32; 5]) {
    let next = (u[4] + 1) % k;
    let barrier = v[4] != next;
    let same = [None; 5];
    let at = |i: usize, value| {
        let mut all = same;
        all[i] = Some(value);
        all
    };
    let rules = [
        (barrier && u[2] == 1, [Some(1), None, Some(0), None, None], same),
        (barrier && u[3] == 0, at(3, 1), same),
        (barrier && u[3] == 0 && v[0] == 0, same, at(2, 1)),
        (barrier && u[3] == 1 && v[2] == 0, same, [None, Some(0), None, Some(0), Some(next)]),
        (!barrier && v[0] == 1 && v[1] == 1, same, at(0, 0)),
        (!barrier && v[0] == 1 && v[1] == 0, [None, Some(1), Some(0), None, None], same),
        (!barrier && v[0] == 0 && v[1] == 1, at(1, 1), at(1, 0)),
        (!barrier && v[0] == 0 && u[2] == 1, at(2, 0), at(2, 1)),
    ];
    let (mut u2, mut v2) = (u, v);
    for (_, on_u, on_v) in rules.iter().filter(|rule| rule.0) {
        for i in 0..5 {
            u2[i] = on_u[i].unwrap_or(u2[i]);
            v2[i] = on_v[i].unwrap_or(v2[i]);
        }
    }
    (u2, v2)
}

#[test]
fn angluin_ring_follows_its_rules() {
    let numbers = |s: angluin_ring::State| [s.leader.into(), s.bullet.into(), s.probe.into(), s.phase.into(), s.label];
    for modulus in 2..=4 {
        let protocol = AngluinRing { modulus };
        for u in number::all(&protocol) {
            for v in number::all(&protocol) {
                let (u2, v2) = protocol.interact(u, v, Told::both(true), &mut NoCoin);
                assert_eq!((numbers(u2), numbers(v2)), angluin(modulus, numbers(u), numbers(v)), "{u:?} {v:?}");
            }
        }
    }
}

/// All 64 pairs: leader of v, labels of u and v; what becomes of v's label, if the token moves.
#[test]
fn token_circulation_follows_its_rules() {
    let table = [
        ((true, false, false), Some(true)),
        ((true, true, true), Some(false)),
        ((true, false, true), None),
        ((true, true, false), None),
        ((false, false, true), Some(false)),
        ((false, true, false), Some(true)),
        ((false, false, false), None),
        ((false, true, true), None),
    ];
    for u in number::all(&TokenCirculation) {
        for v in number::all(&TokenCirculation) {
            let (_, label) =
                table.iter().find(|row| row.0 == (v.leader, u.label, v.label)).expect("all rows are there");
            let expected = match *label {
                None => (u, v),
                Some(label) => (
                    token_circulation::State { token: false, ..u },
                    token_circulation::State { label, token: true, ..v },
                ),
            };
            assert_eq!(TokenCirculation.interact(u, v, Told::both(true), &mut NoCoin), expected);
        }
    }
}

/// Each outcome of the colouring's rule, with the new colours of u in increasing order.
fn colouring(
    u: two_hop_colouring::State,
    v: two_hop_colouring::State,
) -> Vec<(two_hop_colouring::State, two_hop_colouring::State)> {
    let (cu, cv) = (usize::from(u.colour), usize::from(v.colour));
    if u.flags[cv] == v.flags[cu] {
        let (mut u2, mut v2) = (u, v);
        u2.flags[cv] = !u.flags[cv];
        v2.flags[cu] = !v.flags[cu];
        return vec![(u2, v2)];
    }
    let others = (0..3).filter(|&colour| colour != u.colour);
    let recoloured = others.map(|colour| {
        let mut u2 = two_hop_colouring::State { colour, ..u };
        u2.flags[cv] = v.flags[usize::from(colour)];
        (u2, v)
    });
    recoloured.collect()
}

#[test]
fn two_hop_colouring_follows_its_rule() {
    for u in number::all(&TwoHopColouring) {
        for v in number::all(&TwoHopColouring) {
            let mut outcomes = vec![];
            Odometer::each(|coin| outcomes.push(TwoHopColouring.interact(u, v, Told::both(true), coin)));
            outcomes.sort_by_key(|(u, _)| u.colour);
            assert_eq!(outcomes, colouring(u, v), "{u:?} {v:?}");
        }
    }
}

/// Above colours that do not change (all bits are equal), over all colours, predecessors and successors.
#[test]
fn ring_orientation_follows_its_rules() {
    let states = || {
        number::all(&RingOrientation)
            .filter(|s| s.colouring.flags == [false; 3])
            .map(|s| (s.colouring.colour, s.pre, s.suc))
    };
    let state = |(colour, pre, suc)| ring_orientation::State {
        colouring: two_hop_colouring::State { colour, flags: [false; 3] },
        pre,
        suc,
    };
    for u @ (cu, pre_u, suc_u) in states() {
        for v @ (cv, pre_v, suc_v) in states() {
            let (u2, v2) = RingOrientation.interact(state(u), state(v), Told::both(true), &mut NoCoin);
            let expected = if cv == pre_u && pre_u != suc_u {
                ((pre_u, suc_u), (pre_v, cu))
            } else if cv == suc_u && suc_u != pre_u {
                ((pre_u, suc_u), (cu, suc_v))
            } else {
                ((cv, suc_u), (pre_v, cu))
            };
            assert_eq!(((u2.pre, u2.suc), (v2.pre, v2.suc)), expected, "{u:?} {v:?}");
        }
    }
}
