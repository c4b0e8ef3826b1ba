//! The text of a protocol that was found defines the same protocol.

use crate::support;
use ringleader_check::{Monitor, Question, Report, population};
use ringleader_erased::{Parameters, PopulationInstance};
use ringleader_language::{Instance, Source};
use ringleader_model::{Graph, NoCoin, Scheduler, Told};
use ringleader_search::{Control, Family, Found, Options, Topology, discover};

fn read(text: &str, agents: usize) -> PopulationInstance {
    let protocol = Source::parse("found.ring", text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    assert!(protocol.warnings().is_empty(), "{}\n{text}", protocol.warnings());
    match protocol.instance(&Parameters::new(agents)) {
        Ok(Instance::Population(instance)) => instance,
        Ok(_) => panic!("no population protocol:\n{text}"),
        Err(refusal) => panic!("{refusal}\n{text}"),
    }
}

fn check(instance: &PopulationInstance, topology: Topology, agents: usize, scheduler: Scheduler) -> Report {
    let graph = match topology {
        Topology::DirectedRing => Graph::directed_ring(agents),
        Topology::Complete => Graph::complete(agents),
    };
    let question = Question::new(scheduler);
    population(instance, &graph.expect("a graph"), &question, &Monitor::new(1)).expect("small")
}

/// The same rules, and the checker finds the same times; the safe set of the text is the one that is really safe.
fn confirms(family: &Family, found: &Found) {
    let (text, protocol) = (found.protocol.text("found-1"), &found.protocol);
    for time in &found.times {
        let instance = read(&text, time.agents);
        for (a, b) in support::configurations(protocol.states() as u8, 2).iter().map(|pair| (pair[0], pair[1])) {
            let led = [a, b].iter().any(|&state| usize::from(state) < protocol.leaders());
            for hears in [false, true].into_iter().filter(|&hears| hears || !led) {
                let after = instance.try_interact(u64::from(a), u64::from(b), Told::both(hears), &mut NoCoin);
                let (c, d) = protocol.after(a, b, hears);
                assert_eq!(after, Ok((u64::from(c), u64::from(d))), "{text}");
            }
        }
        let report = check(&instance, family.topology, time.agents, family.scheduler);
        assert!(report.holds, "{text}");
        assert_eq!(report.own_safe, report.really_safe, "{text}");
        let times = if family.scheduler == Scheduler::Unfair { report.steps } else { report.expected_steps };
        let worst = times.and_then(|times| times.to_really_safe).expect("a time").worst;
        assert_eq!(worst, time.worst, "{text}");
    }
}

#[test]
fn texts_are_read_as_what_they_were_written_from() {
    let ring = |states, sizes: &[usize]| Family::new(states, Topology::DirectedRing, sizes);
    let complete = |states, sizes: &[usize]| Family::new(states, Topology::Complete, sizes);
    for family in [
        ring(2, &[2]),
        ring(3, &[3]),
        ring(3, &[3, 4]),
        ring(3, &[3]).under(Scheduler::Unfair),
        complete(2, &[2, 3, 4]).with_detector(),
        complete(2, &[2]).with_detector(),
        complete(3, &[3]),
        complete(3, &[3, 4]).with_detector().symmetric(),
        complete(3, &[2]).led_by(2),
    ] {
        let outcome = discover(&family, &Options::default(), &Control::default()).expect("can be searched");
        assert!(!outcome.found.is_empty(), "{family:?}");
        outcome.found.iter().for_each(|found| confirms(&family, found));
    }
}
