//! The results that depend on the order of the identities.

use super::{Findings, Property, Three, greatest, interval, least};
use crate::json::OptionalFields as _;
use crate::number::grouped;
use ringleader_explore::Interval;
use serde_json::{Value, json};

/// An expectation, and the order of identities that has it.
type At = (Interval, String);

/// The orders of identities that were examined.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The number of orders examined.
    pub taken: u64,
    /// The number of orders up to rotation, unless there are too many to count.
    pub all: Option<u64>,
    /// The fewest and the most reachable states, if known.
    pub states: Option<(u64, u64)>,
    /// The least and the greatest expectation under the uniform scheduler: of steps, and of messages.
    pub uniform: [Option<(At, At)>; 2],
    /// The order in which a property is broken.
    pub broken: Option<String>,
}

impl Orders {
    /// One order, with its findings.
    #[must_use]
    pub fn of(order: String, all: Option<u64>, found: &Findings) -> Orders {
        let uniform = |three: &Option<Three>| {
            let at = (three.as_ref()?[1]?, order.clone());
            Some((at.clone(), at))
        };
        let broken = found.properties.iter().any(|property| property.broken.is_some());
        Orders {
            taken: 1,
            all,
            states: found.states.map(|states| (states, states)),
            uniform: [uniform(&found.steps), uniform(&found.messages)],
            broken: broken.then_some(order),
        }
    }

    fn with(self, next: Orders) -> Orders {
        let [steps, messages] = self.uniform;
        let [next_steps, next_messages] = next.uniform;
        let both = |a: Option<(At, At)>, b: Option<(At, At)>| {
            let ((low, high), (low2, high2)) = (a?, b?);
            let least = if low2.0.low < low.0.low { low2 } else { low };
            let greatest = if high2.0.high > high.0.high { high2 } else { high };
            Some((least, greatest))
        };
        Orders {
            taken: self.taken + next.taken,
            all: self.all,
            states: self.states.zip(next.states).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))),
            uniform: [both(steps, next_steps), both(messages, next_messages)],
            broken: self.broken.or(next.broken),
        }
    }

    /// Whether every order was examined.
    #[must_use]
    pub fn whole(&self) -> bool {
        self.all == Some(self.taken)
    }

    /// The description of the orders in the first line of the report.
    pub(super) fn title(&self) -> String {
        let states = self.states.filter(|(least, most)| least != most);
        let states = states.map_or(String::new(), |(a, b)| format!(", {} to {} states each", grouped(a), grouped(b)));
        match (self.whole(), self.all) {
            (true, _) if self.taken == 1 => "; the only order of the identities up to rotation".into(),
            (true, _) => format!("; all {} orders of the identities up to rotation{states}", grouped(self.taken)),
            (false, Some(all)) => {
                let (taken, all) = (grouped(self.taken), grouped(all));
                format!("; ONLY {taken} of {all} orders of the identities up to rotation{states}")
            }
            (false, None) => format!("; ONLY {} orders of the identities{states}", grouped(self.taken)),
        }
    }

    /// The note where not all orders were examined.
    pub(super) fn rest(&self) -> Option<String> {
        let what = "these results cover only the orders examined, ascending and descending first";
        (!self.whole()).then(|| format!("{what}; --identities chooses another"))
    }

    pub(super) fn json(&self) -> Value {
        let at = |(i, order): &At| json!({ "value": interval(*i), "identities": order });
        let extremes = |both: &Option<(At, At)>| {
            both.as_ref().map(|(low, high)| json!({ "least": at(low), "greatest": at(high) }))
        };
        json!({ "taken": self.taken, "all": self.all, "up_to": "rotation" })
            .with("states", self.states.map(|(least, most)| json!([least, most])))
            .with("uniform_steps", extremes(&self.uniform[0]))
            .with("uniform_messages", extremes(&self.uniform[1]))
            .with("broken", self.broken.clone())
    }
}

/// The properties that hold in both, and those that are broken in one.
fn both(these: Vec<Property>, mut those: Vec<Property>) -> Vec<Property> {
    let worse = |this: Property| match those.iter().position(|that| that.name == this.name) {
        Some(place) => Some(those.remove(place)).filter(|_| this.broken.is_none()).or(Some(this)),
        None => Some(this).filter(|this| this.broken.is_some()),
    };
    let mut all: Vec<Property> = these.into_iter().filter_map(worse).collect();
    all.extend(those.into_iter().filter(|that| that.broken.is_some()));
    all
}

impl Findings {
    /// Combines the findings of two orders: the extremes of both.
    #[must_use]
    pub fn with(self, next: Findings, order: Orders) -> Findings {
        let three = |a: Option<Three>, b: Option<Three>| {
            let (a, b) = (a?, b?);
            // The values under the uniform scheduler are reported by order.
            Some([least(a[0], b[0]), a[1].filter(|x| b[1] == Some(*x)), greatest(a[2], b[2])])
        };
        Findings {
            states: self.states.filter(|states| next.states == Some(*states)),
            stored: self.stored + next.stored,
            undecided: self.undecided + next.undecided,
            properties: both(self.properties, next.properties),
            elected: self.elected.zip(next.elected).map(|(a, b)| [least(a[0], b[0]), greatest(a[1], b[1])]),
            steps: three(self.steps, next.steps),
            messages: three(self.messages, next.messages),
            orders: self.orders.map(|orders| orders.with(order)),
            no_numbers: self.no_numbers.or(next.no_numbers),
            ..next
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::Channels;

    fn found(states: u64, messages: f64) -> Findings {
        let exactly = Some(Interval { low: messages, high: messages });
        Findings { states: Some(states), stored: states, messages: Some([exactly; 3]), ..Findings::new(Channels::Bag) }
    }

    /// Two orders of six: the extremes of both, and the word that there are more.
    #[test]
    fn findings_of_two_orders_are_combined_and_missing_orders_are_reported() {
        let first = found(10, 5.0);
        let orders = Orders::of("1,2,3,4".into(), Some(6), &first);
        let second = found(30, 7.0);
        let next = Orders::of("1,4,3,2".into(), Some(6), &second);
        let both = Findings { orders: Some(orders), ..first }.with(second, next);
        let three = both.messages.unwrap();
        assert_eq!((three[0].unwrap().low, three[1], three[2].unwrap().high), (5.0, None, 7.0));
        assert_eq!((both.stored, both.states), (40, None));
        let orders = both.orders.unwrap();
        assert!(orders.title().contains("ONLY 2 of 6 orders") && orders.title().contains("10 to 30 states"));
        assert!(orders.rest().is_some());
        assert_eq!(orders.json()["uniform_messages"]["greatest"]["identities"], "1,4,3,2");
        let whole = Orders { all: Some(2), ..orders };
        assert!(whole.title().starts_with("; all 2 orders") && whole.rest().is_none());
    }
}
