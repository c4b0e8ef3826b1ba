//! Conditions that recur: the checker against brute force on random claims, most of them false.

use crate::agreement::{random_formula, random_rules, random_safe};
use crate::brute;
use crate::dice::Dice;
use crate::subjects::automaton;
use ringleader_testkit::cases;
use ringleader_verify::{Certificate, Claim, Coins, Goal, Recurring, Rejection, Scheduler, Sizes, verify};

/// A formula or measure that may name the watched agent.
fn aware(text: String, dice: &mut Dice) -> String {
    let [one, other] = *dice.pick(&[["root", "top"], ["x=0", "b"], ["a", "1"]]);
    let words = |text: &str, word: &str| {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '=' || c == '~';
        text.split_inclusive(|c| !part(c))
            .map(|piece| match piece.strip_suffix(|c| !part(c)).unwrap_or(piece) == word {
                true => piece.replacen(word, "here", 1),
                false => piece.into(),
            })
            .collect::<String>()
    };
    words(&words(&text, one), other)
}

fn random_claim(dice: &mut Dice) -> Certificate {
    let mut rules = random_rules(dice);
    let q = rules.states.len();
    let mut safe = random_safe(dice, q);
    if dice.below(4) > 0 {
        rules.goal = Goal::Everywhere { formula: "1".into() };
        safe = automaton(q, (), |(), _| Some(()), |()| true);
    }
    let modulus = 1 + dice.below(2);
    let formula = random_formula(dice, 1);
    let mut measures: Vec<String> = (0..dice.below(3))
        .map(|_| {
            let measure = format!("{}:{}", dice.pick(&["C", "L", "R"]), random_formula(dice, 1));
            aware(measure, dice)
        })
        .collect();
    if dice.below(2) == 0 {
        measures.insert(0, "safe".into());
    }
    Certificate {
        version: 1,
        subject: "random".into(),
        rules,
        sizes: Sizes { from: 3, modulus, residues: vec![dice.below(modulus)] },
        scheduler: *dice.pick(&[Scheduler::GloballyFair, Scheduler::Unfair]),
        coins: Coins::Adversarial,
        safe,
        lasting: None,
        text: None,
        measures: vec!["safe".into()],
        recurring: Some(Recurring { formula, measures }),
        helpful: None,
    }
}

/// What is accepted is true by its definition, and brute force finds no step that breaks the argument. What is rejected at a small size
/// is not a proof there.
#[test]
fn random_claims_of_recurrence_are_judged_as_brute_force_judges_them() {
    let mut dice = Dice(5);
    let (mut held, mut nontrivial, mut refused, mut large) = (0, 0, 0, 0);
    for _ in 0..cases(1_000, 3_000) {
        let certificate = random_claim(&mut dice);
        let alone = Certificate { recurring: None, ..certificate.clone() };
        if verify(&alone).is_err() {
            assert!(verify(&certificate).is_err());
            continue;
        }
        let spoken = |n: &usize| certificate.sizes.contains(*n);
        match verify(&certificate) {
            Ok(()) => {
                held += 1;
                let recurring = certificate.recurring.as_ref().expect("a claim");
                nontrivial += usize::from(!recurring.measures.is_empty());
                for n in (3..=5).filter(spoken) {
                    assert_eq!(brute::refute(&certificate, n), None, "n = {n}: {certificate:?}");
                    assert!(brute::recurs(&certificate, n), "n = {n}: {certificate:?}");
                }
            }
            Err(Rejection::Fails(Claim::Recurs(agent), word, _)) => {
                refused += 1;
                let n = word.len();
                assert!(spoken(&n) && agent < n);
                assert!(n > 4 || brute::refute(&certificate, n).is_some(), "agent {agent}, {word:?}: {certificate:?}");
            }
            Err(Rejection::Malformed(why)) => assert!(why.to_string().contains("detector"), "{why}"),
            Err(Rejection::TooLarge) => large += 1,
            Err(other) => panic!("{other}: {certificate:?}"),
        }
    }
    println!("{held} recur, {nontrivial} of them with measures; {refused} are refused, {large} are too large");
    assert!(nontrivial > 50 && refused > 500 && large < 10);
}

/// The watched agent is a name of measures only, and the table must not have it.
#[test]
fn the_watched_agent_is_not_a_name_of_the_algorithm() {
    let mut dice = Dice(1);
    let mut certificate = (0..).map(|_| random_claim(&mut dice)).find(|c| verify(c).is_ok()).expect("some hold");
    if let Some(recurring) = &mut certificate.recurring {
        recurring.formula = "here".into();
    }
    let refused = verify(&certificate).expect_err("it is no name");
    assert!(refused.to_string().contains("no variable, mark or rule `here`"), "{refused}");
    certificate.rules.marks[0].name = "here".into();
    let refused = verify(&certificate).expect_err("two meanings").to_string();
    assert!(refused.contains("`here` is taken twice"), "{refused}");
}
