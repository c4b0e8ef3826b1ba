//! The speed of exploring a row of Table 1 by several processes on loopback:
//! `cargo run --release -p ringleader-explore --example spread -- SIZE [rotation] [compact] [processes=N] [threads=N]`.
//! `time` of this process shows the processor time of all of them.

use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
use ringleader_erased::MessageInstance;
use ringleader_explore::distributed::{Cluster, Hosts};
use ringleader_explore::{Options, Peers as _, Space, Storage};
use std::net::TcpListener;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const LIST: &str = "SPREAD_HOSTS";
const PROCESS: &str = "SPREAD_PROCESS";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options { memory: 14 << 30, set: Storage::Plain, threads: 1, ..Options::default() };
    let (mut size, mut processes) = (4, 2);
    for word in std::env::args().skip(1) {
        match word.split_once('=') {
            Some(("threads", value)) => options.threads = value.parse()?,
            Some(("processes", value)) => processes = value.parse()?,
            None if word == "rotation" => options.rotation = true,
            None if word == "compact" => options.set = Storage::Compact,
            _ => size = word.parse()?,
        }
    }
    match (std::env::var(LIST), std::env::var(PROCESS)) {
        (Ok(list), Ok(me)) => explore(&list.parse()?, me.parse()?, size, &options),
        _ => begin(processes),
    }
}

/// Starts the processes and waits for them.
fn begin(processes: usize) -> Result<(), Box<dyn std::error::Error>> {
    let ports = (0..processes).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<Vec<_>, _>>()?;
    let list = ports.iter().map(|port| Ok(port.local_addr()?.to_string())).collect::<std::io::Result<Vec<_>>>()?;
    drop(ports);
    let start = |me: usize| {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(std::env::args().skip(1)).env(LIST, list.join("\n")).env(PROCESS, me.to_string()).spawn()
    };
    let all = (0..processes).map(start).collect::<std::io::Result<Vec<Child>>>()?;
    for mut child in all {
        child.wait()?;
    }
    Ok(())
}

fn explore(hosts: &Hosts, me: usize, size: u32, options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let mut cluster = Cluster::join(hosts, me, 0, Duration::from_secs(30), &|| true)?;
    let algorithm = Franklin { size, ids: 2, keeps_identity: false };
    let model = MessageInstance::new(FranklinTables { algorithm, reading: Reading::Both });
    let begun = Instant::now();
    let space = Space::explore_with(&model, options, &mut |_| true, &mut cluster)?;
    let seconds = begun.elapsed().as_secs_f64();
    let ((bytes, letters), waited) = (cluster.traffic(), cluster.waited().as_secs_f64());
    cluster.leave();
    if me == 0 {
        let (states, transitions) =
            (space.states().unwrap_or_default(), space.summary().transitions.unwrap_or_default());
        let (stored, depth) = (space.stored(), space.summary().depth);
        println!("{states} states, {transitions} transitions, {stored} stored, depth {depth}, {seconds:.2} s");
    }
    let kept = space.kept_here();
    println!("process {me}: {kept} states kept, {} KiB sent in {letters} letters, waited {waited:.2} s", bytes >> 10);
    if me == 0 && hosts.len() > 1 {
        let per_state = space.sent() as f64 / space.stored() as f64;
        println!(
            "{} states sent, {per_state:.2} per stored state, {} bytes each",
            space.sent(),
            space.bytes_per_sent_state()
        );
    }
    Ok(())
}
