//! The paper's systems S0 to S5, and random instances of them.

use crate::Generator;
use crate::Refused;
use crate::network::{Fault, Link, Pace, Scenario};
use ringleader_model::{Coin, Timing};

/// A class of systems: the assumptions about the links between live processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive, parse_err_fn = unknown, parse_err_ty = Refused)]
pub enum SystemClass {
    /// No assumption.
    S0,
    /// At least one timely source: all its output links are timely.
    S1,
    /// At least one timely source, and all links fair.
    S2,
    /// A timely routing overlay: timely links strongly connect the live processes.
    S3,
    /// At least one timely bi-source: all its links, out and in, are timely.
    S4,
    /// All links timely.
    S5,
}

impl SystemClass {
    /// All of them, weakest first.
    pub const ALL: [SystemClass; 6] =
        [SystemClass::S0, SystemClass::S1, SystemClass::S2, SystemClass::S3, SystemClass::S4, SystemClass::S5];

    /// A random instance: `crashes` processes crash, half of them at the start and half within 20 δ; one process alive to the
    /// end is the (bi-)source; links keep their behaviour from time 0 on.
    pub fn instance(self, size: usize, crashes: usize, timing: Timing, coin: &mut Generator) -> Scenario {
        assert!(crashes < size, "somebody must live");
        let mut scenario = Scenario::benign(size);
        let mut order: Vec<usize> = (0..size).collect();
        for i in 1..size {
            order.swap(i, coin.below(i as u32 + 1) as usize);
        }
        let (crashed, live) = order.split_at(crashes);
        for (i, &p) in crashed.iter().enumerate() {
            let at = if i % 2 == 0 { 0 } else { coin.between(1, 20 * timing.delta) };
            scenario.befall(at, Fault::Crash(p));
        }
        for pace in &mut scenario.paces {
            *pace = [Pace::Any, Pace::Any, Pace::Fastest, Pace::Slowest, Pace::Extreme][coin.below(5) as usize];
        }
        // Half of the instances have one kind of bad link everywhere: mixtures average their effects.
        let uniform = (coin.below(2) == 0).then(|| self.bad_link(timing, coin));
        for p in 0..size {
            for q in 0..size {
                let bad = uniform.clone().unwrap_or_else(|| self.bad_link(timing, coin));
                let good = self.promises_timely(p, q, live);
                scenario.set(p, q, if good { timely_link(coin) } else { bad });
            }
        }
        scenario
    }

    /// Whether the link must be timely; `live` is in random order, so that its first member is a random source and its order
    /// a random cycle, the overlay with the longest paths.
    fn promises_timely(self, p: usize, q: usize, live: &[usize]) -> bool {
        match self {
            SystemClass::S0 => false,
            SystemClass::S1 | SystemClass::S2 => p == live[0],
            SystemClass::S3 => live.iter().position(|&x| x == p).is_some_and(|i| live[(i + 1) % live.len()] == q),
            SystemClass::S4 => p == live[0] || q == live[0],
            SystemClass::S5 => true,
        }
    }

    /// A random behaviour that the system allows to every link.
    fn bad_link(self, timing: Timing, coin: &mut Generator) -> Link {
        let delta = timing.delta;
        let fair = 9;
        match coin.below(if self == SystemClass::S2 { fair } else { fair + 3 }) {
            0 => Link::Lossy(50),
            1 => Link::Lossy(90),
            2 => Link::Every(2 + coin.below(9)),
            3 | 4 => Link::Bursty(coin.between(5, 30) * delta, coin.between(5, 30) * delta),
            5 | 6 => Link::Slow,
            7 => Link::Reordering,
            8 => Link::Duplicating,
            _ => Link::Dead,
        }
    }
}

fn timely_link(coin: &mut Generator) -> Link {
    [Link::Timely, Link::Timely, Link::Extreme, Link::Duplicating][coin.below(4) as usize].clone()
}

fn unknown(text: &str) -> Refused {
    Refused(format!("no system is called {text:?}; there are s0, s1, s2, s3, s4, s5"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMING: Timing = Timing { alpha: 8, beta: 10, delta: 40 };

    fn live(scenario: &Scenario) -> Vec<usize> {
        (0..scenario.size).filter(|&p| scenario.survivors()[p]).collect()
    }

    #[test]
    fn every_instance_keeps_its_systems_promise() {
        for (system, seed) in SystemClass::ALL.into_iter().flat_map(|s| (0..200).map(move |seed| (s, seed))) {
            let mut coin = Generator::new(seed);
            let (size, crashes) = (2 + seed as usize % 8, seed as usize % 2);
            let scenario = system.instance(size, crashes, TIMING, &mut coin);
            let live = live(&scenario);
            assert_eq!(live.len(), size - crashes);
            let timely = |p: usize, q: usize| p == q || scenario.link(p, q).timely();
            let source = |p: &&usize| live.iter().all(|&q| timely(**p, q));
            let holds = match system {
                SystemClass::S0 => true,
                SystemClass::S1 => live.iter().any(|p| source(&p)),
                SystemClass::S2 => live.iter().any(|p| source(&p)) && !scenario.links.contains(&Link::Dead),
                SystemClass::S3 => {
                    let mut reach = vec![vec![false; size]; size];
                    for (&p, &q) in live.iter().flat_map(|p| live.iter().map(move |q| (p, q))) {
                        reach[p][q] = timely(p, q);
                    }
                    for (k, p, q) in
                        live.iter().flat_map(|&k| live.iter().flat_map(move |&p| (0..size).map(move |q| (k, p, q))))
                    {
                        reach[p][q] |= reach[p][k] && reach[k][q];
                    }
                    live.iter().all(|&p| live.iter().all(|&q| reach[p][q]))
                }
                SystemClass::S4 => live.iter().any(|p| source(&p) && live.iter().all(|&q| timely(q, *p))),
                SystemClass::S5 => (0..size).all(|p| (0..size).all(|q| timely(p, q))),
            };
            assert!(holds, "{system} seed {seed}: {scenario:?}");
        }
    }

    #[test]
    fn systems_have_names() {
        assert_eq!("S3".parse(), Ok(SystemClass::S3));
        assert!("s6".parse::<SystemClass>().unwrap_err().to_string().contains("s0, s1"));
    }
}
