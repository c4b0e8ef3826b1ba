//! How long it takes to elect, by the size of the ring.

use super::runs;
use super::world::{World, instance};

/// `cargo test -p ringleader-catalog --test suite members::growth -- --ignored --nocapture`: for docs/ringing.md.
#[test]
#[ignore = "a measurement"]
fn growth() {
    for (name, sizes) in [
        ("yokota-ring", [3, 5, 8, 16, 32]),
        ("fischer-jiang-ring", [3, 5, 8, 16, 32]),
        ("fich-johnen", [3, 5, 7, 17, 31]),
    ] {
        for size in sizes {
            let mut found: Vec<(u64, u64)> = (0..runs())
                .map(|seed| {
                    let mut world = World::new(name, size, 0, seed);
                    let took = world.settle(&instance(name, size), 20_000_000_000).expect("it elects");
                    // As many steps as there were until it settled: they come at an even pace.
                    (world.steps() * took / world.now.max(1), took)
                })
                .collect();
            found.sort_unstable();
            let mean = found.iter().map(|(steps, _)| steps).sum::<u64>() as f64 / found.len() as f64;
            let seconds = found.iter().map(|(_, took)| took).sum::<u64>() as f64 / found.len() as f64 / 1e6;
            println!("{name} n={size}: {mean:.0} steps in the mean, {seconds:.2} s");
        }
    }
}
