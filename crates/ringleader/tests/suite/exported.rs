//! Reads exports back, and solves them.

use std::collections::BTreeSet;
use std::path::Path;

/// The targets of a choice with their probabilities, as numerators and denominators.
pub(crate) type Choice = Vec<(usize, [u64; 2])>;

/// A state of an export.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) labels: BTreeSet<String>,
    /// The choices, each with its name.
    pub(crate) choices: Vec<(String, Choice)>,
}

impl State {
    pub(crate) fn is(&self, label: &str) -> bool {
        self.labels.contains(label)
    }
}

pub(crate) fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// An integer or a fraction.
fn fraction(text: &str) -> [u64; 2] {
    let (over, under) = text.split_once('/').unwrap_or((text, "1"));
    [over, under].map(|part| part.parse().unwrap_or_else(|_| panic!("no fraction: {text}")))
}

/// Storm's explicit format. The probabilities of every choice must have the sum 1, exactly.
pub(crate) fn drn(path: &Path) -> Vec<State> {
    let mut states: Vec<State> = vec![];
    for line in text(path).lines() {
        if let Some(head) = line.strip_prefix("state ") {
            let (_, labels) = head.split_once(']').expect("every state has costs");
            states.push(State { labels: labels.split_whitespace().map(String::from).collect(), choices: vec![] });
        } else if let Some(action) = line.strip_prefix("\taction ") {
            let name = action.split_whitespace().next().expect("a name").into();
            states.last_mut().expect("a state comes first").choices.push((name, vec![]));
        } else if let Some((target, p)) = line.trim_start().split_once(" : ") {
            let outcome = (target.parse().expect("a state"), fraction(p));
            let (_, choice) =
                states.last_mut().and_then(|state| state.choices.last_mut()).expect("a choice comes first");
            choice.push(outcome);
        }
    }
    states.iter().flat_map(|state| &state.choices).for_each(|(_, choice)| assert_one(choice));
    states
}

fn assert_one(choice: &Choice) {
    let common = choice.iter().map(|(_, [_, under])| *under).max().unwrap_or(1);
    assert!(choice.iter().all(|(_, [_, under])| common.is_multiple_of(*under)), "{choice:?}");
    let sum: u64 = choice.iter().map(|(_, [over, under])| over * (common / under)).sum();
    assert_eq!(sum, common, "{choice:?}");
}

/// A module of PRISM. The choices have the names of their actions.
pub(crate) fn prism(path: &Path) -> Vec<State> {
    let text = text(path);
    let mut states: Vec<State> = vec![];
    let among = |states: &mut Vec<State>, label: &str, condition: &str| {
        for (number, state) in states.iter_mut().enumerate() {
            if condition == "true" || condition.split(" | ").any(|one| one == format!("s={number}")) {
                state.labels.insert(label.into());
            }
        }
    };
    let start = text.lines().find_map(|line| line.split_once(" init ")?.1.strip_suffix(';'));
    for line in text.lines() {
        if line.starts_with("  // ") {
            states.push(State::default());
        } else if let Some((name, updates)) = line.strip_prefix("  [").and_then(|rest| rest.split_once(']'))
            && let Some((guard, updates)) = updates.split_once(" -> ")
        {
            let state: usize = guard.trim().strip_prefix("s=").and_then(|s| s.parse().ok()).expect("a state");
            let outcome = |update: &str| {
                let (p, target) = update.split_once(" : (s'=").expect("an update");
                (target.trim_end_matches(')').parse().expect("a state"), fraction(p))
            };
            let choice: Choice = updates.trim_end_matches(';').split(" + ").map(outcome).collect();
            assert_one(&choice);
            states[state].choices.push((name.into(), choice));
        } else if let Some(condition) = line.strip_prefix("init ").and_then(|rest| rest.strip_suffix(" endinit")) {
            among(&mut states, "init", condition);
        } else if let Some((label, condition)) = line.strip_prefix("label \"").and_then(|l| l.split_once("\" = ")) {
            among(&mut states, label, condition.trim_end_matches(';'));
        }
    }
    start.iter().for_each(|start| among(&mut states, "init", &format!("s={start}")));
    states
}

/// The labels of each state in PRISM's explicit format.
pub(crate) fn lab(path: &Path, states: usize) -> Vec<BTreeSet<String>> {
    let text = text(path);
    let mut lines = text.lines();
    let head = lines.next().expect("names").split(' ');
    let names: Vec<_> = head.map(|name| name.split('"').nth(1).expect("a name in quotes").to_string()).collect();
    let mut labels = vec![BTreeSet::new(); states];
    for line in lines {
        let (state, numbers) = line.split_once(": ").expect("a state and its labels");
        let own = numbers.split(' ').map(|number| names[number.parse::<usize>().expect("a number")].clone());
        labels[state.parse::<usize>().expect("a state")].extend(own);
    }
    labels
}

/// The least and the greatest expected steps to a label, from the worst initial state, by value iteration.
pub(crate) fn extremes(states: &[State], goal: &str) -> [f64; 2] {
    [f64::min as fn(f64, f64) -> f64, f64::max].map(|better| {
        let mut steps = vec![0.0; states.len()];
        for _ in 0..4000 {
            let part = |(to, [over, under]): &(usize, [u64; 2])| *over as f64 / *under as f64 * steps[*to];
            let worth = |(_, choice): &(String, Choice)| 1.0 + choice.iter().map(part).sum::<f64>();
            let best = |state: &State| state.choices.iter().map(worth).reduce(better).expect("a choice");
            let next: Vec<f64> = states.iter().map(|s| if s.is(goal) { 0.0 } else { best(s) }).collect();
            if next == steps {
                break;
            }
            steps = next;
        }
        let initial = steps.into_iter().zip(states).filter(|(_, state)| state.is("init"));
        initial.fold(0.0, |worst, (steps, _)| f64::max(worst, steps))
    })
}
