//! Random rule tables.

use super::*;
use ringleader_model::Place;

/// A random system of two to four agents with a few states. Half of them mostly make sense: of two leaders one resigns, and
/// where the detector sees none, or at the bottom process, one appears; the others change states at random, rarely.
///
/// Half of the systems are rings of processes; of those some read both neighbours, some stand in a line, and the first and the
/// last may have rules of their own. The same system comes plain and, if it is anonymous, up to rotation.
pub(crate) fn random_surveys(dice: &mut Dice) -> Surveys {
    let (agents, states) = [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)][dice.below(6) as usize];
    let ring = dice.below(2) == 0;
    let inputs = !ring && dice.below(2) == 0 && agents * states <= 8;
    let (both_sides, line) = (ring && dice.below(3) == 0, ring && dice.below(4) == 0);
    let sides = if dice.below(4) == 0 { 2 } else { 1 };
    // State 0 is a leader's and state 1 is not.
    let leader: Vec<bool> = (0..states).map(|s| s == 0 || (s > 1 && dice.below(4) == 0)).collect();
    let rule = Rule { states, ring, inputs, sensible: dice.below(2) == 0, lazy: 2 + dice.below(4), leader: &leader };
    let contexts = match (inputs, both_sides) {
        (true, _) => 4,
        (_, true) => states as usize,
        _ => 1,
    };
    let table = |dice: &mut Dice, at: Place| {
        let (mut calls, mut known) = (0, HashMap::new());
        RuleTable::from_rule(states as usize, contexts, sides, |context, l, r| {
            // At its ends a process reads no state beyond the line.
            let seen =
                (if line && at == Place::Bottom { 0 } else { l }, if line && at == Place::Top { 0 } else { context });
            calls += 1;
            let drawn = known.entry((seen, r, calls % sides)).or_insert_with(|| rule.draw(dice, at, context, l, r));
            (if ring { l } else { drawn.0 }, drawn.1, drawn.2.clone())
        })
    };
    let other = table(dice, Place::Other);
    // Half of the rings have a bottom process, some a top one, and a line has both.
    let bottom = if ring && (line || dice.below(2) == 0) { table(dice, Place::Bottom) } else { other.clone() };
    let top = if ring && (line || dice.below(4) == 0) { table(dice, Place::Top) } else { other.clone() };
    let tables = if ring { vec![bottom, other, top] } else { vec![other] };
    let n = agents as usize;
    let place = |i: usize| if i == 0 { 0 } else { 1 + usize::from(i + 1 == n) };
    let arcs: Vec<(usize, usize, usize)> = match (ring, dice.below(3)) {
        (true, _) => (0..n).map(|i| ((i + n - 1) % n, i, place(i))).collect(),
        (false, 0) => (0..n).flat_map(|i| (0..n).filter(move |&j| j != i).map(move |j| (i, j, 0))).collect(),
        (false, _) => (0..n).map(|i| (i, (i + 1) % n, 0)).collect(),
    };
    let space = MixedRadix::new(n, u64::from(states)).unwrap();
    let system = System::new(space, arcs, tables, Marked::Own(leader), ring);
    let system = if line { system.as_line() } else { system };
    // The own safe set is any set of correct configurations, up to rotation. The checker must find out whether it is
    // closed.
    let draw = |dice: &mut Dice, one_in: u32| (0..system.space.size()).map(|_| dice.below(one_in) == 0).collect();
    let chosen: Vec<bool> = draw(dice, 8);
    let some = dice.below(4) == 0;
    // Some systems have another set of the proof. It may be closed if it contains few leaders.
    let (most, named) = (dice.below(3), dice.below(4) == 0);
    // No configuration with one leader is its own rotation. So some rings of processes have as goal any set, up to
    // rotation.
    let (one_leader, good): (bool, Vec<bool>) = (!ring || dice.below(3) > 0, draw(dice, 2));
    let least = |digits: &[u32]| {
        let turned = (0..n).map(|by| [&digits[by..], &digits[..by]].concat());
        turned.map(|digits| system.space.encode(&digits)).min().unwrap() as usize
    };
    let label = |digits: &[u32]| match system.leaders(system.space.encode(digits)) {
        mask if one_leader && mask.count_ones() == 1 => mask.trailing_zeros() as u8,
        _ if !one_leader && good[least(digits)] => 0,
        _ => INCORRECT,
    };
    let own = |digits: &[u32]| some && label(digits) != INCORRECT && chosen[least(digits)];
    let other = |system: &System, node: u32| {
        let configuration = system.configuration(node);
        let few = system.leaders(configuration).count_ones() <= most;
        few || chosen[least(&system.space.digits(configuration))]
    };
    let survey = |system: System| {
        let mut survey =
            Survey::from_parts(system, if one_leader { Goal::OneLeader } else { Goal::Holds("a set") }, label, own);
        let system = &survey.system;
        let members = Bits::new(system.size());
        (0..system.size() as u32).filter(|&node| other(system, node)).for_each(|node| assert!(members.insert(node)));
        survey.sets.extend(named.then(|| NamedSet { name: "A".into(), claim: "Lemma 1".into(), members }));
        survey
    };
    let folded = system.clone().up_to_rotation(&Monitor::new(2)).unwrap();
    Surveys { plain: survey(system.clone()), folded: survey(folded) }
}

/// The distribution of rules.
struct Rule<'a> {
    states: u32,
    ring: bool,
    inputs: bool,
    sensible: bool,
    lazy: u32,
    leader: &'a [bool],
}

impl Rule<'_> {
    /// New states and the rules that fired.
    fn draw(&self, dice: &mut Dice, at: Place, context: usize, l: u32, r: u32) -> (u32, u32, Vec<u8>) {
        let leads = |s: u32| self.leader[s as usize];
        let bottom = at == Place::Bottom;
        let rules = vec![dice.below(3) as u8 + 1];
        if self.sensible && dice.below(12) > 0 {
            let (left, right) = match (self.ring, leads(l), leads(r)) {
                (true, ..) => (l, if leads(r) == bottom { r } else { u32::from(!bottom) }),
                (false, true, true) => (l, 1),
                // Contexts 0 and 1: the detector tells the left agent that there is no leader.
                (false, false, false) if self.inputs && context < 2 => (0, r),
                _ => (l, r),
            };
            return (left, right, rules);
        }
        let pick = |dice: &mut Dice, old: u32| if dice.below(self.lazy) > 0 { old } else { dice.below(self.states) };
        let left = if self.ring { l } else { pick(dice, l) };
        (left, pick(dice, r), rules)
    }
}
