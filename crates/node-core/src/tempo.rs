//! The heartbeat of a cluster, and the timing that its algorithm may assume.

use ringleader_model::{Timing, TimingError};
use std::time::Duration;

/// The loop iterations in a heartbeat. More would react sooner and wake the machine more often.
pub(crate) const ITERATIONS: u32 = 20;

/// The two durations that a user chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempo {
    /// The time between two messages of the leader.
    pub heartbeat: Duration,
    /// δ: the greatest delay of a datagram on a timely link, including its sending and reading. If absent, a quarter of a heartbeat;
    /// for algorithms that do not ask a silent leader, one and a half heartbeats.
    pub delta: Option<Duration>,
}

/// The reason for the greater least δ of algorithms that send every ⌊δ/β⌋ iterations.
const TIED: &str = ": this algorithm hears from the leader once a heartbeat, up to delta late";

/// The reason why durations are refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TempoError {
    /// A heartbeat that is too short or too long.
    #[error("the heartbeat must be 10 ms to an hour, not {0:?}")]
    Heartbeat(Duration),
    /// A δ that is too short or too long.
    #[error("delta must be {heartbeats} to 100 heartbeats, here {least:?} to {most:?}, not {given:?}{why}")]
    Delta {
        /// The least δ, in heartbeats.
        heartbeats: f64,
        /// The least δ.
        least: Duration,
        /// The greatest δ.
        most: Duration,
        /// The given δ.
        given: Duration,
        /// The reason for the least δ, or nothing.
        why: &'static str,
    },
    /// The timing that results is refused.
    #[error(transparent)]
    Timing(#[from] TimingError),
}

impl Tempo {
    /// A heartbeat with the default δ.
    pub fn new(heartbeat: Duration) -> Tempo {
        Tempo { heartbeat, delta: None }
    }

    /// The duration of a loop iteration.
    pub fn iteration(self) -> Duration {
        self.heartbeat / ITERATIONS
    }

    /// The least time between two iterations, which the runtime ensures.
    pub fn least_iteration(self) -> Duration {
        self.iteration() * 19 / 20
    }

    /// α, β and δ in microseconds, for an algorithm that is given its sending period: [`Tempo::period`].
    ///
    /// The runtime ensures α. It keeps to β on average over a heartbeat, since iterations are due by the clock; δ includes the delay of a
    /// single late iteration.
    pub fn timing(self) -> Timing {
        let micros = |duration: Duration| duration.as_micros() as u64;
        Timing {
            alpha: micros(self.least_iteration()),
            beta: micros(self.iteration() * 21 / 20),
            delta: micros(self.delta.unwrap_or(self.heartbeat / 4)),
        }
    }

    /// The loop iterations in a heartbeat.
    pub fn period(self) -> u64 {
        u64::from(ITERATIONS)
    }

    /// α, β and δ in microseconds, for an algorithm that sends every ⌊δ/β⌋ iterations; β is chosen so that this is one heartbeat.
    pub fn tied_timing(self) -> Timing {
        let delta = self.delta.unwrap_or(self.heartbeat * 3 / 2).as_micros() as u64;
        Timing { beta: delta / u64::from(ITERATIONS), delta, ..self.timing() }
    }

    /// Refuses durations that cannot work; `tied` if the algorithm sends every ⌊δ/β⌋ iterations.
    pub fn validate(self, tied: bool) -> Result<(), TempoError> {
        let (least, most) = (Duration::from_millis(10), Duration::from_secs(3600));
        if self.heartbeat < least || self.heartbeat > most {
            return Err(TempoError::Heartbeat(self.heartbeat));
        }
        let (tenths, why) = if tied { (11, TIED) } else { (1, "") };
        let (least, most) = (self.heartbeat * tenths / 10, self.heartbeat * 100);
        if let Some(given) = self.delta.filter(|delta| !(least..=most).contains(delta)) {
            return Err(TempoError::Delta { heartbeats: f64::from(tenths) / 10.0, least, most, given, why });
        }
        let timing = if tied { self.tied_timing() } else { self.timing() };
        Ok(timing.validate()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sending_period_is_one_heartbeat() {
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
