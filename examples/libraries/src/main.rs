//! Check and explore as libraries, without the command line: a verdict and a count as values.

use ringleader::algorithms::message::franklin::Franklin;
use ringleader::algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader::check::{Monitor, Question, population};
use ringleader::explore::{Options, Space};
use ringleader::instance::PopulationInstance;
use ringleader::model::{Graph, Scheduler};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // Every configuration of three agents, under the random scheduler.
    let protocol = PopulationInstance::new(FischerJiangRing)?;
    let ring = Graph::directed_ring(3)?;
    let report = population(&protocol, &ring, &Question::new(Scheduler::Random), &Monitor::default())?;
    println!("fischer-jiang-ring, 3 agents: holds {}, {} of {} configurations safe", report.holds, report.really_safe, report.configurations);
    assert!(report.holds);

    // On two agents it fails, and the counterexample says how.
    let two = Graph::directed_ring(2)?;
    let report = population(&protocol, &two, &Question::new(Scheduler::GloballyFair), &Monitor::default())?;
    let failure = report.counterexample.ok_or("two agents are an exception")?;
    println!("fischer-jiang-ring, 2 agents: {}", failure.shows);

    // Every reachable state of Franklin's algorithm on three processes.
    let franklin = Franklin { size: 3, ids: 2, keeps_identity: false };
    let space = Space::explore(&franklin, &Options::default(), &mut |_| true)?;
    let two_leaders = space.first(|state| state.leaders() > 1);
    println!("franklin, 3 processes: {} states, two leaders somewhere: {}", space.stored(), two_leaders.is_some());
    assert!(two_leaders.is_none());
    Ok(())
}
