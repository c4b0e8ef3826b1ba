//! The daemon picks the initiator, and a fair coin its neighbour.

use ringleader_check::replay::{Played, play, unfold};
use ringleader_check::{Coins, Monitor, Question, Report, Stop, Uncheckable};
use ringleader_erased::{Instance, Number, Parameters, PopulationInstance};
use ringleader_language::{Source, format};
use ringleader_model::text::Document;
use ringleader_model::trace::{Actor, Assumptions};
use ringleader_model::{Graph, Scheduler};

fn population(text: &str) -> PopulationInstance {
    let protocol = Source::parse("t.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(format("t.ring", text).unwrap(), text);
    match protocol.instance(&Parameters::new(4)).unwrap_or_else(|refusal| panic!("{refusal}")) {
        Instance::Population(instance) => instance,
        other => panic!("{other:?} is no population"),
    }
}

fn checked(instance: &PopulationInstance, scheduler: Scheduler) -> Result<Report, Stop> {
    let graph = Graph::undirected_ring(4).unwrap();
    ringleader_check::population(instance, &graph, &Question::new(scheduler), &Monitor::new(1))
}

const HEAD: &str = "protocol t\nmodel population on undirected-ring\nscheduler random-partner\nstate x : 0..2\n\
                    goal all i : x[i] = 0\n\n";

#[test]
fn a_coin_that_chooses_the_neighbour_helps() {
    // Tokens walk and merge. A daemon that chooses the arcs moves one back and forth.
    let text = "protocol t\nmodel population on undirected-ring\nscheduler random-partner\nstate x : bit\n\
                given x = 1 when bottom and not (some i : x[i] = 1)\ngoal (count i : x[i] = 1) = 1 \"one token\"\n\n\
                first:\n  1: l.x = 1 -> l.x := 0; r.x := 1\n";
    let walk = population(text);
    let report = checked(&walk, Scheduler::RandomPartner).unwrap();
    assert!(report.holds && report.almost_surely && report.against_daemon, "{report:?}");
    assert!(!checked(&walk, Scheduler::Unfair).unwrap().holds);
}

#[test]
fn a_strategy_names_initiators_and_is_replayed() {
    let text = format!("{HEAD}first:\n  1: l.x = 0 -> l.x := coin + 1\n  2: l.x > 0 -> l.x := l.x - 1\n");
    let blink = population(&text);
    let run = checked(&blink, Scheduler::RandomPartner).unwrap().counterexample.expect("it never settles");
    assert!(run.strategy.iter().flat_map(|at| &at.choices).all(|choice| matches!(choice.actor, Actor::Process(_))));
    assert!(run.prefix.iter().all(|step| matches!(step.actor, Actor::Arc(..))) && !run.prefix.is_empty());
    let start: Vec<Number> = run.start.iter().map(|&state| Number(state.into())).collect();
    let document = Document::new("t", &blink, vec![], &start);
    let coins = Some("fair".to_string());
    let assumptions = Assumptions { scheduler: Some(Scheduler::RandomPartner), coins, ..Assumptions::default() };
    let shown = |c: &[u32]| c.iter().map(|&state| blink.text(state.into())).collect();
    let trace = run.trace(document, assumptions, shown);
    let graph = Graph::undirected_ring(4).unwrap();
    let played = Played::Population(&blink, &graph);
    let verified = play(&played, &trace).expect("the rules have these steps");
    assert_eq!(verified.broken, None);
    let other = unfold(&played, &trace, 5, 60).expect("the strategy goes on");
    assert_eq!((other.steps.len(), play(&played, &other).unwrap().broken), (60, None));
    let partners: std::collections::BTreeSet<_> = other.steps.iter().map(|step| step.actor.to_string()).collect();
    assert!(partners.len() > 1, "{partners:?}");
    // A strategy that names an arc is one of another daemon.
    let mut wrong = trace.clone();
    wrong.strategy[0].steps[0].actor = Actor::Arc(0, 1);
    let broken = play(&played, &wrong).unwrap().broken.expect("an arc is no initiator").to_string();
    assert!(broken.contains("initiator only"), "{broken}");
    // A strategy that can be left is none.
    let mut wrong = trace;
    wrong.strategy.truncate(1);
    assert!(play(&played, &wrong).unwrap().broken.is_some());
}

#[test]
fn other_questions_are_refused() {
    let any = population(&format!("{HEAD}any:\n  1: l.x > 0 -> l.x := 0\n  2: l.x > 0 -> r.x := 0\n"));
    let stop = checked(&any, Scheduler::RandomPartner).unwrap_err();
    assert_eq!(stop, Uncheckable::ChoosesAfterPartner.into());
    let first = population(&format!("{HEAD}first:\n  1: l.x > 0 -> l.x := 0\n"));
    let question = Question::new(Scheduler::RandomPartner).with_adversarial_coins();
    assert_eq!(question.coins, Coins::Adversarial);
    let graph = Graph::undirected_ring(4).unwrap();
    let stop = ringleader_check::population(&first, &graph, &question, &Monitor::new(1)).unwrap_err();
    assert_eq!(stop, Uncheckable::FairPartner.into());
    let ring = "protocol t\nmodel ring\nstate x : bit\ngoal all i : x[i] = 0\nfirst:\n  1: x = 1 -> x := 0\n";
    let Ok(Instance::Ring(ring)) = Source::parse("t", ring).unwrap().instance(&Parameters::new(3)) else { panic!() };
    let question = Question::new(Scheduler::RandomPartner);
    let stop = ringleader_check::ring(&ring, 3, &question, &Monitor::new(1)).unwrap_err();
    assert_eq!(stop, Uncheckable::OnlyForPopulations(Scheduler::RandomPartner).into());
}
