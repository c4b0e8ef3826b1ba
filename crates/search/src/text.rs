//! A protocol in the notation of `ringleader-language`, which every verb accepts.

use crate::family::Topology;
use crate::protocol::{Line, Protocol};
use crate::safe::SafeSet;
use ringleader_model::Scheduler;
use std::fmt::Write;

impl Protocol {
    /// The protocol as the text of a `.ring` file.
    pub fn text(&self, name: &str) -> String {
        let family = &self.family;
        let sizes: Vec<String> = family.sizes.iter().map(|size| format!("n = {size}")).collect();
        let (graph, on) = match family.topology {
            Topology::DirectedRing => ("directed-ring", "directed rings"),
            Topology::Complete => ("complete", "complete graphs"),
        };
        let words: Vec<&str> = (0..self.states() as u8).map(|state| self.word(state)).collect();
        let scheduler = match family.scheduler {
            Scheduler::Unfair => "unfair",
            _ => "random",
        };
        let (states, size, all) = (self.states(), family.sizes[0], sizes.join(", "));
        let mut text = format!(
            "# Found by a search of all protocols with {states} states on {on}.\n\
             protocol {name}\n\
             summary \"{states} states on {on}; found by search\"\n\
             claim \"self-stabilizing for {all}: from every configuration exactly one leader, for ever\"\n\
             states \"{states}\"\n\
             size {size}\n\
             scheduler {scheduler}\n\
             model population on {graph}\n"
        );
        if family.detector {
            text += "oracle leader-detector\n";
        }
        let (sizes, words, leads) = (sizes.join(" or "), words.join(", "), self.leads("s"));
        let _ = write!(text, "supports {sizes} \"the sizes that were searched for\"\n\nstate s : {{{words}}}\n");
        let _ = write!(text, "show leader when {leads}\n\nfirst:\n");
        for (number, line) in self.lines().iter().enumerate() {
            let _ = writeln!(text, "  {}: {}", number + 1, self.rule(line));
        }
        let _ = write!(text, "\ngoal one leader\nsafe = {}\n", self.safe_set());
        text
    }

    fn leads(&self, what: &str) -> String {
        let leaders: Vec<&str> = (0..self.leaders() as u8).map(|state| self.word(state)).collect();
        match leaders.as_slice() {
            [leader] => format!("{what} = {leader}"),
            several => format!("{what} in {{{}}}", several.join(", ")),
        }
    }

    fn rule(&self, line: &Line) -> String {
        let Line { before: (a, b), hears, after: (c, d) } = *line;
        let heard = match hears {
            None => "",
            Some(true) => " and l.hears",
            Some(false) => " and not l.hears",
        };
        let [l, r, to_l, to_r] = [a, b, c, d].map(|state| self.word(state));
        let action = match (a == c, b == d) {
            (false, true) => format!("l.s := {to_l}"),
            (true, false) => format!("r.s := {to_r}"),
            _ => format!("l.s, r.s := {to_l}, {to_r}"),
        };
        format!("l.s = {l} and r.s = {r}{heard} -> {action}")
    }

    fn safe_set(&self) -> String {
        let one = format!("(one i : {})", self.leads("s[i]"));
        match &self.safe {
            SafeSet::Without(_, never) if never.is_empty() => one,
            SafeSet::Without(topology, never) => {
                let pairs = never.iter().map(|&(a, b)| (self.word(a), self.word(b)));
                let (all, never): (_, Vec<String>) = match topology {
                    Topology::DirectedRing => {
                        ("all i", pairs.map(|(a, b)| format!("not (s[i] = {a} and s[i + 1] = {b})")).collect())
                    }
                    Topology::Complete => {
                        let apart = |(a, b)| format!("(i = j or not (s[i] = {a} and s[j] = {b}))");
                        ("all i : all j", pairs.map(apart).collect())
                    }
                };
                format!("{one}\n  and ({all} : {})", never.join(" and "))
            }
            SafeSet::These(Topology::DirectedRing, these) => {
                let word = |c: &Vec<u8>| {
                    let first = c.iter().position(|&state| usize::from(state) < self.leaders()).unwrap_or(0);
                    let at = |i: usize| self.word(c[(first + i) % c.len()]);
                    let places: Vec<String> = (0..c.len()).map(|i| format!("s[i + {i}] = {}", at(i))).collect();
                    format!("n = {} and {}", c.len(), places.join(" and "))
                };
                let words: Vec<String> = these.iter().map(|c| format!("({})", word(c))).collect();
                format!("{one}\n  and (some i : {})", words.join("\n    or "))
            }
            SafeSet::These(Topology::Complete, these) => {
                let counts = |c: &Vec<u8>| {
                    let of = |state: u8| {
                        let count = c.iter().filter(|&&other| other == state).count();
                        format!("(count i : s[i] = {}) = {count}", self.word(state))
                    };
                    let counts: Vec<String> = (0..self.states() as u8).map(of).collect();
                    format!("n = {} and {}", c.len(), counts.join(" and "))
                };
                let counts: Vec<String> = these.iter().map(|c| format!("({})", counts(c))).collect();
                format!("{one}\n  and ({})", counts.join("\n    or "))
            }
        }
    }
}
