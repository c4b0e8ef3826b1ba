//! Each bug planted in the lease lets two leaders be confirmed at once: in every run of a small world, in random runs of a hostile
//! world, and in whole cores.
#![allow(dead_code, unused_imports, unused_attributes, missing_docs, unreachable_pub)]

// The tests of whole cores are written against the crate's public interface.
extern crate self as ringleader_node_core;

include!(concat!(env!("OUT_DIR"), "/node-core/lib.rs"));

#[path = "common/switch.rs"]
mod switch;

use lease::{exhaustive, hostile};
use suite::{common, guard as cores};
use switch::{planted, with};

const ALL: [&str; 5] = ["minority", "no-echo", "no-share", "no-wait", "unnumbered"];

#[test]
fn every_patch_is_tested() {
    assert_eq!(BUGS.iter().map(|(bug, _)| *bug).collect::<Vec<_>>(), ALL);
}

#[test]
fn each_planted_bug_is_found_among_all_runs() {
    for bug in ALL {
        // Whether members restart and whether grants are returned: without these two the world is smaller.
        let scope = [bug == "no-wait", bug == "unnumbered"];
        let found = with(bug, || exhaustive::explore(exhaustive::World::new(exhaustive::TIGHT, scope), 2_000_000));
        let wrong = found.expect_err("two are confirmed");
        println!("{bug}: two are confirmed after {} steps, {} states", wrong.steps, wrong.known);
    }
}

#[test]
fn each_planted_bug_shows_in_a_hostile_world() {
    for bug in ALL {
        let wrong = |seed: &u64| hostile::World::new(*seed, false).run() == Some("two members are confirmed");
        let found = with(bug, || (0..20_000).find(wrong));
        println!("{bug}: seed {found:?}");
        assert!(found.is_some(), "{bug} was not caught");
    }
}

/// Not `unnumbered`: between whole cores a delayed datagram is not taken after a later one.
#[test]
fn planted_bugs_show_in_whole_cores() {
    for &bug in &ALL[..4] {
        let shows = |seed: &u64| {
            let mut world = cores::World::new(if bug == "minority" { 4 } else { 3 }, *seed, cores::harsh());
            world.tolerant = true;
            cores::storm(&mut world, *seed, true);
            world.two
        };
        let found = with(bug, || (0..3000).find(shows));
        println!("{bug}: seed {found:?}");
        assert!(found.is_some(), "{bug} was not caught");
    }
}
