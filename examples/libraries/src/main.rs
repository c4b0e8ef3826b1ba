//! Check, explore and simulate as libraries, without the command line: a verdict, a count and a law of growth as values.

use ringleader::algorithms::message::franklin::Franklin;
use ringleader::algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader::check::{Monitor, Question, population, ring};
use ringleader::erased::{MessageInstance, Parameters, PopulationInstance, Refusal};
use ringleader::explore::{Options, Space};
use ringleader::model::{Graph, Scheduler, Shape};
use ringleader::simulate::{Arena, Elections, Experiment, KernelChoice, Oracle};
use ringleader::{Catalog, Instance};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // Every configuration of three agents, under the random scheduler.
    let protocol = PopulationInstance::new(FischerJiangRing)?;
    let three = Graph::directed_ring(3)?;
    let report = population(&protocol, &three, &Question::new(Scheduler::Random), &Monitor::default())?;
    println!(
        "fischer-jiang-ring, 3 agents: holds {}, {} of {} configurations safe",
        report.holds, report.really_safe, report.configurations
    );
    assert!(report.holds);

    // On two agents it fails, and the counterexample says how.
    let two = Graph::directed_ring(2)?;
    let report = population(&protocol, &two, &Question::new(Scheduler::GloballyFair), &Monitor::default())?;
    let failure = report.counterexample.ok_or("two agents are an exception")?;
    println!("fischer-jiang-ring, 2 agents: {}", failure.shows);

    // Every reachable state of Franklin's algorithm on three processes.
    let franklin = MessageInstance::new(Franklin { size: 3, ids: 2, keeps_identity: false });
    let space = Space::explore(&franklin, &Options::default(), &mut |_| true)?;
    let two_leaders = space.first(|state| state.leaders() > 1);
    println!("franklin, 3 processes: {} states, two leaders somewhere: {}", space.stored(), two_leaders.is_some());
    assert!(two_leaders.is_none());

    // A ring of processes, by its name: all alternating schedules of three, then many runs of larger ones.
    let catalog = Catalog::builtin();
    let of_size = |size: usize| match catalog.instance("fich-johnen", &Parameters::new(size))? {
        Instance::Ring(algorithm) => Ok(algorithm),
        _ => Err(Refusal::new("no ring")),
    };
    let report = ring(&of_size(3)?, 3, &Question::new(Scheduler::Alternating), &Monitor::default())?;
    println!("fich-johnen, 3 processes: holds {}", report.holds);
    let measured = Experiment::new([5, 11, 23], 50, 1)
        .run(|size| Ok::<_, Box<dyn Error>>(Elections::ring(of_size(size)?, size, Scheduler::Alternating)?))?;
    // A population the same way: where its agents meet, by which kernel, and what a detector tells them.
    let met = Experiment::new([3, 9, 27], 50, 1).run(|size| {
        let arena = Arena::shaped(Shape::DirectedRing, size)?;
        let elections = Elections::population(protocol.clone(), arena, KernelChoice::Auto, Oracle::Perfect)?;
        Ok::<_, Box<dyn Error>>(elections)
    })?;
    println!("fischer-jiang-ring: steps grow as n^{:.1}", met.growth.ok_or("all runs end")?.exponent);
    for point in &measured.points {
        let steps = point.steps.ok_or("all runs end")?;
        println!(
            "fich-johnen, {} processes: {:.0} steps in the mean of {} runs",
            point.size,
            steps.mean,
            point.elections.len()
        );
    }
    Ok(())
}
