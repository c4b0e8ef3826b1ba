//! Regular expressions of automata.

use ringleader_verify::{Automaton, Rules, State};
use std::collections::{BTreeMap, BTreeSet};

/// A regular expression over local states.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Words {
    /// The empty word.
    Nothing,
    /// One of these states.
    One(BTreeSet<State>),
    /// A sequence.
    Then(Vec<Words>),
    /// An alternative.
    Either(Vec<Words>),
    /// A repetition.
    Any(Box<Words>),
}

impl Words {
    fn then(self, next: Words) -> Words {
        match (self, next) {
            (Words::Nothing, one) | (one, Words::Nothing) => one,
            (Words::Then(mut first), Words::Then(second)) => {
                first.extend(second);
                Words::Then(first)
            }
            (Words::Then(mut first), second) => {
                first.push(second);
                Words::Then(first)
            }
            (first, Words::Then(second)) => Words::Then([vec![first], second].concat()),
            (first, second) => Words::Then(vec![first, second]),
        }
    }

    fn or(self, other: Words) -> Words {
        match (self, other) {
            (one, other) if one == other => one,
            (Words::One(mut one), Words::One(other)) => {
                one.extend(other);
                Words::One(one)
            }
            (Words::Either(mut all), Words::Either(more)) => {
                all.extend(more);
                Words::Either(all)
            }
            (Words::Either(mut all), one) | (one, Words::Either(mut all)) => {
                if !all.contains(&one) {
                    all.push(one);
                }
                Words::Either(all)
            }
            (one, other) => Words::Either(vec![one, other]),
        }
    }

    fn text(&self, letters: &[String]) -> String {
        match self {
            Words::Nothing => "()".into(),
            Words::One(states) if states.len() == letters.len() => ".".into(),
            Words::One(states) => {
                let names = word(letters, &Vec::from_iter(states.iter().copied()));
                if states.len() == 1 { names } else { format!("[{names}]") }
            }
            Words::Then(parts) => sequence(parts, letters),
            Words::Either(parts) => parts.iter().map(|part| part.text(letters)).collect::<Vec<_>>().join(" | "),
            Words::Any(word) => format!("{}*", word.tight(letters)),
        }
    }

    /// The text within a sequence.
    fn grouped(&self, letters: &[String]) -> String {
        match self {
            Words::Either(_) => format!("({})", self.text(letters)),
            _ => self.text(letters),
        }
    }

    /// The text before a star.
    fn tight(&self, letters: &[String]) -> String {
        match self {
            Words::One(_) => self.text(letters),
            _ => format!("({})", self.text(letters)),
        }
    }
}

/// `a b b*` is `a b+`.
fn sequence(parts: &[Words], letters: &[String]) -> String {
    let mut texts: Vec<String> = vec![];
    for (at, part) in parts.iter().enumerate() {
        match part {
            Words::Any(word) if at > 0 && **word == parts[at - 1] => {
                texts.pop();
                texts.push(format!("{}+", word.tight(letters)));
            }
            _ => texts.push(part.grouped(letters)),
        }
    }
    texts.join(" ")
}

/// The expression of an automaton, if it has at most `most` characters.
pub fn regular(automaton: &Automaton, rules: &Rules, most: usize) -> Option<String> {
    expression(automaton, &letters(rules), most)
}

/// The expression of an automaton whose letters have these names, if it has at most `most` characters.
pub fn expression(automaton: &Automaton, letters: &[String], most: usize) -> Option<String> {
    let text = words(automaton)?.text(letters);
    (text.chars().count() <= most).then_some(text)
}

/// A short name of each state: the values of its variables.
pub fn letters(rules: &Rules) -> Vec<String> {
    let short = |text: &String| match (rules.variables.len(), text.split_once('=')) {
        (1, Some((_, value))) if !value.contains('=') => value.to_string(),
        _ => text
            .split(' ')
            .map(|part| part.split_once('=').map_or(part, |(_, value)| value))
            .collect::<Vec<_>>()
            .join("."),
    };
    rules.states.iter().map(short).collect()
}

/// The states of a configuration by their short names.
pub fn word(letters: &[String], states: &[State]) -> String {
    states.iter().map(|&state| &*letters[usize::from(state)]).collect::<Vec<_>>().join(" ")
}

/// The names of the variables in the short names, if there are several.
pub fn legend(rules: &Rules) -> Option<String> {
    let names = rules.states.first()?.split(' ').filter_map(|part| Some(part.split_once('=')?.0));
    let names: Vec<&str> = names.collect();
    (names.len() > 1).then(|| names.join("."))
}

/// Eliminates the states of the automaton one by one, those with the fewest paths through them first.
fn words(automaton: &Automaton) -> Option<Words> {
    let (start, end) = (automaton.next.len(), automaton.next.len() + 1);
    let mut ways: BTreeMap<(usize, usize), Words> = BTreeMap::new();
    let add = |ways: &mut BTreeMap<(usize, usize), Words>, from: usize, to: usize, words: Words| {
        let all = match ways.remove(&(from, to)) {
            Some(before) => before.or(words),
            None => words,
        };
        ways.insert((from, to), all);
    };
    add(&mut ways, start, automaton.start, Words::Nothing);
    automaton.accepting.iter().for_each(|&last| add(&mut ways, last, end, Words::Nothing));
    for (from, row) in automaton.next.iter().enumerate() {
        for (state, to) in row.iter().enumerate() {
            if let Some(to) = to {
                add(&mut ways, from, *to, Words::One(BTreeSet::from([state as State])));
            }
        }
    }
    let mut left: BTreeSet<usize> = (0..automaton.next.len()).collect();
    while let Some(&out) = left.iter().min_by_key(|&&state| through(&ways, state)) {
        left.remove(&out);
        let around = ways.remove(&(out, out)).map_or(Words::Nothing, |word| Words::Any(Box::new(word)));
        let into: Vec<(usize, Words)> =
            ways.iter().filter(|((_, to), _)| *to == out).map(|((from, _), words)| (*from, words.clone())).collect();
        let onward: Vec<(usize, Words)> =
            ways.iter().filter(|((from, _), _)| *from == out).map(|((_, to), words)| (*to, words.clone())).collect();
        ways.retain(|(from, to), _| *from != out && *to != out);
        for (from, before) in &into {
            for (to, after) in &onward {
                let through = before.clone().then(around.clone()).then(after.clone());
                add(&mut ways, *from, *to, through);
            }
        }
    }
    ways.remove(&(start, end))
}

fn through(ways: &BTreeMap<(usize, usize), Words>, state: usize) -> usize {
    let into = ways.keys().filter(|(from, to)| *to == state && *from != state).count();
    let onward = ways.keys().filter(|(from, to)| *from == state && *to != state).count();
    into * onward
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Words {
        /// The ends of matches that begin here.
        fn ends(&self, word: &[State], from: usize) -> BTreeSet<usize> {
            match self {
                Words::Nothing => BTreeSet::from([from]),
                Words::One(states) => {
                    word.get(from).filter(|state| states.contains(state)).map(|_| from + 1).into_iter().collect()
                }
                Words::Then(parts) => parts.iter().fold(BTreeSet::from([from]), |at, part| {
                    at.iter().flat_map(|&from| part.ends(word, from)).collect()
                }),
                Words::Either(parts) => parts.iter().flat_map(|part| part.ends(word, from)).collect(),
                Words::Any(one) => {
                    let mut all = BTreeSet::from([from]);
                    loop {
                        let more: BTreeSet<usize> = all.iter().flat_map(|&at| one.ends(word, at)).collect();
                        if more.is_subset(&all) {
                            return all;
                        }
                        all.extend(more);
                    }
                }
            }
        }
    }

    #[test]
    fn the_expression_has_the_words_of_the_automaton() {
        // Exactly one 1 and an even number of 2s, which one never sees before the 1; then anything that ends in 0.
        let automaton = Automaton {
            start: 0,
            accepting: vec![1, 3],
            next: vec![
                vec![Some(0), Some(1), None],
                vec![Some(1), None, Some(2)],
                vec![Some(2), None, Some(1)],
                vec![Some(3), None, None],
            ],
        };
        let words = words(&automaton).expect("it accepts something");
        let all = (0..3_usize.pow(6)).flat_map(|number| {
            let word: Vec<State> = (0..6).map(|i| (number / 3_usize.pow(i) % 3) as State).collect();
            (0..=6).map(move |length| word[..length].to_vec())
        });
        for word in all {
            assert_eq!(words.ends(&word, 0).contains(&word.len()), automaton.accepts(&word), "{word:?}");
        }
        let letters: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let one = |state: State| Words::One(BTreeSet::from([state]));
        let some = one(0).then(one(1)).then(Words::Any(Box::new(one(1)))).or(one(2));
        assert_eq!(some.text(&letters), "a b+ | c");
        let nothing = Automaton { start: 0, accepting: vec![], next: vec![vec![Some(0)]] };
        assert_eq!(super::words(&nothing), None);
    }
}
