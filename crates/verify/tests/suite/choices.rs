//! Fair coins, and agents that act at once, by definition: every choice of the daemon with its outcomes.

use crate::brute::{configurations, falls, given, promised};
use crate::dice::Dice;
use ringleader_verify::{
    Cell, Certificate, Coins, Goal, Mark, Measure, Move, Place, Possible, Rules, Scheduler, State, Toss, Variable,
    Window,
};
use std::collections::BTreeSet;

type Word = Vec<State>;

/// What one agent can be told to do: the cells that an outcome writes.
type Act = Vec<(usize, State)>;

fn fits(m: &Move, w: &[State], i: usize) -> Option<Act> {
    let n = w.len();
    let at = |k: usize| (i + n + k - m.centre()) % n;
    let cells = m.cells();
    let seen = cells.iter().enumerate().all(|(k, c)| w[at(k)] == c.before);
    let placed = m.place.is_none_or(|p| p == Place::of(i, n));
    let written = cells.iter().enumerate().filter(|(_, c)| c.before != c.after);
    (seen && placed).then(|| written.map(|(k, c)| (at(k), c.after)).collect())
}

/// The choices for one agent, each with its outcomes.
fn acts(rules: &Rules, w: &[State], i: usize) -> Vec<Vec<Act>> {
    let mut found = Vec::new();
    for (number, m) in rules.moves.iter().enumerate() {
        let toss = rules.tosses.iter().find(|toss| toss.outcomes.contains(&number));
        match (fits(m, w, i), toss) {
            (None, _) => {}
            (Some(act), None) => found.push(vec![act]),
            (Some(_), Some(toss)) if toss.outcomes[0] == number => {
                let mut outcomes: Vec<Act> =
                    toss.outcomes.iter().map(|o| fits(&rules.moves[*o], w, i).expect("the same window")).collect();
                outcomes.extend(toss.idle.then(Vec::new));
                found.push(outcomes);
            }
            _ => {}
        }
    }
    found
}

/// The choices for single agents: the agent, and the configurations that the outcomes lead to.
pub(crate) fn single(rules: &Rules, w: &[State]) -> Vec<(usize, Vec<Word>)> {
    let write = |act: &Act| {
        let mut v = w.to_vec();
        act.iter().for_each(|(i, s)| v[*i] = *s);
        v
    };
    let own = |i: usize| acts(rules, w, i).into_iter().map(move |outcomes| (i, outcomes.iter().map(write).collect()));
    (0..w.len()).flat_map(own).collect()
}

/// Every choice of the daemon, with the configurations that its outcomes lead to.
pub(crate) fn choices(rules: &Rules, w: &[State], scheduler: Scheduler) -> Vec<Vec<Word>> {
    let n = w.len();
    if scheduler == Scheduler::Unfair {
        return single(rules, w).into_iter().map(|(_, outcomes)| outcomes).collect();
    }
    let write = |acts: &[Act]| {
        let mut v = w.to_vec();
        acts.iter().flatten().for_each(|(i, s)| v[*i] = *s);
        v
    };
    let each: Vec<Vec<Vec<Act>>> = (0..n).map(|i| acts(rules, w, i)).collect();
    // Each agent's choice, or none; then each of these choices' outcomes.
    let mut sets: Vec<Vec<&Vec<Act>>> = vec![vec![]];
    for own in &each {
        let idles = scheduler == Scheduler::Distributed || own.is_empty();
        sets = sets
            .into_iter()
            .flat_map(|set| {
                let with = own.iter().map(|choice| [&set[..], &[choice]].concat()).collect::<Vec<_>>();
                with.into_iter().chain(idles.then_some(set))
            })
            .collect();
    }
    let outcomes = |set: &Vec<&Vec<Act>>| {
        let mut all: Vec<Vec<Act>> = vec![vec![]];
        for choice in set {
            all = all
                .iter()
                .flat_map(|acts| choice.iter().map(|a| [&acts[..], std::slice::from_ref(a)].concat()))
                .collect();
        }
        all.iter().map(|acts| write(acts)).collect()
    };
    sets.iter().filter(|set| !set.is_empty()).map(outcomes).collect()
}

/// What is wrong with a certificate at one size, by the argument.
pub(crate) fn refute(c: &Certificate, n: usize) -> Option<String> {
    let rules = &c.rules;
    let measures: Vec<Measure> = c.measures.iter().map(|m| m.parse().unwrap()).collect();
    let possible = |v: &Word| given(rules, v) && (0..n).all(|i| rules.possible.at(Place::of(i, n)).contains(&v[i]));
    for w in configurations(rules, n) {
        let choices = choices(rules, &w, c.scheduler);
        let mut next = choices.iter().flatten();
        if let Some(v) = next.clone().find(|v| !possible(v)) {
            return Some(format!("{w:?} -> {v:?}, which is no configuration"));
        }
        if c.safe.accepts(&w) {
            let Some(who) = promised(rules, &w) else { return Some(format!("{w:?} is not as promised")) };
            if let Some(v) = next.find(|v| !c.safe.accepts(v) || promised(rules, v).as_ref() != Some(&who)) {
                return Some(format!("{w:?} -> {v:?} is not safe"));
            }
            continue;
        }
        let falls = |v: &Word| falls(rules, &c.safe, &measures, &w, v);
        let fine = |outcomes: &Vec<Word>| match c.coins {
            Coins::Fair => outcomes.iter().any(falls),
            Coins::Adversarial => outcomes.iter().all(falls),
        };
        if choices.is_empty() || !choices.iter().all(fine) {
            return Some(format!("{w:?} does not descend"));
        }
    }
    None
}

/// Whether against every daemon the promise is kept from some point on, with probability 1, at one size: no daemon can stay
/// outside the largest closed set that keeps the promise, with any outcome of its coins.
pub(crate) fn is_true(rules: &Rules, scheduler: Scheduler, coins: Coins, n: usize) -> bool {
    let all: Vec<(Word, Vec<Vec<Word>>)> =
        configurations(rules, n).into_iter().map(|w| (w.clone(), choices(rules, &w, scheduler))).collect();
    let mut safe: BTreeSet<&Word> = all.iter().map(|(w, _)| w).filter(|w| promised(rules, w).is_some()).collect();
    let stays = |w: &Word, v: &Word| promised(rules, w) == promised(rules, v);
    while let Some((w, _)) = all
        .iter()
        .find(|(w, choices)| safe.contains(w) && choices.iter().flatten().any(|v| !safe.contains(v) || !stays(w, v)))
    {
        safe.remove(w);
    }
    // The daemon stays where it has a choice that keeps it there; where nothing is enabled it stays, too.
    let mut out: BTreeSet<&Word> = all.iter().map(|(w, _)| w).filter(|w| !safe.contains(w)).collect();
    let leaves = |out: &BTreeSet<&Word>, choices: &[Vec<Word>]| {
        let leads = |v: &Word| !out.contains(v);
        let leaves = |outcomes: &Vec<Word>| match coins {
            Coins::Fair => outcomes.iter().any(leads),
            Coins::Adversarial => outcomes.iter().all(leads),
        };
        !choices.is_empty() && choices.iter().all(leaves)
    };
    while let Some((w, _)) = all.iter().find(|(w, choices)| out.contains(w) && leaves(&out, choices)) {
        out.remove(w);
    }
    out.is_empty()
}

/// Rules of two or three states, some of them with coins. Agents write their neighbours' states if they act one at a time.
pub(crate) fn random_rules(dice: &mut Dice, alone: bool) -> Rules {
    let q = 2 + dice.below(2);
    let state = |dice: &mut Dice| dice.below(q) as State;
    let (mut moves, mut tosses) = (Vec::<Move>::new(), Vec::new());
    let [reads_left, reads_right, placed] = [(); 3].map(|()| dice.below(2) == 0);
    for _ in 0..2 + dice.below(4) {
        let seen = [state(dice), state(dice), state(dice)];
        let place = placed.then(|| *dice.pick(&Place::ALL));
        let number = 1 + dice.below(3);
        let first = moves.len();
        for _ in 0..number {
            let mut after = |before: State, own: bool| Cell {
                before,
                after: if own || alone && dice.below(3) == 0 { dice.below(q) as State } else { before },
            };
            let m = Move {
                rule: usize::from(first % 2 == 1),
                place,
                seen: None,
                left: reads_left.then(|| after(seen[0], false)),
                own: after(seen[1], true),
                right: reads_right.then(|| after(seen[2], false)),
            };
            if m.cells().iter().any(|c| c.before != c.after) && !moves.contains(&m) {
                moves.push(m);
            }
        }
        if moves.len() > first && dice.below(4) > 0 {
            tosses.push(Toss { outcomes: (first..moves.len()).collect(), idle: dice.below(2) == 0 });
        }
    }
    let mark = Window { own: Some(0), left: Some(1), ..Window::default() };
    Rules {
        states: (0..q).map(|s| s.to_string()).collect(),
        marks: vec![Mark { name: "m".into(), windows: vec![mark] }],
        variables: vec![Variable { name: "x".into(), size: q as u8, values: (0..q as u8).collect() }],
        rules: vec!["a".into(), "b".into()],
        moves,
        tosses,
        given: None,
        possible: Possible::all(q),
        detector: None,
        goal: Goal::Everywhere { formula: ["x=0", "!x=1", "x~0", "1"][dice.below(4)].into() },
    }
}
