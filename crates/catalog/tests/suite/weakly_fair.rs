//! Weakly fair schedules for every size, compared with `check` of single sizes.

use ringleader_catalog::{Catalog, Instance, proofs};
use ringleader_check::{Monitor, Question};
use ringleader_erased::Parameters;
use ringleader_language::Source;
use ringleader_model::Scheduler;
use ringleader_prove::{Options, Outcome, prove};
use ringleader_testkit::cases;
use ringleader_verify::{Coins, Scheduler as Fairness, Sizes};

pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        from[(self.0 >> 33) as usize % from.len()]
    }
}

/// Processes with two or three values, each with a few rules; some of them never end. Some toss coins, if they may.
fn text(dice: &mut Dice, coins: bool) -> String {
    let most = dice.pick(&["1", "2"]);
    let mut rules = String::new();
    for number in 1..=dice.pick(&["2", "3", "4"]).parse().unwrap() {
        let place = dice.pick(&["", "", "bottom and ", "not bottom and ", "top and "]);
        let guard = dice.pick(&["x = left.x", "x != left.x", "x = 0", "x = 1", "x < left.x", "left.x = 1 and x != 1"]);
        let sure = ["left.x", "1 - x", "0", "1", "MOST - x", "(x + 1) mod (MOST + 1)"];
        let tossed = ["coin", "draw 0..MOST", "if coin = 0 then x else left.x", "if coin = 0 then x else MOST - x"];
        let values = if coins && dice.pick(&["yes", "yes", "no"]) == "yes" { &tossed[..] } else { &sure };
        let value = dice.pick(values).replace("MOST", most);
        let value = if most == "2" && value == "1 - x" { "2 - x".into() } else { value };
        rules += &format!("  {number}: {place}{guard} -> x := {value}\n");
    }
    let goal = dice.pick(&[
        "all i : x[i] != 0",
        "all i : x[i] = 1",
        "all i in 1..n - 1 : x[i] = x[i - 1]",
        "all i in 1..n - 1 : x[i] != x[i - 1]",
        "all i in 0..0 : x[i] = 1",
        "all i in 1..n - 1 : x[i] != 1",
    ]);
    let model = dice.pick(&["ring", "line"]);
    format!("protocol own\nmodel {model}\nstate x : 0..{most}\ngoal {goal} \"the goal\"\nany:\n{rules}")
}

#[test]
fn random_texts_are_judged_as_check_judges_them() {
    assert!(judged_as_check_judges(4, cases(250, 600), false) > 1);
}

#[test]
fn random_texts_with_coins_are_judged_as_check_judges_them() {
    assert!(judged_as_check_judges(5, cases(160, 400), true) > 0);
}

/// Two colours around a ring: process 0 blinks while it has its left neighbour's colour, and this lasts if n is odd. An unfair daemon lets it
/// blink for ever on every ring on which others have not acted.
#[test]
fn a_weakly_fair_daemon_keeps_two_colours_from_every_odd_ring() {
    let text = "protocol own\nmodel ring\nstate c, blink : bit\ngoal all i : c[i] != c[i - 1] \"colours differ\"\nany:\n  1: bottom and c = \
                left.c -> blink := 1 - blink\n  2: not bottom and c = left.c -> c := 1 - left.c\n";
    let catalog = Catalog::empty().text(&Source::known("own.ring", text).unwrap());
    let card = catalog.card("own").unwrap();
    let (parameters, sizes) = (Parameters::new(3), Sizes::from(3));
    let rules = proofs::ring(&catalog, card, &parameters, &sizes).unwrap();
    let outcome = prove("own", &rules, &sizes, Fairness::WeaklyFair, &Options::seconds(60)).unwrap();
    let Outcome::Refuted(refutation) = outcome else { panic!("{outcome:?}") };
    let family = refutation.family.expect("a trap");
    assert_eq!(family.sizes, Sizes { from: 3, modulus: 2, residues: vec![1] });
    for size in 3..=6 {
        let Instance::Ring(ring) = catalog.instance(card.name, &Parameters::new(size)).unwrap() else { panic!() };
        let holds = |scheduler| {
            ringleader_check::ring(&ring, size, &Question::new(scheduler), &Monitor::default()).unwrap().holds
        };
        assert_eq!((holds(Scheduler::Fair), holds(Scheduler::Unfair)), (size % 2 == 0, false), "n = {size}");
    }
}

/// The number of proved claims that are false of unfair schedules.
fn judged_as_check_judges(seed: u64, texts: usize, with_coins: bool) -> usize {
    let mut dice = Dice(seed);
    let (mut idle, mut proved, mut only_fair, mut refuted, mut open) = (0, 0, 0, 0, 0);
    let (mut families, mut measured) = (0, 0);
    for _ in 0..texts {
        let text = text(&mut dice, with_coins);
        let protocol = Source::known("own.ring", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let catalog = Catalog::empty().text(&protocol);
        let card = catalog.card("own").unwrap();
        let (parameters, sizes) = (Parameters::new(3), Sizes::from(3));
        let rules = proofs::ring(&catalog, card, &parameters, &sizes).unwrap();
        let fairness = Fairness::WeaklyFair;
        let coins = proofs::usual_coins(fairness, &rules);
        assert!(with_coins || coins == Coins::Adversarial);
        if let Err(why) = proofs::check_choices(&catalog, card, &parameters, &rules, fairness, coins) {
            assert!(why.to_string().contains("one rule or coin changes nothing"), "{why}");
            idle += 1;
            continue;
        }
        let holds = |size: usize, scheduler: Scheduler| {
            let Instance::Ring(ring) = catalog.instance(card.name, &Parameters::new(size)).unwrap() else { panic!() };
            ringleader_check::ring(&ring, size, &Question::new(scheduler), &Monitor::default()).unwrap().holds
        };
        let options = Options { attempts: 1, coins, ..Options::seconds(600) };
        match prove("own", &rules, &sizes, fairness, &options).unwrap() {
            Outcome::Proved(proof) => {
                assert!(proof.certificate.helpful.is_some());
                assert!((3..=6).all(|n| holds(n, Scheduler::Fair)), "{text}");
                proved += usize::from((coins == Coins::Fair) == with_coins);
                only_fair += usize::from(!holds(4, Scheduler::Unfair));
            }
            Outcome::Refuted(refutation) => {
                if let Some(family) = &refutation.family {
                    assert!(rules.tosses.is_empty());
                    let wrong = |n: &usize| family.sizes.contains(*n) && holds(*n, Scheduler::Fair);
                    assert_eq!((3..=6).find(wrong), None, "{family:?}: {text}");
                    families += 1;
                    measured += usize::from(!family.measures.is_empty());
                }
                assert!(!holds(refutation.size, Scheduler::Fair), "n = {}: {text}", refutation.size);
                assert!((3..refutation.size).all(|n| holds(n, Scheduler::Fair)), "{text}");
                refuted += 1;
            }
            _ => {
                assert!((3..=6).all(|n| holds(n, Scheduler::Fair)), "{text}");
                println!("not proved:\n{text}");
                open += 1;
            }
        }
    }
    println!("{families} fail at every size of a class, {measured} of them by measures");
    assert!(with_coins || families * 10 > refuted * 6);
    println!(
        "{idle} idle, {proved} proved, {only_fair} of them false of unfair schedules, {refuted} refuted, {open} neither"
    );
    assert!(idle > 5 && proved > 5 && refuted > 20);
    only_fair
}
