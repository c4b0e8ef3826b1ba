//! Lists of sizes and parameter values, and values given in terms of the size.

use crate::terminal::exit::{Failure, bail, usage};
use ringleader_erased::{Card, ParameterKind, Parameters};
use ringleader_report::experiment::Setting;
use ringleader_report::number::joined;

/// A list of numbers: `16,32,64`, or `16,32,..,1024`, where `..` continues the two numbers before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbers(pub(crate) Vec<usize>);

const MOST: usize = 1000;

impl std::fmt::Display for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&joined(&self.0, ","))
    }
}

impl std::str::FromStr for Numbers {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers: Vec<usize> = vec![];
        let mut words = text.split(',').map(str::trim);
        while let Some(word) = words.next() {
            if word == ".." {
                let last =
                    words.next().and_then(|w| w.parse().ok()).ok_or("`..` needs a number after it: 16,32,..,1024")?;
                continue_to(&mut numbers, last)?;
            } else {
                numbers.push(
                    word.parse().map_err(|_| format!("{word:?} is no whole number: write 16,32 or 16,32,..,1024"))?,
                );
            }
        }
        Ok(Numbers(numbers))
    }
}

/// Continues the last two numbers: by a whole factor such as doubling, otherwise by equal steps.
fn continue_to(numbers: &mut Vec<usize>, last: usize) -> Result<(), String> {
    let &[.., a, b] = numbers.as_slice() else { return Err("`..` needs two numbers before it: 16,32,..,1024".into()) };
    if b <= a || last < b {
        return Err(format!("{a},{b},..,{last} does not grow"));
    }
    let mut previous = (a, b);
    while previous.1 < last {
        let (a, b) = previous;
        let next = if a > 0 && b % a == 0 && b / a > 1 && numbers.len() < MOST {
            b.saturating_mul(b / a)
        } else {
            b + (b - a)
        };
        if next > last || numbers.len() >= MOST {
            return Err(format!("{last} does not follow from {} and {}", numbers[0], numbers[1]));
        }
        numbers.push(next);
        previous = (b, next);
    }
    Ok(())
}

/// All settings: one of the sizes, the parameters and the faults may have several values.
pub(crate) fn settings(
    card: &Card,
    sizes: &[usize],
    given: &Parameters,
    faults: &[usize],
) -> Result<(String, Vec<Setting>), Failure> {
    // Identities and texts are one value even if they are lists.
    let one = |name: &str| {
        let listed = |kind| matches!(kind, ParameterKind::Identities | ParameterKind::Text);
        card.parameters.iter().any(|p| p.name == name && listed(p.kind))
    };
    let listed = |(name, value): &(String, String)| match value.parse::<Numbers>() {
        Ok(numbers) if value.contains(',') && !one(name) => numbers.0.iter().map(ToString::to_string).collect(),
        _ => vec![value.clone()],
    };
    let values: Vec<Vec<String>> = given.named().iter().map(listed).collect();
    let lists = [("size", sizes.len()), ("corrupt", faults.len())].into_iter();
    let lists = lists.chain(given.named().iter().zip(&values).map(|((name, _), list)| (name.as_str(), list.len())));
    let mut lists = lists.filter(|(_, length)| *length > 1);
    let (axis, length) = lists.next().unwrap_or(("size", sizes.len()));
    if let Some((second, _)) = lists.next() {
        bail!("only one of --size, --corrupt and the parameters can be a list; --{second} is the second");
    }
    let setting = |at: usize| {
        let size = sizes[at.min(sizes.len() - 1)];
        let corrupt = faults.get(at.min(faults.len().saturating_sub(1))).copied().unwrap_or(0);
        let (mut parameters, mut x) = (given.resized(size), if axis == "size" { size } else { corrupt });
        for ((name, _), list) in given.named().iter().zip(&values) {
            let value = &list[at.min(list.len() - 1)];
            if name == axis {
                x = value.parse().unwrap_or(0);
            }
            parameters = parameters.with(name, in_terms_of(size, value));
        }
        Setting { parameters, corrupt, x }
    };
    let settings: Vec<Setting> = (0..length).map(setting).collect();
    let mut values: Vec<usize> = settings.iter().map(|setting| setting.x).collect();
    refuse_twice(axis, &mut values)?;
    Ok((axis.to_string(), settings))
}

/// Refuses a value that is listed twice: its runs would be the same runs, counted twice.
pub(crate) fn refuse_twice(axis: &str, values: &mut [usize]) -> Result<(), Failure> {
    values.sort_unstable();
    match values.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(usage!("--{axis} {} is given twice: its runs would be counted twice", pair[0])),
    }
}

/// The value of `n`, the size, or of `2n`, twice the size; any other value stays.
fn in_terms_of(size: usize, value: &str) -> String {
    let factor = match value.strip_suffix(['n', 'N']) {
        Some("") => Some(1),
        Some(digits) => digits.parse::<usize>().ok(),
        None => None,
    };
    factor.map_or_else(|| value.to_string(), |factor| factor.saturating_mul(size).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_dots_continue_a_list() {
        let list = |text: &str| text.parse::<Numbers>().map(|n| n.0);
        assert_eq!(list("16,32,..,256"), Ok(vec![16, 32, 64, 128, 256]));
        assert_eq!(list("3,5,..,11"), Ok(vec![3, 5, 7, 9, 11]));
        assert_eq!(list("7"), Ok(vec![7]));
        assert!(list("16,32,..,100").is_err() && list("..,8").is_err() && list("8,..").is_err() && list("a").is_err());
        assert!(list("9,8,..,100").is_err());
    }

    #[test]
    fn only_one_argument_is_a_list() {
        let given = Parameters::new(1).with("bound", "2n");
        let (axis, varied) = settings(&Card::BLANK, &[8, 16], &given, &[]).ok().unwrap();
        assert_eq!(axis, "size");
        assert_eq!(varied[1].parameters.word("bound"), Some("32"));
        let given = Parameters::new(1).with("bound", "64,128");
        let (axis, varied) = settings(&Card::BLANK, &[8], &given, &[3]).ok().unwrap();
        assert_eq!((axis.as_str(), varied[1].x), ("bound", 128));
        assert_eq!(varied[1].corrupt, 3);
        assert!(
            settings(&Card::BLANK, &[8, 16], &given, &[]).is_err()
                && settings(&Card::BLANK, &[8], &given, &[1, 2]).is_err()
        );
        let (axis, varied) = settings(&Card::BLANK, &[8], &Parameters::new(1), &[1, 2]).ok().unwrap();
        assert_eq!((axis.as_str(), varied[1].x, varied[1].corrupt), ("corrupt", 2, 2));
    }
}
