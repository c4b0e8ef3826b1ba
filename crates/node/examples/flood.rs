//! Floods nodes with garbage, to test that they keep running: noise, datagrams with a wrong MAC, and mutations of these.
//!
//! ```sh
//! cargo run --release -p ringleader-node --example flood -- RATE SECONDS SIZE ID=ADDRESS..
//! ```
//!
//! Each of these nodes gets RATE datagrams a second for SECONDS. SIZE is the size of its cluster, which must have the default name
//! `ringleader`. Use it only against your own machines.

use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node::{Command, Config, Core, CoreConfig, Now};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant, SystemTime};

/// The time between two bursts.
const BEAT: Duration = Duration::from_millis(1);

fn unix_micros() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_micros() as u64
}

/// A datagram of a peer to `target`, except for the key.
fn forged(target: usize, size: usize) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let me = (target + 1) % size;
    let config = Config::new(me, SocketAddr::from(([127, 0, 0, 1], 0)));
    let algorithm = RobustS2::quick(size, config.tempo.timing(), config.tempo.period());
    let now = Now { elapsed: Duration::ZERO, unix_micros: unix_micros() };
    let core = CoreConfig { algorithm: config.algorithm, ..CoreConfig::new(me, size, config.tempo.heartbeat, 1) };
    let mut core = Core::new(algorithm.into(), core, 0, now)?;
    for _ in 0..100 {
        core.iterate(now);
    }
    let to_target = |command| match command {
        Command::Send { to, datagram } if to == target => Some(datagram),
        _ => None,
    };
    core.take_commands().into_iter().find_map(to_target).ok_or("nothing to forge".into())
}

/// Sends at a steady rate, in one burst each beat; returns the number of datagrams.
fn flood(target: SocketAddr, mut forged: Vec<u8>, rate: u64, time: Duration) -> std::io::Result<u64> {
    let any = if target.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(any)?;
    socket.connect(target)?;
    let begun = Instant::now();
    let (mut sent, mut word) = (0, 0x9e37_79b9_7f4a_7c15_u64);
    while begun.elapsed() < time {
        let due = (begun.elapsed().as_secs_f64() * rate as f64) as u64;
        while sent < due {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let noise: [u8; 64] = std::array::from_fn(|i| (word >> (i % 57)) as u8);
            // Bytes 28 to 35 are the uptime of the sender.
            forged[28..36].copy_from_slice(&unix_micros().to_be_bytes());
            let place = (word >> 32) as usize % forged.len();
            // A full buffer is like a lost datagram.
            let _ = match sent % 4 {
                0 => socket.send(&forged),
                1 => {
                    let honest = std::mem::replace(&mut forged[place], noise[0]);
                    let outcome = socket.send(&forged);
                    forged[place] = honest;
                    outcome
                }
                2 => socket.send(&forged[..place]),
                _ => socket.send(&noise[..(word >> 58) as usize]),
            };
            sent += 1;
        }
        std::thread::sleep(BEAT);
    }
    Ok(sent)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: flood RATE SECONDS SIZE ID=ADDRESS..";
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [rate, seconds, size, targets @ ..] = &words[..] else { return Err(usage.into()) };
    let (rate, time, size) = (rate.parse()?, Duration::from_secs(seconds.parse()?), size.parse()?);
    let mut senders = vec![];
    for target in targets {
        let (id, address) = target.split_once('=').ok_or(usage)?;
        let (id, address) = (id.parse()?, address.parse()?);
        let template = forged(id, size)?;
        senders.push((target, std::thread::spawn(move || flood(address, template, rate, time))));
    }
    for (target, sender) in senders {
        let sent = sender.join().map_err(|_| "a sender panicked")??;
        println!("{target}: {sent} datagrams, {:.0} a second", sent as f64 / time.as_secs_f64());
    }
    Ok(())
}
