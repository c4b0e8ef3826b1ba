//! Locally fair schedules of population protocols for every size, compared with `check` of single sizes.

use crate::weakly_fair::Dice;
use ringleader_catalog::{Catalog, Instance, proofs};
use ringleader_check::{Monitor, Question};
use ringleader_erased::Parameters;
use ringleader_language::Source;
use ringleader_model::{Graph, Scheduler, Shape};
use ringleader_prove::{Options, Outcome, prove};
use ringleader_testkit::cases;
use ringleader_verify::{Coins, Scheduler as Fairness, Sizes};

/// Agents with two or three values, of which agent 0 may be marked, with a few rules; some of them never end.
fn text(dice: &mut Dice) -> String {
    let most = dice.pick(&["1", "2"]);
    let mut rules = String::new();
    for number in 1..=dice.pick(&["2", "3", "4"]).parse().unwrap() {
        let place = dice.pick(&["", "", "u.head = 1 and ", "v.head = 0 and "]);
        let guard = dice.pick(&["u.x = v.x", "u.x != v.x", "u.x = 0", "v.x = 1", "u.x < v.x", "u.x = 1 and v.x != 1"]);
        let value = ["v.x := u.x", "u.x := v.x", "v.x := 0", "u.x := 1", "u.x := MOST - u.x", "u.x := v.x; v.x := u.x"];
        let value = dice.pick(&value).replace("MOST", most);
        rules += &format!("  {number}: {place}{guard} -> {value}\n");
    }
    let goal = dice.pick(&[
        "all i : x[i] != 0",
        "all i : x[i] = 1",
        "all i in 1..n - 1 : x[i] = x[i - 1]",
        "all i in 0..0 : x[i] = 1",
        "all i in 1..n - 1 : x[i] != 1",
    ]);
    format!(
        "protocol own\nmodel population on directed-ring\nagents u, v\nstate head : bit\nstate x : 0..{most}\n\
         given head = 0\ngiven head = 1 when bottom\ngoal {goal} \"the goal\"\nfirst:\n{rules}"
    )
}

#[test]
fn random_populations_are_judged_as_check_judges_them() {
    let mut dice = Dice(6);
    let (mut proved, mut only_fair, mut refuted, mut open) = (0, 0, 0, 0);
    let mut families = 0;
    for number in 0..400 {
        let text = text(&mut dice);
        let protocol = Source::known("own.ring", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let catalog = Catalog::empty().text(&protocol);
        let card = catalog.card("own").unwrap();
        let (parameters, sizes) = (Parameters::new(3), Sizes::from(3));
        let rules = proofs::ring(&catalog, card, &parameters, &sizes).unwrap();
        let (fairness, coins) = (Fairness::LocallyFair, Coins::Adversarial);
        proofs::check_choices(&catalog, card, &parameters, &rules, fairness, coins).unwrap();
        let holds = |size: usize, scheduler: Scheduler| {
            let instance = catalog.instance(card.name, &Parameters::new(size)).unwrap();
            let Instance::Population(protocol) = instance else { panic!() };
            let graph = Graph::shaped(Shape::DirectedRing, size).unwrap();
            let report =
                ringleader_check::population(&protocol, &graph, &Question::new(scheduler), &Monitor::default());
            report.unwrap().holds
        };
        // The search for a class of sizes takes most of the time.
        let options = Options { attempts: 1, families: number < cases(30, 60), ..Options::seconds(600) };
        match prove("own", &rules, &sizes, fairness, &options).unwrap() {
            Outcome::Proved(proof) => {
                assert!(proof.certificate.helpful.is_some());
                assert!((3..=5).all(|n| holds(n, Scheduler::LocallyFair)), "{text}");
                proved += 1;
                only_fair += usize::from(!holds(4, Scheduler::Unfair));
            }
            Outcome::Refuted(refutation) => {
                if let Some(family) = &refutation.family {
                    families += 1;
                    let sizes = (3..=6).filter(|n| family.sizes.contains(*n));
                    sizes.for_each(|n| assert!(!holds(n, Scheduler::LocallyFair), "n = {n}: {text}"));
                }
                if refutation.size <= 5 {
                    assert!(!holds(refutation.size, Scheduler::LocallyFair), "n = {}: {text}", refutation.size);
                }
                assert!((3..refutation.size.min(6)).all(|n| holds(n, Scheduler::LocallyFair)), "{text}");
                refuted += 1;
            }
            _ => {
                assert!((3..=5).all(|n| holds(n, Scheduler::LocallyFair)), "{text}");
                println!("not proved:\n{text}");
                open += 1;
            }
        }
    }
    println!("{proved} proved, {only_fair} of them false of unfair schedules, {refuted} refuted, {open} neither");
    println!("{families} refuted at every size of a class");
    assert!(proved > 10 && only_fair > 2 && refuted > 20 && families > 15);
}
