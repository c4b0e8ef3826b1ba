//! Leader election that heals itself: write an algorithm once, then check, simulate, prove and run it.
//!
//! An algorithm is a pure state machine. It lists the variables of a state, gives the rule of a step, and states its goal. This
//! program writes one, checks all its configurations, and measures how long it takes:
//!
//! ```
//! use ringleader::check::{self, Monitor, Question};
//! use ringleader::erased::PopulationInstance;
//! use ringleader::model::{Coin, Goal, Graph, Marks, Population, Safety, Scheduler, Shape};
//! use ringleader::model::{Stabilizing, Told, Variables, Visitor};
//! use ringleader::simulate::{Arena, Elections, Experiment, KernelChoice, Oracle};
//! use std::error::Error;
//!
//! /// Agents have ranks. When two agents of the same rank meet, one of them takes the next rank. Rank 0 leads.
//! /// (Cai, Izumi and Wada: How to prove impossibility under global fairness, 2012)
//! struct Ranks {
//!     size: u32,
//! }
//!
//! impl Variables for Ranks {
//!     type State = u32;
//!     fn variables(&self, rank: &mut u32, v: &mut dyn Visitor) {
//!         v.range("rank", 0, u64::from(self.size) - 1, rank);
//!     }
//! }
//!
//! impl Population for Ranks {
//!     fn interact(&self, u: u32, v: u32, _: Told, _: &mut impl Coin) -> (u32, u32) {
//!         if u == v { (u, (v + 1) % self.size) } else { (u, v) }
//!     }
//!     fn marks(&self, rank: &u32) -> Marks {
//!         Marks::LEADER.when(*rank == 0)
//!     }
//! }
//!
//! impl Stabilizing for Ranks {
//!     fn goal(&self) -> Goal {
//!         Goal::OneLeader
//!     }
//!     fn correct(&self, ranks: &[u32]) -> bool {
//!         ranks.iter().filter(|rank| **rank == 0).count() == 1
//!     }
//!     fn safety(&self) -> Safety {
//!         Safety::ForEver
//!     }
//!     /// Every rank occurs once: no rule changes anything.
//!     fn safe(&self, ranks: &[u32]) -> bool {
//!         (0..self.size).all(|rank| ranks.contains(&rank))
//!     }
//! }
//!
//! fn main() -> Result<(), Box<dyn Error>> {
//!     // Check: all 256 configurations of four agents that meet at random.
//!     let four = PopulationInstance::new(Ranks { size: 4 })?;
//!     let question = Question::new(Scheduler::Random);
//!     let report = check::population(&four, &Graph::complete(4)?, &question, &Monitor::default())?;
//!     println!("4 agents: {}", if report.holds { "holds" } else { "fails" });
//!     assert!(report.holds && report.configurations == 256);
//!
//!     // Simulate: 50 elections each of 4, 8 and 16 agents, from random configurations, with seed 1.
//!     let measured = Experiment::new([4, 8, 16], 50, 1).run(|size| {
//!         let ranks = PopulationInstance::new(Ranks { size: size as u32 })?;
//!         let arena = Arena::shaped(Shape::Complete, size)?;
//!         Ok::<_, Box<dyn Error>>(Elections::population(ranks, arena, KernelChoice::Auto, Oracle::Perfect)?)
//!     })?;
//!     for point in &measured.points {
//!         println!("{} agents: {:.0} steps on average", point.size, point.steps.ok_or("a run did not end")?.mean);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! With a card (its name, its claim, its parameters), [`Cli`] gives the algorithm every verb of the command line:
//! `examples/cai-izumi-wada` is the whole program.
//!
//! ```no_run
//! # #[cfg(feature = "cli")] {
//! # use ringleader::algorithms::population::yokota_ring::YokotaRing as Ranks;
//! ringleader::Cli::new().population::<Ranks>().main();
//! # }
//! ```
//!
//! | module | purpose |
//! | --- | --- |
//! | [`model`] | states, rules, graphs and configurations: the traits that an algorithm implements |
//! | [`erased`] | algorithms as values, and the card that states the requirements and the claim of each |
//! | [`algorithms`] | the algorithms of the literature, one file each |
//! | [`catalog`] | all algorithms by name; your own can be added |
//! | [`language`] | protocols as text |
//! | [`check`] | all configurations and all schedules: a verdict, exact times, a counterexample |
//! | [`explore`] | all reachable states of message passing |
//! | [`simulate`] | thousands of runs, fast; hostile networks |
//! | [`report`] | results as text, JSON, traces, plots and pictures |
//! | [`fleet`] | a cluster of nodes in one process, over a network that can be broken |
//! | [`lab`] | a page in the browser to run, steer, break and check algorithms |
//! | [`prove`], [`verify`] | proofs for every ring size, and an independent checker of proofs |
//! | [`search`] | all protocols of a family that elect a leader, the fastest first |
//! | [`node`] | one leader among real machines, over UDP |
//!
//! Features, all on by default: `cli` (every verb), `daemon` (the verbs `node`, `status` and `ctl` alone), `libraries` (all modules but
//! [`lab`] and [`search`]; without it [`model`], [`erased`], [`algorithms`] and [`node`] remain), `lab`, `search`, `distributed`, `pictures`
//! and `address`. Off by default: `serde`, and `tokio` (the leadership of a node as a watch channel).

pub use ringleader_algorithms as algorithms;
#[cfg(feature = "libraries")]
pub use ringleader_catalog as catalog;
#[cfg(feature = "libraries")]
pub use ringleader_check as check;
pub use ringleader_erased as erased;
#[cfg(feature = "libraries")]
pub use ringleader_explore as explore;
#[cfg(feature = "libraries")]
pub use ringleader_fleet as fleet;
#[cfg(feature = "lab")]
pub use ringleader_lab_server as lab;
#[cfg(feature = "libraries")]
pub use ringleader_language as language;
pub use ringleader_model as model;
pub use ringleader_node as node;
#[cfg(feature = "libraries")]
pub use ringleader_prove as prove;
#[cfg(feature = "libraries")]
pub use ringleader_report as report;
#[cfg(feature = "search")]
pub use ringleader_search as search;
#[cfg(feature = "libraries")]
pub use ringleader_simulate as simulate;
#[cfg(feature = "libraries")]
pub use ringleader_verify as verify;

#[cfg(feature = "libraries")]
pub use ringleader_catalog::{Catalog, Instance};
#[cfg(feature = "cli")]
pub use ringleader_cli::Cli;
