//! The speed and the memory of exploring a row of Table 1:
//! `cargo run --release -p ringleader-explore --example rate -- SIZE [rotation] [compact] [verify] [threads=N] [seed=N]`.

use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_erased::MessageInstance;
use ringleader_explore::{Options, Space, Storage};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options { memory: 14 << 30, set: Storage::Plain, ..Options::default() };
    let (mut size, mut verify) = (4, false);
    for word in std::env::args().skip(1) {
        match word.split_once('=') {
            Some(("threads", value)) => options.threads = value.parse()?,
            Some(("seed", value)) => options.seed = value.parse()?,
            None if word == "rotation" => options.rotation = true,
            None if word == "compact" => options.set = Storage::Compact,
            None if word == "verify" => verify = true,
            _ => size = word.parse()?,
        }
    }
    let algorithm = Franklin { size, ids: 2, keeps_identity: false };
    let model = MessageInstance::new(FranklinTables { algorithm, reading: Reading::Both });
    let begun = Instant::now();
    let mut next = 60.0;
    let space = Space::explore(&model, &options, &mut |now| {
        let seconds = begun.elapsed().as_secs_f64();
        if seconds > next {
            eprintln!("{seconds:.0} s: depth {}, {} stored, {} MiB", now.depth, now.stored, now.bytes >> 20);
            next += 60.0;
        }
        true
    })?;
    let (seconds, counts) = (begun.elapsed().as_secs_f64(), space.summary());
    println!(
        "{} states, {} transitions, {} stored, depth {}, {} cells, {:?} invariant under rotation",
        space.states().unwrap_or_default(),
        counts.transitions.unwrap_or_default(),
        space.stored(),
        counts.depth,
        counts.cells,
        counts.invariant,
    );
    println!("{seconds:.2} s, {} MiB, {:.2} bytes a state", space.peak_bytes() >> 20, counts.bytes_per_state());
    if verify {
        let begun = Instant::now();
        println!("{:?}, {:.2} s", space.verify(&|| true), begun.elapsed().as_secs_f64());
    }
    Ok(())
}
