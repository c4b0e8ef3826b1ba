//! A part of the runs of an experiment, for one of several machines.

use crate::Refused;
use std::fmt;
use std::str::FromStr;

/// Part `number` of `of`, counted from 1: every `of`-th run, so that all parts take about as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// All runs.
    pub const ALL: Shard = Shard { number: 1, of: 1 };

    /// The number of runs that belong to it.
    pub fn share(self, runs: u64) -> u64 {
        (runs + self.of - self.number) / self.of
    }

    /// The number of the run at an index of the part.
    pub fn run(self, place: u64) -> u64 {
        place * self.of + self.number - 1
    }

    /// The index of a run in the part, if it belongs to it.
    pub fn place(self, run: u64) -> Option<u64> {
        (run % self.of == self.number - 1).then_some(run / self.of)
    }
}

impl FromStr for Shard {
    type Err = Refused;
    fn from_str(text: &str) -> Result<Self, Refused> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let proper = parts.filter(|&(number, of)| 1 <= number && number <= of && of <= 1 << 32);
        let (number, of) = proper.ok_or_else(|| Refused("it must be I/K with 1 <= I <= K, such as 2/8".into()))?;
        Ok(Shard { number, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_in_one_part() {
        for (of, runs) in [(1, 5), (3, 10), (4, 3), (7, 7)] {
            let parts: Vec<Shard> = (1..=of).map(|number| Shard { number, of }).collect();
            let mut all: Vec<u64> = parts.iter().flat_map(|p| (0..p.share(runs)).map(|i| p.run(i))).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..runs), "{runs} in {of}");
            assert!(parts.iter().all(|p| (0..p.share(runs)).all(|i| p.place(p.run(i)) == Some(i))));
        }
        assert!(["0/3", "4/3", "1", "1/0", "a/b"].iter().all(|wrong| wrong.parse::<Shard>().is_err()));
    }
}
