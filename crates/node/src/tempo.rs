//! How fast a cluster beats, and what its algorithm may assume of time.

use ringleader_model::Timing;
use std::time::Duration;

/// How many loop iterations a heartbeat lasts. More would react sooner and wake the machine more often.
const ITERATIONS: u32 = 10;

/// The two durations a user chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempo {
    /// How often the leader tells that it is alive.
    pub heartbeat: Duration,
    /// δ: what a datagram on a good link may take, with all that delays its sending and reading.
    pub delta: Duration,
}

impl Tempo {
    /// A heartbeat, and a δ of one and a half.
    pub fn new(heartbeat: Duration) -> Tempo {
        Tempo { heartbeat, delta: heartbeat * 3 / 2 }
    }

    /// How long one iteration of the loop lasts.
    pub fn iteration(self) -> Duration {
        self.heartbeat / ITERATIONS
    }

    /// The shortest time between two iterations: the runtime never goes below it.
    pub fn least_iteration(self) -> Duration {
        self.iteration() * 9 / 10
    }

    /// α, β and δ in microseconds.
    ///
    /// α is what the runtime ensures. β follows from δ and the heartbeat: algorithms send every ⌊δ/β⌋ iterations, and
    /// that is to be one heartbeat.
    pub fn timing(self) -> Timing {
        let micros = |duration: Duration| duration.as_micros() as u64;
        Timing {
            alpha: micros(self.least_iteration()),
            beta: micros(self.delta) / u64::from(ITERATIONS),
            delta: micros(self.delta),
        }
    }

    /// Says what is wrong with these durations, if anything.
    pub fn validate(self) -> Result<(), String> {
        let (least, most) = (Duration::from_millis(10), Duration::from_secs(3600));
        if self.heartbeat < least || self.heartbeat > most {
            return Err(format!("the heartbeat must be 10 ms to an hour, not {:?}", self.heartbeat));
        }
        if self.delta < self.heartbeat * 11 / 10 || self.delta > self.heartbeat * 100 {
            return Err(format!(
                "delta must be 1.1 to 100 heartbeats, here {:?} to {:?}, not {:?}: the leader is heard from once a \
                 heartbeat, late by up to delta",
                self.heartbeat * 11 / 10,
                self.heartbeat * 100,
                self.delta
            ));
        }
        self.timing().validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_is_one_sending_period() {
        for (heartbeat, delta) in [(1000, 1500), (100, 110), (10, 11), (70, 1000), (3_600_000, 7_200_000)] {
            let tempo = Tempo { heartbeat: Duration::from_millis(heartbeat), delta: Duration::from_millis(delta) };
            assert_eq!(tempo.validate(), Ok(()));
            assert_eq!(tempo.timing().send_period(), u64::from(ITERATIONS), "{tempo:?}");
        }
        assert!(Tempo { delta: Duration::from_secs(1), ..Tempo::new(Duration::from_secs(1)) }.validate().is_err());
        assert!(Tempo::new(Duration::from_millis(9)).validate().is_err());
    }
}
