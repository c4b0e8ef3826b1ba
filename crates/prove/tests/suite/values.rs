//! Rings whose values grow: proofs against brute force that follows the definition, on every algorithm of the class with few rules.

use ringleader_prove::{Options, ValuesOutcome, prove_values};
use ringleader_verify::{Place, Scheduler, Takes, ValueMove, ValueRules, ValueWindow, verify_values};

fn window(place: Place, left: Option<bool>, right: Option<bool>) -> ValueWindow {
    ValueWindow { place, left, right }
}

/// An algorithm in which a process has the token where it can act.
fn algorithm(moves: Vec<(ValueWindow, Takes)>) -> ValueRules {
    let mut token: Vec<ValueWindow> = moves.iter().map(|(sees, _)| *sees).collect();
    token.dedup();
    let rule = |takes| usize::from(takes != Takes::Next);
    let moves = moves.into_iter().map(|(sees, takes)| ValueMove { rule: rule(takes), sees, takes }).collect();
    ValueRules { rules: vec!["count".into(), "copy".into()], moves, token }
}

fn k_state() -> ValueRules {
    algorithm(vec![
        (window(Place::Bottom, Some(true), None), Takes::Next),
        (window(Place::Middle, Some(false), None), Takes::Left),
        (window(Place::Top, Some(false), None), Takes::Left),
    ])
}

/// Whether every execution reaches a configuration from which there is one token for ever: by the definition, without symmetries.
fn holds(rules: &ValueRules, n: usize, k: usize, scheduler: Scheduler) -> bool {
    let count = k.pow(n as u32);
    let values = |code: usize| (0..n).map(|i| code / k.pow(i as u32) % k).collect::<Vec<_>>();
    let sees = |w: &ValueWindow, v: &[usize], i: usize| {
        let fits = |wanted: Option<bool>, j: usize| wanted.is_none_or(|same| same == (v[j % n] == v[i]));
        w.place == Place::of(i, n) && fits(w.left, i + n - 1) && fits(w.right, i + 1)
    };
    let next = |code: usize| {
        let v = values(code);
        let options: Vec<Vec<usize>> = (0..n)
            .map(|i| {
                let new = |m: &ValueMove| match m.takes {
                    Takes::Next => (v[i] + 1) % k,
                    Takes::Left => v[(i + n - 1) % n],
                    Takes::Right => v[(i + 1) % n],
                };
                rules.moves.iter().filter(|m| sees(&m.sees, &v, i)).map(new).collect()
            })
            .collect();
        let mut all = vec![(0, 0)];
        for (i, new) in options.iter().enumerate() {
            let place = k.pow(i as u32);
            let kept: Vec<_> = all.iter().map(|(sum, acts)| (sum + v[i] * place, *acts)).collect();
            let acted = all.iter().flat_map(|(sum, acts)| new.iter().map(move |value| (sum + value * place, acts + 1)));
            all = acted.chain(kept).collect();
        }
        let allowed = |acts: usize| acts == 1 || acts > 1 && scheduler == Scheduler::Distributed;
        all.into_iter().filter(|(_, acts)| allowed(*acts)).map(|(to, _)| to).collect::<Vec<_>>()
    };
    let steps: Vec<Vec<usize>> = (0..count).map(next).collect();
    let tokens = |code: usize| {
        let v = values(code);
        (0..n).filter(|&i| rules.token.iter().any(|w| sees(w, &v, i))).count()
    };
    let mut safe: Vec<bool> = (0..count).map(|code| tokens(code) == 1).collect();
    while let Some(code) = (0..count).find(|&c| safe[c] && steps[c].iter().any(|&to| !safe[to])) {
        safe[code] = false;
    }
    let mut good = safe;
    while let Some(code) = (0..count).find(|&c| !good[c] && !steps[c].is_empty() && steps[c].iter().all(|&to| good[to]))
    {
        good[code] = true;
    }
    good.into_iter().all(|good| good)
}

fn proved(rules: &ValueRules, from: usize, scheduler: Scheduler) -> ValuesOutcome {
    prove_values("values", rules, from, scheduler, &Options { attempts: 1, ..Options::seconds(60) }).expect("suitable")
}

#[test]
fn dijkstras_k_states_for_every_n_and_every_k() {
    for (scheduler, fewer) in [(Scheduler::Unfair, 1), (Scheduler::Distributed, 0)] {
        let outcome = proved(&k_state(), 2, scheduler);
        let ValuesOutcome::Proved(proof) = outcome else { panic!("{outcome:?}") };
        assert_eq!((proof.certificate.from, proof.certificate.fewer), (2, fewer));
        assert!(verify_values(&proof.certificate).is_ok());
        // The bound is sharp.
        let below = proof.below.expect("a failure");
        assert!(below.values + fewer + 1 == below.size, "{below:?}");
        for n in 2..=5_usize {
            for k in 2..=6 {
                let claimed = k >= n.saturating_sub(fewer).max(2);
                assert_eq!(holds(&k_state(), n, k, scheduler), claimed, "n = {n}, K = {k}");
            }
        }
    }
}

/// Every algorithm of the class in which a process has the token where it can act, by number.
fn numbered(number: usize) -> ValueRules {
    let mut number = number;
    let mut choice = |of: usize| {
        let chosen = number % of;
        number /= of;
        chosen
    };
    let mut moves = vec![];
    for (left, right) in [(true, true), (true, false), (false, true)] {
        if choice(2) == 1 {
            moves.push((window(Place::Bottom, Some(left), Some(right)), Takes::Next));
        }
    }
    for place in [Place::Middle, Place::Top] {
        for (left, right) in [(true, false), (false, true), (false, false)] {
            let chosen = choice(if left || right { 2 } else { 4 });
            if chosen & 1 == 1 {
                moves.push((window(place, Some(left), Some(right)), if left { Takes::Right } else { Takes::Left }));
            }
            if chosen & 2 == 2 {
                moves.push((window(place, Some(left), Some(right)), Takes::Right));
            }
        }
    }
    algorithm(moves)
}

const NUMBERS: usize = 8 * 16 * 16;

/// Compares outcomes with brute force, and returns how many algorithms are proved, refuted, and neither.
fn compared(numbers: impl Iterator<Item = usize>) -> [usize; 3] {
    let mut count = [0; 3];
    for (number, scheduler) in
        numbers.flat_map(|number| [(number, Scheduler::Unfair), (number, Scheduler::Distributed)])
    {
        let rules = numbered(number);
        match proved(&rules, 3, scheduler) {
            ValuesOutcome::Proved(proof) => {
                let fewer = proof.certificate.fewer;
                println!("{number} {scheduler:?}: K >= n - {fewer}");
                for (n, k) in (3..=4).flat_map(|n| ((n - fewer).max(2)..=5).map(move |k| (n, k))) {
                    assert!(holds(&rules, n, k, scheduler), "{number}, {scheduler:?}, n = {n}, K = {k}");
                }
                count[0] += 1;
            }
            ValuesOutcome::Refuted(found) => {
                if found.size <= 4 {
                    assert!(!holds(&rules, found.size, found.values, scheduler), "{number}, {scheduler:?}, {found:?}");
                }
                count[1] += 1;
            }
            ValuesOutcome::NotProved(why) => {
                println!("{number} {scheduler:?}: {why}");
                count[2] += 1;
            }
        }
    }
    count
}

#[test]
fn algorithms_of_the_class_and_brute_force() {
    // Dijkstra's ring has the number 819.
    let [proved, refuted, neither] = compared((0..NUMBERS).step_by(37).chain([819]));
    println!("{proved} proved, {refuted} refuted, {neither} neither");
    assert!(proved > 0 && refuted > 0, "{proved} {refuted}");
}

#[test]
#[ignore = "minutes: every algorithm of the class"]
fn all_algorithms_of_the_class_and_brute_force() {
    let [proved, refuted, neither] = compared(0..NUMBERS);
    println!("{proved} proved, {refuted} refuted, {neither} neither");
    assert!(proved > 0 && refuted > 0);
}
