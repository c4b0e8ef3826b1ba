//! How fast a cluster beats, and what its algorithm may assume of time.

use ringleader_model::Timing;
use std::time::Duration;

/// How many loop iterations a heartbeat lasts. More would react sooner and wake the machine more often.
pub(crate) const ITERATIONS: u32 = 20;

/// The two durations a user chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempo {
    /// How often the leader tells that it is alive.
    pub heartbeat: Duration,
    /// δ: what a datagram on a good link may take, with all that delays its sending and reading. If absent, a quarter of a
    /// heartbeat; for algorithms that do not ask, which must bear more, one and a half.
    pub delta: Option<Duration>,
}

impl Tempo {
    /// A heartbeat, and the δ that goes with it.
    pub fn new(heartbeat: Duration) -> Tempo {
        Tempo { heartbeat, delta: None }
    }

    /// How long one iteration of the loop lasts.
    pub fn iteration(self) -> Duration {
        self.heartbeat / ITERATIONS
    }

    /// The shortest time between two iterations: the runtime never goes below it.
    pub fn least_iteration(self) -> Duration {
        self.iteration() * 19 / 20
    }

    /// α, β and δ in microseconds, for an algorithm that is told how often to send: [`Tempo::period`].
    ///
    /// α is what the runtime ensures. β is what it keeps to over a heartbeat, since its iterations are due by the clock; a
    /// single late one is part of what δ allows for.
    pub fn timing(self) -> Timing {
        let micros = |duration: Duration| duration.as_micros() as u64;
        Timing {
            alpha: micros(self.least_iteration()),
            beta: micros(self.iteration() * 21 / 20),
            delta: micros(self.delta.unwrap_or(self.heartbeat / 4)),
        }
    }

    /// How many iterations a heartbeat lasts.
    pub fn period(self) -> u64 {
        u64::from(ITERATIONS)
    }

    /// α, β and δ in microseconds, for an algorithm that sends every ⌊δ/β⌋ iterations: β is such that this is one heartbeat.
    pub fn tied_timing(self) -> Timing {
        let delta = self.delta.unwrap_or(self.heartbeat * 3 / 2);
        let micros = |duration: Duration| duration.as_micros() as u64;
        Timing {
            alpha: micros(self.least_iteration()),
            beta: micros(delta) / u64::from(ITERATIONS),
            delta: micros(delta),
        }
    }

    /// Says what is wrong with these durations, if anything; `tied` if the algorithm sends every ⌊δ/β⌋ iterations.
    pub fn validate(self, tied: bool) -> Result<(), String> {
        let (least, most) = (Duration::from_millis(10), Duration::from_secs(3600));
        if self.heartbeat < least || self.heartbeat > most {
            return Err(format!("the heartbeat must be 10 ms to an hour, not {:?}", self.heartbeat));
        }
        let tenths = if tied { 11 } else { 1 };
        let (shortest, longest) = (self.heartbeat * tenths / 10, self.heartbeat * 100);
        if let Some(delta) = self.delta.filter(|delta| !(shortest..=longest).contains(delta)) {
            let why =
                if tied { ": this algorithm hears from the leader once a heartbeat, late by up to delta" } else { "" };
            return Err(format!(
                "delta must be {} to 100 heartbeats, here {shortest:?} to {longest:?}, not {delta:?}{why}",
                f64::from(tenths) / 10.0
            ));
        }
        if tied { self.tied_timing() } else { self.timing() }.validate().map_err(|wrong| wrong.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_is_one_sending_period() {
        for (heartbeat, delta) in [(1000, 1500), (100, 110), (10, 11), (70, 1000), (3_600_000, 7_200_000)] {
            let delta = Some(Duration::from_millis(delta));
            let tempo = Tempo { heartbeat: Duration::from_millis(heartbeat), delta };
            assert_eq!(tempo.validate(true), Ok(()));
            assert_eq!(tempo.tied_timing().send_period(), u64::from(ITERATIONS), "{tempo:?}");
        }
        let short = Tempo { delta: Some(Duration::from_secs(1)), ..Tempo::new(Duration::from_secs(1)) };
        assert!(short.validate(true).is_err() && short.validate(false).is_ok());
        assert!(Tempo { delta: Some(Duration::from_millis(99)), ..short }.validate(false).is_err());
        assert!(Tempo::new(Duration::from_millis(9)).validate(false).is_err());
        for heartbeat in [10, 11, 100, 3_600_000] {
            assert_eq!(Tempo::new(Duration::from_millis(heartbeat)).validate(false), Ok(()), "{heartbeat}");
        }
    }
}
