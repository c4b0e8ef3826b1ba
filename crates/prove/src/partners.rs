//! Population protocols in which the daemon chooses the initiator, and a fair coin its partner.

use crate::{NoRules, refuse_if};
use ringleader_verify::{Cell, Move, Rules, State, Toss};

/// The rules of a population protocol on undirected rings if a fair coin chooses the responder among the initiator's two neighbours.
/// A move then reads both neighbours, and each coin of the protocol is part of this one.
///
/// ```
/// use ringleader_prove::random_partners;
/// use ringleader_verify::{Cell, Goal, Move, Possible, Rules, Variable};
///
/// // A token moves to the responder.
/// let to = |responder: Cell| Move { rule: 0, place: None, seen: None, left: None, own: Cell { before: 1, after: 0 }, right: Some(responder) };
/// let right = [to(Cell { before: 0, after: 1 }), to(Cell { before: 1, after: 1 })];
/// let left = right.map(|m| Move { left: m.right, right: None, ..m });
/// let rules = Rules {
///     states: vec!["0".into(), "1".into()],
///     variables: vec![Variable { name: "token".into(), size: 2, values: vec![0, 1] }],
///     marks: vec![],
///     rules: vec!["pass".into()],
///     moves: [right, left].concat(),
///     tosses: vec![],
///     given: Some("(1 S token)".into()),
///     possible: Possible::all(2),
///     detector: None,
///     goal: Goal::ExactlyOne { of: vec!["token".into()], stays: false },
/// };
/// let partners = random_partners(&rules).unwrap();
/// // A coin of two sides for each pair of neighbours, except for two tokens: there both sides have the same effect.
/// assert_eq!((partners.tosses.len(), partners.moves.len()), (3, 7));
/// ```
pub fn random_partners(rules: &Rules) -> Result<Rules, NoRules> {
    let meets = |m: &Move| m.place.is_none() && m.seen.is_none() && m.left.is_some() != m.right.is_some();
    let mirrored = |m: &Move| {
        let mirror = Move { left: m.right, right: m.left, ..*m };
        rules.moves.iter().any(|other| Move { rule: m.rule, ..*other } == mirror)
    };
    refuse_if(!rules.moves.iter().all(|m| meets(m) && mirrored(m)), NoRules::NoPartners)?;
    let states = || 0..rules.states.len() as State;
    let (mut moves, mut tosses): (Vec<Move>, Vec<Toss>) = (vec![], vec![]);
    for (left, own, right) in states().flat_map(|l| states().flat_map(move |o| states().map(move |r| (l, o, r)))) {
        let same = |s: State| Some(Cell { before: s, after: s });
        let whole = |m: &Move| Move { left: m.left.or(same(left)), right: m.right.or(same(right)), ..*m };
        let meets = |cell: Option<Cell>, state: State| cell.is_some_and(|c| c.before == state);
        let mut outcomes: Vec<Move> = vec![];
        let mut idle = false;
        for on_left in [true, false] {
            let side = |m: &Move| if on_left { meets(m.left, left) } else { meets(m.right, right) };
            let own = (0..rules.moves.len()).filter(|&i| rules.moves[i].own.before == own && side(&rules.moves[i]));
            let own: Vec<usize> = own.collect();
            let toss = rules.tosses.iter().find(|toss| own.iter().any(|i| toss.outcomes.contains(i)));
            // More moves than those of one coin are a choice of the daemon.
            refuse_if(own.len() > toss.map_or(1, |toss| toss.outcomes.len()), NoRules::Chooses)?;
            idle |= toss.map_or(own.is_empty(), |toss| toss.idle);
            for outcome in own.iter().map(|&i| whole(&rules.moves[i])) {
                if !outcomes.contains(&outcome) {
                    outcomes.push(outcome);
                }
            }
        }
        if outcomes.len() > 1 || idle && !outcomes.is_empty() {
            tosses.push(Toss { outcomes: (moves.len()..moves.len() + outcomes.len()).collect(), idle });
        }
        moves.append(&mut outcomes);
    }
    Ok(Rules { moves, tosses, ..rules.clone() })
}

/// Whether rules are those of [`random_partners`]: no other rules of a population read both neighbours.
pub fn has_random_partners(rules: &Rules) -> bool {
    rules.moves.iter().any(|m| m.place.is_none() && m.left.is_some() && m.right.is_some())
}
