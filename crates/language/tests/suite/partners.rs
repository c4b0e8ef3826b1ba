//! The daemon picks the initiator, and a fair coin its neighbour.

use ringleader_check::replay::{Played, play, unfold};
use ringleader_check::{Choice, Coins, Counterexample, Monitor, Question, Report, Situation, Stop, Uncheckable};
use ringleader_erased::{Instance, Number, Parameters, PopulationInstance};
use ringleader_language::{Source, format};
use ringleader_model::text::Document;
use ringleader_model::trace::{Actor, Assumptions, Trace};
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

fn traced(instance: &PopulationInstance, run: &Counterexample, scheduler: Scheduler) -> Trace {
    let start: Vec<Number> = run.start.iter().map(|&state| Number(state.into())).collect();
    let document = Document::new("t", instance, vec![], &start);
    let coins = Some("fair".to_string());
    let assumptions = Assumptions { scheduler: Some(scheduler), coins, ..Assumptions::default() };
    run.trace(document, assumptions, |c| c.iter().map(|&state| instance.text(state.into())).collect())
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
    let trace = traced(&blink, &run, Scheduler::RandomPartner);
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
fn a_fair_daemon_lets_every_agent_initiate() {
    let fair = HEAD.replace("random-partner", "fair-random-partner");
    let blinks = "  1: l.x = 0 -> l.x := 1\n  2: l.x = 1 -> l.x := 0\n";
    let settle =
        population(&format!("{}first:\n  0: l.x = 2 -> l.x := 0\n{blinks}", fair.replace("x[i] = 0", "x[i] < 2")));
    assert!(!checked(&settle, Scheduler::RandomPartner).unwrap().holds, "the others blink for ever");
    let report = checked(&settle, Scheduler::FairRandomPartner).unwrap();
    assert!(report.holds && report.against_daemon && report.expected_steps.is_none(), "{report:?}");
    assert!(report.delay.is_some(), "fairness bounds no finite part of an execution");
    // Agents in state 0 change nothing, but initiate.
    let blink = population(&format!("{fair}first:\n  1: l.x = 1 -> l.x := 2\n  2: l.x = 2 -> l.x := 1\n"));
    let run = checked(&blink, Scheduler::FairRandomPartner).unwrap().counterexample.expect("one agent blinks for ever");
    let idle = |at: &Situation, choice: &Choice| matches!(choice.actor, Actor::Process(p) if at.states[p] == 0);
    assert!(run.strategy.iter().any(|at| at.choices.iter().any(|choice| idle(at, choice))), "{run:?}");
    let trace = traced(&blink, &run, Scheduler::FairRandomPartner);
    let graph = Graph::undirected_ring(4).unwrap();
    let played = Played::Population(&blink, &graph);
    assert_eq!(play(&played, &trace).expect("the rules have these steps").broken, None);
    let other = unfold(&played, &trace, 5, 60).expect("the strategy goes on");
    assert_eq!((other.steps.len(), play(&played, &other).unwrap().broken), (60, None));
    // The same strategy picks agents that change nothing, so it is none of the other daemon.
    let unfair = traced(&blink, &run, Scheduler::RandomPartner);
    let broken = play(&played, &unfair).unwrap().broken.expect("an agent changes nothing").to_string();
    assert!(broken.contains("no outcome of the coins changes anything"), "{broken}");
    // Without the steps of an agent it is not fair.
    let mut wrong = trace;
    let left_out = run.strategy.iter().flat_map(|at| at.choices.iter().filter(move |choice| idle(at, choice)));
    let Some(Actor::Process(left_out)) = left_out.map(|choice| &choice.actor).next() else { panic!("{run:?}") };
    wrong.strategy.iter_mut().for_each(|at| at.steps.retain(|step| step.actor != Actor::Process(*left_out)));
    wrong.steps.clear();
    let broken = play(&played, &wrong).unwrap().broken.expect("an agent never initiates").to_string();
    assert!(broken.contains(&format!("agent {left_out} initiates nothing")), "{broken}");
}

#[test]
fn other_questions_are_refused() {
    let any = population(&format!("{HEAD}any:\n  1: l.x > 0 -> l.x := 0\n  2: l.x > 0 -> r.x := 0\n"));
    let first = population(&format!("{HEAD}first:\n  1: l.x > 0 -> l.x := 0\n"));
    let graph = Graph::undirected_ring(4).unwrap();
    for scheduler in [Scheduler::RandomPartner, Scheduler::FairRandomPartner] {
        assert_eq!(checked(&any, scheduler).unwrap_err(), Uncheckable::ChoosesAfterPartner.into());
        let question = Question::new(scheduler).with_adversarial_coins();
        assert_eq!(question.coins, Coins::Adversarial);
        let stop = ringleader_check::population(&first, &graph, &question, &Monitor::new(1)).unwrap_err();
        assert_eq!(stop, Uncheckable::FairPartner.into());
    }
    let ring = "protocol t\nmodel ring\nstate x : bit\ngoal all i : x[i] = 0\nfirst:\n  1: x = 1 -> x := 0\n";
    let Ok(Instance::Ring(ring)) = Source::parse("t", ring).unwrap().instance(&Parameters::new(3)) else { panic!() };
    for scheduler in [Scheduler::RandomPartner, Scheduler::FairRandomPartner] {
        let stop = ringleader_check::ring(&ring, 3, &Question::new(scheduler), &Monitor::new(1)).unwrap_err();
        assert_eq!(stop, Uncheckable::OnlyForPopulations(scheduler).into());
    }
}
