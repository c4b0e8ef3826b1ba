//! Unique identities of the processes of a ring.

use crate::{Card, Parameter, ParameterKind, Parameters, Refusal};
use ringleader_model::Coin;
use std::fmt;

const MOST: u32 = 1 << 24;

/// A permutation of `1..=n`: the identity of each process, going right around the ring.
///
/// ```
/// use ringleader_erased::{Identities, Parameters};
/// let given = Identities::of(&Parameters::new(3).with("identities", "2,3,1"))?;
/// assert_eq!((given.identity(1), given.to_string().as_str()), (3, "2,3,1"));
/// assert!(Identities::of(&Parameters::new(3).with("identities", "2,2,1")).is_err());
/// # Ok::<(), ringleader_erased::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identities(Vec<u32>);

impl Identities {
    /// The parameter for the identities.
    pub const PARAMETER: Parameter = Parameter {
        name: "identities",
        meaning: "the identities of the processes: ascending or descending to the right, or a list such as 2,3,1",
        default: "ascending",
        kind: ParameterKind::Identities,
    };

    /// The identities from the parameter.
    pub fn of(p: &Parameters) -> Result<Identities, Refusal> {
        let size = u32::try_from(p.size).ok().filter(|size| *size <= MOST);
        let size =
            size.ok_or_else(|| Refusal::new(format!("at most 2^24 processes have identities, not {}", p.size)))?;
        match p.word(Self::PARAMETER.name).unwrap_or(Self::PARAMETER.default) {
            "ascending" => Ok(Identities((1..=size).collect())),
            "descending" => Ok(Identities((1..=size).rev().collect())),
            list => Self::parse(list, size),
        }
    }

    fn parse(list: &str, size: u32) -> Result<Identities, Refusal> {
        let refuse = |what: String| {
            Refusal::new(format!("identities must be ascending, descending or 1 to {size} in some order, but {what}"))
        };
        let mut seen = vec![false; size as usize];
        let mut identities = vec![];
        for word in list.split(',').map(str::trim) {
            match word.parse::<u32>() {
                Ok(id) if (1..=size).contains(&id) && seen[id as usize - 1] => {
                    return Err(refuse(format!("{id} comes twice")));
                }
                Ok(id) if (1..=size).contains(&id) => {
                    seen[id as usize - 1] = true;
                    identities.push(id);
                }
                _ => return Err(refuse(format!("{word:?} is none of these"))),
            }
        }
        match seen.iter().position(|s| !s) {
            Some(missing) => Err(refuse(format!("{} is missing", missing + 1))),
            None => Ok(Identities(identities)),
        }
    }

    /// The identities `1..=size` in a random order, each order equally likely.
    pub fn shuffled(size: u32, coin: &mut impl Coin) -> Identities {
        let mut identities: Vec<u32> = (1..=size).collect();
        for i in (1..size).rev() {
            identities.swap(i as usize, coin.below(i + 1) as usize);
        }
        Identities(identities)
    }

    /// The number of processes.
    pub fn size(&self) -> u32 {
        self.0.len() as u32
    }

    /// The identity of a process.
    pub fn identity(&self, process: usize) -> u32 {
        self.0[process]
    }
}

/// In the notation of the parameter.
impl Parameters {
    /// Adds identities in a random order, if the algorithm has identities and none are given.
    #[must_use]
    pub fn with_identities(self, card: &Card, coin: &mut impl Coin) -> Parameters {
        let is_open = |p: &&Parameter| p.kind == ParameterKind::Identities && self.word(p.name).is_none();
        match card.parameters.iter().find(is_open) {
            None => self,
            Some(parameter) => {
                let identities = Identities::shuffled(self.size as u32, coin).to_string();
                self.with(parameter.name, identities)
            }
        }
    }
}

impl fmt::Display for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, id) in self.0.iter().enumerate() {
            write!(f, "{}{id}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::Odometer;
    use std::collections::BTreeMap;

    #[test]
    fn every_order_is_shuffled_to_once() {
        let mut orders: BTreeMap<String, u32> = BTreeMap::new();
        Odometer::each(|coin| *orders.entry(Identities::shuffled(4, coin).to_string()).or_default() += 1);
        assert_eq!((orders.len(), orders.values().max()), (24, Some(&1)));
    }

    #[test]
    fn what_is_not_a_permutation_is_refused_with_the_reason() {
        let reason = |text: &str| Identities::of(&Parameters::new(3).with("identities", text)).unwrap_err().to_string();
        assert!(reason("1,2").contains("3 is missing"));
        assert!(reason("1,1,2").contains("1 comes twice"));
        assert!(reason("1,2,4").contains("\"4\" is none"));
        assert!(reason("").contains("\"\" is none"));
    }
}
