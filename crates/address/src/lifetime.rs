//! The kernel's lifetime of an address: whole seconds, set before a lease ends.

use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// The lifetime in seconds to set now, or none if the present one is long enough. The address may be held for `time` more, the kernel will
/// remove it after `left`, and `longest` is the whole lease.
///
/// The kernel knows whole seconds and at least one. So the lifetime is rounded down, and in the last second of a lease it stays as it is: the
/// address does not outlive the lease. A lease shorter than two seconds would leave no time to renew, so there a lifetime of one second is
/// set at any time, and the address can outlive the lease by a second.
pub(crate) fn due(time: Duration, left: Duration, longest: Duration) -> Option<u32> {
    let whole = time.as_secs();
    if whole == 0 && longest >= 2 * SECOND && !left.is_zero() {
        return None;
    }
    let seconds = u32::try_from(whole.max(1)).unwrap_or(u32::MAX - 1);
    (left < SECOND * seconds * 3 / 4).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// A lease that is renewed every second, and a keeper that looks every quarter of a second and dies at some time.
    #[test]
    fn an_address_lasts_between_renewals_and_never_beyond_a_lease_of_two_seconds_or_more() {
        for (lease, heartbeat) in [(2000, 800), (2250, 1000), (3000, 1000), (6900, 3000)] {
            let mut gone = 0;
            for now in (0..30_000).step_by(25) {
                let until = now / heartbeat * heartbeat + lease;
                if let Some(seconds) = due(ms(until - now), ms(gone.max(now) - now), ms(lease)) {
                    gone = now + u64::from(seconds) * 1000;
                }
                assert!(gone <= until, "at {now} of a lease of {lease} until {until} it is there until {gone}");
                assert!(gone >= now + 250, "at {now} of a lease of {lease} it is gone before the next look");
            }
        }
    }

    #[test]
    fn a_shorter_lease_is_outlived_by_a_second_at_most() {
        let (lease, heartbeat) = (230, 100);
        let mut gone = 0;
        for now in (0..5000).step_by(20) {
            let until = now / heartbeat * heartbeat + lease;
            if let Some(seconds) = due(ms(until - now), ms(gone.max(now) - now), ms(lease)) {
                gone = now + u64::from(seconds) * 1000;
            }
            assert!(gone > now + 700 && gone <= until + 1000);
        }
    }
}
