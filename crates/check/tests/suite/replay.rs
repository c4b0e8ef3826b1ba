//! Recorded executions: the checker's counterexamples pass the replay, and modified ones fail.

use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_check::replay::{Played, Run, play};
use ringleader_check::{Detector, Level, Monitor, Question, Report};
use ringleader_erased::{Entry as _, Number, Parameters, PopulationInstance, RingInstance};
use ringleader_model::text::{Document, print_state};
use ringleader_model::trace::{Assumptions, Trace};
use ringleader_model::{Graph, Scheduler, Variables};

fn assumptions(question: &Question) -> Assumptions {
    Assumptions {
        graph: None,
        scheduler: Some(question.scheduler),
        fairness: Some(<&str>::from(question.level).into()),
        oracle: Some(<&str>::from(question.detector).into()),
        coins: Some(<&str>::from(question.coins).into()),
    }
}

fn start(digits: &[u32]) -> Vec<Number> {
    digits.iter().map(|&digit| Number(digit.into())).collect()
}

fn texts<A: Variables<State = Number>>(algorithm: &A, digits: &[u32]) -> Vec<String> {
    start(digits).iter().map(|state| print_state(algorithm, state)).collect()
}

/// The counterexample as text, if the check fails.
fn population(algorithm: &PopulationInstance, graph: &Graph, question: &Question) -> Option<String> {
    let report: Report = ringleader_check::population(algorithm, graph, question, &Monitor::new(2)).unwrap();
    let run = report.counterexample?;
    let document = Document::new("x", algorithm, vec![], &start(&run.start));
    Some(run.trace(document, assumptions(question), |c| texts(algorithm, c)).print())
}

fn ring(algorithm: &RingInstance, size: usize, question: &Question) -> Option<String> {
    let report = ringleader_check::ring(algorithm, size, question, &Monitor::new(2)).unwrap();
    let run = report.counterexample?;
    let document = Document::new("x", algorithm, vec![], &start(&run.start));
    Some(run.trace(document, assumptions(question), |c| texts(algorithm, c)).print())
}

fn played(played: &Played<'_>, text: &str) -> Run {
    play(played, &Trace::parse(text).unwrap()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const ALL: [Scheduler; 5] =
    [Scheduler::Random, Scheduler::GloballyFair, Scheduler::LocallyFair, Scheduler::Fair, Scheduler::Unfair];

#[test]
fn every_counterexample_of_a_population_is_what_it_claims() {
    let mut shown = 0;
    for (algorithm, graph) in [
        (PopulationInstance::new(FischerJiangRing).unwrap(), Graph::directed_ring(4).unwrap()),
        (PopulationInstance::new(FischerJiangRing).unwrap(), Graph::directed_ring(2).unwrap()),
        (PopulationInstance::new(FischerJiangComplete).unwrap(), Graph::complete(4).unwrap()),
    ] {
        for scheduler in ALL {
            for level in [Level::Transition, Level::Rule, Level::Arc] {
                for detector in [Detector::Perfect, Detector::EventuallyCorrect] {
                    let mut question = Question::new(scheduler);
                    (question.level, question.detector) = (level, detector);
                    let lies = detector == Detector::EventuallyCorrect;
                    if lies && matches!(scheduler, Scheduler::Fair | Scheduler::Unfair) {
                        continue;
                    }
                    let Some(text) = population(&algorithm, &graph, &question) else { continue };
                    let run = played(&Played::Population(&algorithm, &graph), &text);
                    assert_eq!((run.broken, run.closes), (None, Some(true)), "{text}");
                    shown += 1;
                }
            }
        }
    }
    assert!(shown > 10, "{shown}");
}

#[test]
fn every_counterexample_of_a_ring_is_what_it_claims() {
    let algorithm = RingInstance::new(FichJohnen::build(&Parameters::new(4)).unwrap()).unwrap();
    // Simultaneous steps are replayed in `daemons`.
    for scheduler in [Scheduler::Alternating, Scheduler::Fair, Scheduler::Unfair] {
        let text = ring(&algorithm, 4, &Question::new(scheduler)).expect("four is no prime number");
        let run = played(&Played::Ring(&algorithm), &text);
        assert_eq!((run.broken, run.closes), (None, Some(true)), "{scheduler}\n{text}");
    }
}

/// The error of a trace after a replacement in its text.
fn fault(algorithm: &Played<'_>, text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not in\n{text}");
    match play(algorithm, &Trace::parse(&text.replacen(from, to, 1)).unwrap()) {
        Ok(run) => run.broken.unwrap_or_else(|| panic!("taken for a run: {from:?} as {to:?} in\n{text}")).to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn arcs_that_the_graph_does_not_have_are_refused() {
    let algorithm = PopulationInstance::new(FischerJiangRing).unwrap();
    let graph = Graph::directed_ring(4).unwrap();
    let text = population(&algorithm, &graph, &Question::new(Scheduler::LocallyFair)).unwrap();
    let of = Played::Population(&algorithm, &graph);
    for arc in ["2 1", "0 2"] {
        let (u, v) = arc.split_once(' ').unwrap();
        let message = fault(&of, &text, "step arc 0 1", &format!("step arc {arc}"));
        assert!(message.contains(&format!("the directed ring has no arc from {u} to {v}")), "{message}");
    }
}

#[test]
fn schedules_that_are_not_of_the_class_are_found_out() {
    let algorithm = RingInstance::new(FichJohnen::build(&Parameters::new(4)).unwrap()).unwrap();
    let of = Played::Ring(&algorithm);
    let text = ring(&algorithm, 4, &Question::new(Scheduler::Alternating)).unwrap();
    assert_eq!(
        fault(&of, &text, "alternating", "round-robin"),
        "runs under the scheduler round-robin cannot be checked"
    );
    assert!(fault(&of, &text, "alternating", "synchronous").contains("not all processes step"));
    // A process steps twice where nothing changes: the states stay the same, and the order is violated.
    let steps: Vec<&str> = text.lines().filter(|line| line.starts_with("step")).collect();
    let last = steps.last().unwrap();
    let message = fault(&of, &format!("{text}\n"), &format!("{last}\n\n"), &format!("{last}\n{last}\n"));
    assert!(message.contains("does not alternate") || message.contains("does not repeat"), "{message}");
    let lonely = "ringleader trace 1\nalgorithm x\nsize 4\nscheduler alternating\n";
    let agents: String =
        text.lines().filter(|line| line.starts_with("agent")).map(|line| format!("{line}\n")).collect();
    let message =
        fault(&of, &format!("{lonely}{agents}step process 0\nstep process 1\n"), "step process 1", "step process 0");
    assert!(message.contains("process 0 steps again before its neighbour"), "{message}");
    let unfair = ring(&algorithm, 4, &Question::new(Scheduler::Unfair)).unwrap();
    assert!(fault(&of, &unfair, "scheduler unfair", "scheduler fair").contains("not fair"));
}

#[test]
fn unfair_cycles_and_lying_oracles_are_found_out() {
    let algorithm = PopulationInstance::new(FischerJiangRing).unwrap();
    let graph = Graph::directed_ring(4).unwrap();
    let of = Played::Population(&algorithm, &graph);
    let text = population(&algorithm, &graph, &Question::new(Scheduler::LocallyFair)).unwrap();
    let message = fault(&of, &text, "inputs true true", "inputs false false");
    assert!(message.contains("the oracle is perfect"), "{message}");
    assert!(fault(&of, &text, "locally-fair", "globally-fair").contains("does not repeat"));
    // The first step of the cycle alone is fair to no agent.
    let idle = "ringleader trace 1\nalgorithm x\nsize 4\nscheduler locally-fair\nagent 0: bullet=0 leader=1 shield=1\n\
        agent 1: bullet=0 leader=0 shield=0\nagent 2: bullet=0 leader=0 shield=0\nagent 3: bullet=0 leader=0 shield=0\n\
        cycle\nstep arc 1 2\n";
    let message = fault(&of, idle, "1 2", "2 3");
    assert!(message.contains("not locally fair"), "{message}");
    let lie = idle.replace("locally-fair", "locally-fair\noracle eventually-correct");
    let message = fault(&of, &lie, "1 2", "1 2 inputs true false");
    assert!(message.contains("always a leader"), "{message}");
}
