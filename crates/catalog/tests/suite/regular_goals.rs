//! Goals of texts as formulas of proofs, compared with the goals themselves on every configuration.

use ringleader_catalog::{Catalog, Instance, proofs};
use ringleader_erased::{Number, Parameters};
use ringleader_language::Source;
use ringleader_model::Stabilizing as _;
use ringleader_verify::{Automaton, Certificate, Coins, Goal, Scheduler, Sizes, Value};

fn text(model: &str, goal: &str) -> String {
    format!(
        "protocol own\nmodel {model}\nreads both\nparameter k = 1\nstate x : 0..2\nlet low = bottom or x < left.x\n\
         goal {goal} \"the goal\"\nany:\n  1: x = right.x and not top -> x := (x + 1) mod 3\n"
    )
}

/// Compares the formula with the goal for 3 to 6 processes.
fn agrees(model: &str, goal: &str) -> Result<String, String> {
    let protocol = Source::known("own.ring", &text(model, goal)).map_err(|e| e.to_string())?;
    let catalog = Catalog::empty().text(&protocol);
    let card = catalog.card("own").unwrap();
    let parameters = Parameters::new(3);
    let sizes = Sizes::from(3);
    let rules = proofs::ring(&catalog, card, &parameters, &sizes).map_err(|refusal| refusal.to_string())?;
    let Goal::Everywhere { formula } = &rules.goal else { panic!("{:?}", rules.goal) };
    let certificate = Certificate {
        version: 1,
        subject: "own".into(),
        text: None,
        safe: Automaton { start: 0, accepting: vec![], next: vec![vec![None; 3]] },
        lasting: None,
        recurring: None,
        helpful: None,
        measures: vec![format!("C:{formula}")],
        rules: rules.clone(),
        sizes,
        scheduler: Scheduler::Unfair,
        coins: Coins::Adversarial,
    };
    for size in 3..=6 {
        let Instance::Ring(ring) = catalog.instance(card.name, &Parameters::new(size)).unwrap() else { panic!() };
        for code in 0..3u32.pow(size as u32) {
            let word: Vec<u8> = (0..size as u32).map(|i| (code / 3u32.pow(i) % 3) as u8).collect();
            let numbers: Vec<Number> = word.iter().map(|&state| Number(state.into())).collect();
            let everywhere = certificate.readings(&word).unwrap() == [Value::Number(size as i64)];
            assert_eq!(everywhere, ring.correct(&numbers), "{model}, {goal}: {formula} in {word:?}");
        }
    }
    Ok(formula.clone())
}

#[test]
fn goals_with_quantifiers_are_formulas() {
    let on_rings = [
        ("all i : x[i] != x[i + 1]", "local1"),
        ("(all i : x[i - 1] <= x[i]) or (count i : x[i] = k) = 2", ""),
        ("all i : x[i] = 0 => some j : x[j] = 2 and x[j + 1] = 1", ""),
    ];
    let on_both = [
        ("all i in 1..n - 1 : x[i - 1] <= x[i]", "!(!root & !local1)"),
        ("all i : i < n - 1 => x[i] <= 1", ""),
        ("all i in 1..n - 2 : x[i] = x[i + 1] or x[i] = x[i - 1]", ""),
        ("one i : low[i]", ""),
        ("(count i : low[i]) <= 3", ""),
        ("(count i : x[i] = 0) != 0", ""),
        ("3 > 2 and not (some i : x[i] = 2 and not bottom[i])", ""),
        ("all i : enabled[i] => x[i] < 2", ""),
    ];
    let both = on_both.iter().flat_map(|goal| [("ring", goal), ("line", goal)]);
    for (model, (goal, formula)) in on_rings.iter().map(|goal| ("ring", goal)).chain(both) {
        let found = agrees(model, goal).unwrap_or_else(|error| panic!("{model}, {goal}: {error}"));
        assert!(formula.is_empty() || found == *formula, "{goal}: {found}");
    }
}

#[test]
fn random_goals_are_formulas() {
    let mut state = 1u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for _ in 0..120 {
        let mut goals = vec![];
        for _ in 0..2 {
            let mut each = vec![];
            for _ in 0..2 {
                let atoms = [
                    "x[i] = 1",
                    "x[i - 1] < x[i]",
                    "x[i + 1] = x[i - 1]",
                    "low[i]",
                    "i = 0",
                    "i < n - 1",
                    "x[i] + x[i + 1] > k",
                ];
                let atom = atoms[next(7) as usize];
                each.push(if next(2) == 0 { format!("not ({atom})") } else { atom.into() });
            }
            let body = format!("({} {} {})", each[0], ["and", "or", "=>"][next(3) as usize], each[1]);
            let range = ["", " in 1..n - 1", " in 0..n - 2"][next(3) as usize];
            let number = next(4);
            goals.push(match next(6) {
                0 => format!("(all i{range} : {body})"),
                1 => format!("(some i{range} : {body})"),
                2 => format!("(one i{range} : {body})"),
                3 => format!("((count i{range} : {body}) = {number})"),
                4 => format!("((count i{range} : {body}) <= {number})"),
                _ => format!("not (all i{range} : {body})"),
            });
        }
        let goal = format!("{} {} {}", goals[0], ["and", "or", "=>"][next(3) as usize], goals[1]);
        agrees("ring", &goal).unwrap_or_else(|error| panic!("{goal}: {error}"));
    }
}

/// A goal that a formula does not express at every size is refused, even where small sizes agree.
#[test]
fn irregular_goals_are_refused() {
    for goal in [
        "all i : x[i] = x[0]",
        "all i : x[i] != x[i + 2]",
        "(count i : x[i] = 1) = 9",
        "(count i : x[i] = 1) mod 2 = 0",
        "all i : x[i] = i mod 3",
        "all i : x[i] < n",
        "all i : i = n - 50 => x[i] = 0",
        "all i : i != 100 or x[i] = 0",
        "all i in 3..n - 1 : x[i] = 0",
        "(count i : x[i] = 1) < n",
        "all i : some j : j != i and x[j] = x[i]",
    ] {
        let refused = agrees("ring", goal).expect_err(goal);
        assert!(refused.contains("a proof cannot use this goal (line 7"), "{goal}: {refused}");
    }
}
