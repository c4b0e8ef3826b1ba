//! A part of the runs of an experiment, to be done on one of several machines.

use std::fmt;
use std::str::FromStr;

/// The name of the setting, among those that a file of runs begins with.
pub(super) const SHARD: &str = "shard";

/// The part of so many that has this number, from 1: every so manieth run, so that all parts take about as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// Everything.
    pub(super) const ALL: Shard = Shard { number: 1, of: 1 };

    /// How many of so many runs are in it.
    pub(super) fn share(self, runs: u64) -> u64 {
        (runs + self.of - self.number) / self.of
    }

    /// The run that has this place in it.
    pub(super) fn run(self, place: u64) -> u64 {
        place * self.of + self.number - 1
    }

    /// The place of a run in it, if it is there.
    pub(super) fn place(self, run: u64) -> Option<u64> {
        (run % self.of == self.number - 1).then_some(run / self.of)
    }
}

impl FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if 1 <= number && number <= of && of <= 1 << 32 => Ok(Shard { number, of }),
            _ => Err("it must be I/K with 1 <= I <= K, such as 2/8".into()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// What a file says of its runs, without saying which part of all they are.
pub(super) fn without(said: &str) -> String {
    let prefix = format!("{SHARD}=");
    said.split(' ').filter(|word| !word.starts_with(&prefix)).collect::<Vec<_>>().join(" ")
}

/// How the line begins that holds the arguments.
const ARGUMENTS: &str = "# arguments ";

/// A line with the arguments that all parts have in common, for `merge`.
pub(super) fn recorded(arguments: impl Iterator<Item = String>) -> String {
    const OWN: [&str; 5] = ["--shard", "--csv", "--resume", "--plot", "--threads"];
    let mut kept = vec![];
    let mut arguments = arguments.skip(1);
    while let Some(argument) = arguments.next() {
        if OWN.contains(&&*argument) {
            arguments.next();
        } else if argument != "--json" && !OWN.iter().any(|own| argument.starts_with(&format!("{own}="))) {
            kept.push(argument);
        }
    }
    format!("{ARGUMENTS}{}", serde_json::json!(kept))
}

/// The arguments that such a line holds.
pub(super) fn arguments(line: &str) -> Option<Vec<String>> {
    serde_json::from_str(line.strip_prefix(ARGUMENTS)?).ok()
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

    #[test]
    fn what_belongs_to_one_part_is_not_recorded() {
        let words = "ringleader simulate x --shard 1/2 --size 8 --csv=a.csv --json --seed 1 --threads 2";
        let line = recorded(words.split(' ').map(str::to_string));
        let kept = arguments(&line).unwrap_or_default();
        assert_eq!(kept.join(" "), "simulate x --size 8 --seed 1");
        assert_eq!(without("runs: seed=1 shard=1/2 limit=3"), "runs: seed=1 limit=3");
    }
}
