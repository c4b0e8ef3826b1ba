//! What the members of a guarded cluster are told, the same for all, and the mark by which they know that.

use crate::key::fingerprint;
use crate::lease::{Record, Terms};
use std::time::Duration;

/// The guard's settings: a leader is confirmed only while a majority of the members has granted it a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// L: for how long a member grants, by its own clock.
    pub length: Duration,
    /// d, in millionths: how far the rate of any clock is off true time.
    pub drift: u32,
    /// Members that grant but never lead, in ascending order.
    pub witnesses: Vec<usize>,
    /// What was stored last, where leaders have tokens.
    pub record: Option<Record>,
}

impl Guard {
    /// A lease of this length, clocks that are off by 1 %, no witnesses and no tokens.
    pub fn new(length: Duration) -> Guard {
        Guard { length, drift: 10_000, witnesses: vec![], record: None }
    }

    /// The lease's terms, in nanoseconds.
    pub fn terms(&self, members: &[bool]) -> Terms {
        let count = members.iter().filter(|&&member| member).count();
        let token = self.record.is_some();
        Terms { token, ..Terms::new(self.length.as_nanos() as u64, self.drift, count) }
    }

    /// What all members must have been told alike: who they are, who of them never leads, L, d, and whether there are tokens.
    pub fn digest(&self, members: &[bool]) -> u64 {
        let ids =
            |ids: &mut dyn Iterator<Item = usize>| ids.flat_map(|id| (id as u64).to_be_bytes()).collect::<Vec<u8>>();
        fingerprint(&[
            b"guard",
            &ids(&mut (0..members.len()).filter(|&id| members[id])),
            &ids(&mut self.witnesses.iter().copied()),
            &self.length.as_nanos().to_be_bytes(),
            &self.drift.to_be_bytes(),
            &[u8::from(self.record.is_some())],
        ])
    }

    /// After this time no grant of a member that has stopped counts any more, on any clock within the bound.
    pub fn over(&self) -> Duration {
        let drift = f64::from(self.drift.min(999_999)) / 1e6;
        self.length.div_f64(1.0 - drift)
    }

    /// For how long a leader waits to be confirmed before it gives way, as if accused.
    pub fn patience(&self, heartbeat: Duration) -> Duration {
        2 * self.over() + 2 * heartbeat
    }

    /// Says what is wrong with these settings, if anything.
    pub fn validate(&self, heartbeat: Duration, members: &[bool]) -> Result<(), String> {
        let (least, most) = (2 * heartbeat, Duration::from_secs(86_400));
        if self.length < least || self.length > most {
            return Err(format!("the lease must last two heartbeats, here {least:?}, to a day, not {:?}", self.length));
        }
        if self.drift > 200_000 {
            return Err(format!("the drift of a clock must be at most 20 %, not {} %", f64::from(self.drift) / 1e4));
        }
        if let Some(stray) = self.witnesses.iter().find(|&&id| members.get(id) != Some(&true)) {
            return Err(format!("witness {stray} is no member: give it a line in [peers]"));
        }
        if members.iter().enumerate().all(|(id, &member)| !member || self.witnesses.contains(&id)) {
            return Err("all members are witnesses: nobody would lead".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_members_must_agree_on_changes_the_digest() {
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
        let stored = Guard { record: Some(Record { token: 7, holder: 1, life: 2 }), ..guard };
        assert_eq!(stored.digest(&[true, true, true]), others[4], "what is stored differs and is no part of it");
    }
}
