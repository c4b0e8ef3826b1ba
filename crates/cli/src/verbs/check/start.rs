//! `ringleader check --start`: a condition on the starts, counts of local states, or one configuration.

use crate::settings::Start;
use crate::terminal::exit::Failure;
use ringleader_check::Starting;
use ringleader_erased::Number;
use ringleader_model::Variables;
use ringleader_model::text::print_state;
use std::convert::Infallible;
use std::str::FromStr;
use std::sync::Arc;

/// A value of --start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AskedStart {
    /// One configuration, or all of them.
    One(Start),
    /// A condition or counts.
    Among(String),
}

impl FromStr for AskedStart {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| AskedStart::Among(text.into()), AskedStart::One))
    }
}

/// The configurations with these numbers of agents in each local state, if the text has the form of counts: `A: 60, B: 40`.
pub(super) fn counted<A: Variables<State = Number>>(
    text: &str,
    algorithm: &A,
    states: u64,
    size: usize,
) -> Result<Option<Starting>, Failure> {
    let item = |item: &str| {
        let (state, count) = item.rsplit_once(':')?;
        Some((state.trim().to_string(), count.trim().parse::<usize>().ok()?))
    };
    let Some(items) = text.split(',').map(item).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let total: usize = items.iter().map(|(_, count)| count).sum();
    if total != size {
        return Err(Failure::usage(format!("--start counts {total} agents, not {size}")));
    }
    let shown: Vec<String> = (0..states).map(|state| print_state(algorithm, &Number(state))).collect();
    let mut counts = vec![0_usize; states as usize];
    for (name, count) in &items {
        let alone = |text: &String| !text.contains(' ') && text.split_once('=').is_some_and(|(_, value)| value == name);
        let Some(state) = shown.iter().position(|text| text == name || alone(text)) else {
            let some: Vec<_> = shown.iter().take(4).map(|state| format!("`{state}`")).collect();
            let more = if shown.len() > some.len() { ", .." } else { "" };
            let known = format!("the states are {}{more}", some.join(", "));
            return Err(Failure::usage(format!("--start: no local state is `{name}`; {known}")));
        };
        counts[state] += count;
    }
    let holds = move |digits: &[u32]| {
        let mut left = counts.clone();
        digits
            .iter()
            .all(|&digit| left[digit as usize].checked_sub(1).map(|less| left[digit as usize] = less).is_some())
    };
    Ok(Some(Starting { name: text.into(), holds: Arc::new(holds), places: false }))
}
