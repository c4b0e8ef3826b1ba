//! How fast a row of Table 1 is explored, and in how much memory:
//! `cargo run --release -p ringleader-explore --example rate -- SIZE [rotation] [threads=N]`.

use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_explore::{Options, Space};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options { memory: 14 << 30, ..Options::default() };
    let mut size = 4;
    for word in std::env::args().skip(1) {
        match word.split_once('=') {
            Some(("threads", value)) => options.threads = value.parse()?,
            None if word == "rotation" => options.rotation = true,
            _ => size = word.parse()?,
        }
    }
    let model = FranklinTables { algorithm: Franklin { size, ids: 2, keeps_identity: false }, reading: Reading::Both };
    let begun = Instant::now();
    let space = Space::explore(&model, &options, &mut |_| true)?;
    println!(
        "{} states, {} stored, depth {}, {} cells, {:.2} s, {} MiB",
        space.states().unwrap_or_default(),
        space.stored(),
        space.depth(),
        space.cells(),
        begun.elapsed().as_secs_f64(),
        space.peak_bytes() >> 20
    );
    Ok(())
}
