//! `let c = coin` is one toss for each step, shared by all guards and rules that name it.

use ringleader_check::{Monitor, Question, Uncheckable};
use ringleader_erased::{Instance, Number, Parameters};
use ringleader_language::{Source, format};
use ringleader_model::{Coin, Odometer, Place, Ring, Scheduler, Told, View};
use std::collections::BTreeMap;

const HEAD: &str = "protocol t\nmodel ring\nscheduler unfair\nstate x : 0..3\nstate y : bit\ngoal all i : x[i] = 0\n";

fn instance(text: &str) -> Instance {
    let protocol = Source::parse("t.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    protocol.instance(&Parameters::new(3)).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// A coin that nobody listens to, so that specialised rules run.
struct Unheard<'a>(&'a mut Odometer);

impl Coin for Unheard<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.0.below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.0.choose(n)
    }

    fn listens(&self) -> bool {
        false
    }
}

/// The probability of each outcome, times 2^10 · 3^4, for a process with its left neighbour.
fn outcomes(instance: &Instance, own: u64, left: u64, heard: bool) -> BTreeMap<u64, u64> {
    let Instance::Ring(ring) = instance else { panic!("not a ring") };
    let mut all = BTreeMap::new();
    let view = View { at: Place::Other, left, own, right: left };
    Odometer::each(|coin| {
        let after = match heard {
            true => ring.try_act(view, coin).unwrap_or_else(|wrong| panic!("{wrong}")),
            false => ring.act(view.map(Number), &mut Unheard(coin)).0,
        };
        *all.entry(after).or_default() += (1 << 10) * 81 / coin.outcomes();
    });
    all
}

/// A generator for the texts below.
struct Dice(u64);

impl Dice {
    fn roll<'a>(&mut self, of: &[&'a str]) -> &'a str {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        of[(self.0 >> 33) as usize % of.len()]
    }
}

/// Rules that name the tosses C and D in guards and values.
fn rules(dice: &mut Dice) -> String {
    let mode = dice.roll(&["first", "in order", "at once", "any"]);
    let mut text = format!("{mode}:\n");
    let count = 2 + dice.roll(&["", "1"]).len();
    for number in 1..=count {
        let guards = ["C = 1", "C = 0 and x = left.x", "D = 2", "y = 1", "x != left.x or C = D", "C = 1 and D = 0"];
        let guard = dice.roll(&guards);
        let value = dice.roll(&["C", "(x + D) mod 4", "if C = 1 then left.x else D", "left.x"]);
        let other = dice.roll(&["C", "1 - C", "y", "if D = 1 then 1 else 0"]);
        // Below `at once`, no variable may get two values.
        let action = match (mode, number) {
            ("at once", 1) => format!("x := {value}"),
            ("at once", 2) => format!("y := {other}"),
            ("at once", _) => "skip".to_string(),
            _ => format!("x := {value}; y := {other}"),
        };
        text += &format!("  {number}: {guard} -> {action}\n");
    }
    text
}

/// The twin: the mixture of the protocols in which the tosses are constants, for every outcome.
#[test]
fn a_toss_is_the_mixture_of_its_outcomes() {
    let mut dice = Dice(7);
    for _ in 0..60 {
        let rules = rules(&mut dice);
        let named = rules.replace('C', "c").replace('D', "d");
        let tossed = instance(&format!("{HEAD}let c = coin\nlet d = draw 0..2\n{named}"));
        let constant = |c: u64, d: u64| {
            instance(&format!("{HEAD}{}", rules.replace('C', &c.to_string()).replace('D', &d.to_string())))
        };
        let constants: Vec<_> = (0..6).map(|at| constant(at % 2, at / 2)).collect();
        for (own, left) in (0..64).map(|pair| (pair % 8, pair / 8)) {
            let mut mixed: BTreeMap<u64, u64> = BTreeMap::new();
            for constant in &constants {
                for (after, weight) in outcomes(constant, own, left, true) {
                    *mixed.entry(after).or_default() += weight;
                }
            }
            for heard in [true, false] {
                let mut found = outcomes(&tossed, own, left, heard);
                found.values_mut().for_each(|weight| *weight *= 6);
                assert_eq!(found, mixed, "{named} from {own}, left {left}");
            }
        }
    }
}

#[test]
fn a_toss_is_made_only_where_a_rule_needs_it() {
    let text = format!("{HEAD}let c = coin\nany:\n  1: x = 0 -> x := c\n  2: x = 0 -> y := c\n  3: x = 1 -> x := 0\n");
    let t = instance(&text);
    assert_eq!(outcomes(&t, 1, 0, true).len(), 1);
    let Instance::Ring(ring) = &t else { panic!("not a ring") };
    let report = ringleader_check::ring(ring, 3, &Question::new(Scheduler::Unfair), &Monitor::new(1));
    assert!(report.is_ok(), "the scheduler chooses between the rules before the coin: {report:?}");
    let text = text.replace("1: x = 0 ->", "1: x = 0 and c = 1 ->").replace("2: x = 0 ->", "2: x = 0 and c = 1 ->");
    let Instance::Ring(ring) = instance(&text) else { panic!("not a ring") };
    let check = |scheduler| ringleader_check::ring(&ring, 3, &Question::new(scheduler), &Monitor::new(1));
    assert!(check(Scheduler::Random).is_ok());
    let stop = check(Scheduler::Unfair).unwrap_err();
    assert_eq!(stop.to_string(), Uncheckable::ChoosesLate.to_string());
}

#[test]
fn both_agents_of_an_interaction_share_a_toss() {
    let text = "protocol t\nmodel population on complete\nstate x : bit\ngoal all i : x[i] = 0\nlet c = coin\nlet d = 1 - c\n\
                in order:\n  1: l.x = 1 -> l.x := c\n  2: r.x = 1 -> r.x := d\n";
    let Instance::Population(t) = instance(text) else { panic!("not a population") };
    let mut seen = vec![];
    Odometer::each(|coin| seen.push(t.try_interact(1, 1, Told::ALL[3], coin).unwrap()));
    seen.sort_unstable();
    assert_eq!(seen, [(0, 1), (1, 0)], "one toss, named twice");
    assert_eq!(format("t", text).unwrap(), format("t", &format("t", text).unwrap()).unwrap());
}

#[test]
fn a_toss_has_its_place() {
    let errors = |text: &str| match Source::parse("t.ring", text) {
        Ok(_) => panic!("nothing is wrong with {text}"),
        Err(wrong) => wrong.to_string(),
    };
    let ring = |lines: &str| errors(&format!("{HEAD}{lines}"));
    let rule = "first:\n  1: x = 0 -> y := 1\n";
    let says = |said: String, part: &str| assert!(said.contains(part), "{part:?} not in {said}");
    says(ring(&format!("let c = coin\nsafe = all i : c = 1\n{rule}")), "coins can be tossed in rules only");
    says(ring(&format!("safe = all i : coin = 1\n{rule}")), "coins can be tossed in rules only");
    says(ring(&format!("let c = coin\nshow token when c = 1\n{rule}")), "a mark cannot depend on a coin");
    says(ring("let c(i) = coin\nfirst:\n  1: c(left) = 1 -> x := 0\n"), "with parameters cannot toss a coin");
    says(ring("let c = coin\nfirst:\n  1: left.c = 1 -> x := 0\n"), "a toss belongs to the step, not to an agent");
    says(ring("let c = draw 0..x\nfirst:\n  1: c = 1 -> x := 0\n"), "unknown name `x`");
    says(ring("first:\n  1: coin = 1 -> x := 0\n"), "a guard cannot toss a coin");
    let enabled = "let c = coin\nlet d = c = 1\nshow token when enabled\nfirst:\n  1: d -> x := 0\n";
    says(ring(enabled), "`enabled` has no meaning where a guard depends on a coin");
    let messages = "protocol m\nmodel messages on unidirectional-ring\nstate x : bit = 0\nlet c = coin\nmessage m\n\
                    show leader when x = 1\non m: x := 1\n";
    says(
        errors(&format!("{messages}on step when c = 1: send right m\n")),
        "the condition of `on` cannot depend on a coin",
    );
    let initial = messages.replace("= 0", "= coin");
    says(errors(&format!("{initial}on step when x = 0: send right m\n")), "an initial value cannot depend on a coin");
}

#[test]
fn a_wrong_model_is_one_error() {
    let text =
        "protocol t\nmodel rnig\nreads both\nstate x : bit\ngoal all i : x[i] = 0\nfirst:\n  1: left.x = 1 -> x := 0\n";
    let wrong = Source::parse("t.ring", text).unwrap_err();
    assert_eq!(wrong.iter().count(), 1, "{wrong}");
    assert!(wrong.to_string().contains("did you mean `ring`?"), "{wrong}");
}
