//! Safe sets that are conditions on the number of agents in each state.

use ringleader_erased::{Instance, Number, Parameters, PopulationInstance};
use ringleader_language::Source;
use ringleader_model::Stabilizing as _;

const SIZE: u64 = 5;

fn instance(safe: &str) -> PopulationInstance {
    let text = format!(
        "protocol t\nmodel population on complete\nstate x : 0..2\nshow leader when x = 1\nclosed some_two \"here\" = some i : x[i] = 2\n\
         goal true\nsafe = {safe}\nfirst:\n  1: l.x = 0 -> r.x := 0\n"
    );
    let protocol = Source::parse("t.ring", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
    match protocol.instance(&Parameters::new(SIZE as usize)).unwrap_or_else(|refusal| panic!("{refusal}")) {
        Instance::Population(instance) => instance,
        other => panic!("{other:?} is no population"),
    }
}

/// All numbers of agents in three states.
fn all() -> Vec<[u64; 3]> {
    let pairs = (0..=SIZE).flat_map(|a| (0..=SIZE - a).map(move |b| (a, b)));
    pairs.map(|(a, b)| [a, b, SIZE - a - b]).collect()
}

/// The number of agents that change their states between two counts, at least.
fn distance(a: &[u64; 3], b: &[u64; 3]) -> u64 {
    a.iter().zip(b).map(|(a, b)| a.saturating_sub(*b)).sum()
}

#[test]
fn counts_decide_what_the_configuration_does() {
    for safe in [
        "all i : x[i] = 1",
        "(one i : leader[i]) and some_two",
        "(count i : x[i] = 0) > (count i : x[i] = 2)",
        "(count i : x[i] = 0) * 2 - (count i : x[i] = 2) in {1, 3..4}",
        "(some i : x[i] = 0) => min(count i : x[i] = 1, 2) = 2",
        "if (one i : x[i] = 0) then (all i : x[i] != 2) else (count i : leader[i]) != 1",
        "not (all i : x[i] <= 1) or max(count i : x[i] = 0, n - 3) >= 4",
        "all i : x[i] = x[0]",
        "all i : x[i] mod 2 = x[0] mod 2",
    ] {
        let instance = instance(safe);
        let condition = instance.safe_by_counts().unwrap_or_else(|| panic!("{safe} is a condition on counts"));
        let holds = |counts: &[u64; 3]| {
            let states = (0..3).flat_map(|state| vec![Number(state); counts[state as usize] as usize]);
            instance.safe(&states.collect::<Vec<_>>())
        };
        let mut seen = [false; 2];
        for counts in all() {
            assert_eq!(condition(&counts, 0), holds(&counts), "{safe} with {counts:?}");
            seen[usize::from(holds(&counts))] = true;
            // Whatever a few agents can change is found possible.
            for slack in 1..=2 {
                let near = all().into_iter().filter(|other| distance(&counts, other) <= slack);
                let possible = near.clone().any(|other| holds(&other));
                assert!(condition(&counts, slack) || !possible, "{safe} with {counts:?} and {slack}");
            }
        }
        assert_eq!(seen, [true; 2], "{safe} is trivial");
    }
    // Far from a goal, a few agents do not matter.
    let far = instance("all i : x[i] = 1").safe_by_counts().unwrap();
    assert!(!far(&[3, 2, 0], 2) && far(&[3, 2, 0], 3));
}

#[test]
fn places_and_neighbours_are_no_counts() {
    for safe in
        ["x[0] = 1", "all i : x[i] = i mod 2", "all i in 0..n - 2 : x[i] = 1", "some i : (some j : x[i] + 1 = x[j])"]
    {
        assert!(instance(safe).safe_by_counts().is_none(), "{safe}");
    }
}
