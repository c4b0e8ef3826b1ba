//! The part of the runs that a file of runs holds.

/// The name of the setting, among those that a file of runs begins with.
pub(super) const SHARD: &str = "shard";

/// The name of the setting with the digest of a text protocol.
pub(super) const TEXT: &str = "text-digest";

/// The settings in a file of runs, without one of them.
pub(super) fn without(said: &str, name: &str) -> String {
    let prefix = format!("{name}=");
    said.split(' ').filter(|word| !word.starts_with(&prefix)).collect::<Vec<_>>().join(" ")
}

/// The beginning of the line with the arguments.
const ARGUMENTS: &str = "# arguments ";

/// The line with the arguments that all shards share, for `merge`.
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

/// The arguments in such a line.
pub(super) fn arguments(line: &str) -> Option<Vec<String>> {
    serde_json::from_str(line.strip_prefix(ARGUMENTS)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_one_shard_are_not_recorded() {
        let words = "ringleader simulate x --shard 1/2 --size 8 --csv=a.csv --json --seed 1 --threads 2";
        let line = recorded(words.split(' ').map(str::to_string));
        let kept = arguments(&line).unwrap_or_default();
        assert_eq!(kept.join(" "), "simulate x --size 8 --seed 1");
        assert_eq!(without("runs: seed=1 shard=1/2 limit=3", SHARD), "runs: seed=1 limit=3");
    }
}
