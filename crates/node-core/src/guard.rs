//! The settings of the guard, which are the same on all members, and their digest, by which members verify that.

use crate::key::fingerprint;
use crate::lease::{LeaseTerms, Members, Record};
use std::time::Duration;

/// The guard's settings: a leader is confirmed only while a majority of the members has granted it a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// L: the time for which a member grants the lease, by its own clock.
    pub length: Duration,
    /// d, in millionths: the greatest deviation of a clock's rate from true time.
    pub drift: u32,
    /// Members that grant but never lead, in ascending order.
    pub witnesses: Vec<usize>,
    /// The stored record, if leaders have fencing tokens and the list of members can change.
    pub record: Option<Record>,
}

/// The reason why settings of the guard are refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GuardError {
    /// A lease that is too short or too long.
    #[error("the lease must last from two heartbeats, here {least:?}, to a day, not {given:?}")]
    Length {
        /// Two heartbeats.
        least: Duration,
        /// The given length.
        given: Duration,
    },
    /// A drift beyond 20 %, in per cent.
    #[error("the drift of a clock must be at most 20 %, not {0} %")]
    Drift(f64),
    /// A witness that can never be a member.
    #[error("witness {witness} is not below the size of the cluster, {size}")]
    Beyond {
        /// The witness.
        witness: usize,
        /// The number of identities.
        size: usize,
    },
    /// A witness that is not a member.
    #[error("witness {0} is not a member: give it a line in [peers]")]
    Witness(usize),
    /// Too many identities for a list of members.
    #[error("with the guard the size can be at most {most}, not {0}", most = Members::MOST)]
    Size(usize),
    /// No member may lead.
    #[error("all members are witnesses: none could lead")]
    OnlyWitnesses,
}

/// The default length of the lease, in tenths of a heartbeat. A leader that requests it once a heartbeat has 1.3 heartbeats left when the
/// next request is due; from half of the lease on it requests twenty times faster.
const DEFAULT_TENTHS: u32 = 23;

impl Guard {
    /// A lease of the default length for this heartbeat: 2.3 heartbeats.
    pub fn for_heartbeat(heartbeat: Duration) -> Guard {
        Guard::new(heartbeat * DEFAULT_TENTHS / 10)
    }

    /// A lease of this length, a drift of 1 %, no witnesses and no tokens.
    pub fn new(length: Duration) -> Guard {
        Guard { length, drift: 10_000, witnesses: vec![], record: None }
    }

    /// The terms of the lease, in nanoseconds.
    pub fn terms(&self) -> LeaseTerms {
        let stores = self.record.is_some();
        LeaseTerms { token: stores, changes: stores, ..LeaseTerms::new(self.length.as_nanos() as u64, self.drift) }
    }

    /// The digest of the settings that all members must share: the witnesses, L, d, whether there are state files, and without these
    /// the members.
    pub fn digest(&self, members: &[bool]) -> u64 {
        let ids =
            |ids: &mut dyn Iterator<Item = usize>| ids.flat_map(|id| (id as u64).to_be_bytes()).collect::<Vec<u8>>();
        let fixed = if self.record.is_none() { members } else { &[] };
        fingerprint(&[
            b"guard",
            &ids(&mut (0..fixed.len()).filter(|&id| fixed[id])),
            &ids(&mut self.witnesses.iter().copied()),
            &self.length.as_nanos().to_be_bytes(),
            &self.drift.to_be_bytes(),
            &[u8::from(self.record.is_some())],
        ])
    }

    /// The time after which every grant of a stopped member has expired, on any clock within the bound.
    pub fn over(&self) -> Duration {
        let drift = f64::from(self.drift.min(999_999)) / 1e6;
        self.length.div_f64(1.0 - drift)
    }

    /// The time that a leader waits to be confirmed before it gives way, as if accused.
    pub fn patience(&self, heartbeat: Duration) -> Duration {
        2 * self.over() + 2 * heartbeat
    }

    /// Refuses settings that cannot work. With a state file the list of members can change, so a witness need not be a member now.
    pub fn validate(&self, heartbeat: Duration, members: &[bool], state: bool) -> Result<(), GuardError> {
        let (least, most) = (2 * heartbeat, Duration::from_secs(86_400));
        if self.length < least || self.length > most {
            return Err(GuardError::Length { least, given: self.length });
        }
        if self.drift > 200_000 {
            return Err(GuardError::Drift(f64::from(self.drift) / 1e4));
        }
        if members.len() > Members::MOST {
            return Err(GuardError::Size(members.len()));
        }
        let size = members.len();
        if let Some(&witness) = self.witnesses.iter().find(|&&id| id >= size) {
            return Err(GuardError::Beyond { witness, size });
        }
        if let Some(stray) = self.witnesses.iter().find(|&&id| !members[id] && !state) {
            return Err(GuardError::Witness(*stray));
        }
        if members.iter().enumerate().all(|(id, &member)| !member || self.witnesses.contains(&id)) {
            return Err(GuardError::OnlyWitnesses);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shared_setting_changes_the_digest() {
        let guard = Guard::new(Duration::from_secs(3));
        let digest = guard.digest(&[true, true, true]);
        let others = [
            guard.digest(&[true, true, true, true]),
            guard.digest(&[true, true, false, true]),
            Guard { witnesses: vec![2], ..guard.clone() }.digest(&[true, true, true]),
            Guard { drift: 20_000, ..guard.clone() }.digest(&[true, true, true]),
            Guard { record: Some(Record::default()), ..guard.clone() }.digest(&[true, true, true]),
            Guard::new(Duration::from_secs(4)).digest(&[true, true, true]),
        ];
        for (i, other) in others.iter().enumerate() {
            assert!(*other != digest && !others[..i].contains(other));
        }
        let stored = Guard { record: Some(Record { token: 7, holder: 1, life: 2, ..Record::default() }), ..guard };
        assert_eq!(
            stored.digest(&[true, true, true]),
            others[4],
            "the stored record differs between members and is not part of the digest"
        );
        assert_eq!(stored.digest(&[true, true, false]), others[4], "a list that can change is not part of the digest");
    }
}
