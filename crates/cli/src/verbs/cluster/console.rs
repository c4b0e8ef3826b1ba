//! The meaning of keys: which nodes they select and which orders they give. Every key stands for orders that can also be typed.

use super::order::Target;
use console::Key;
use ringleader_fleet::{Condition, Fleet};

/// The keys that give orders, as the screen lists them.
pub(crate) const KEYS: [(&str, &str); 12] = [
    ("k", "kill"),
    ("r", "restart"),
    ("p", "pause"),
    ("i", "isolate"),
    ("x", "lose half"),
    ("c", "corrupt"),
    ("s", "step down"),
    ("v", "variables"),
    ("h", "heal all"),
    (":", "type an order"),
    ("?", "help"),
    ("q", "quit"),
];

/// The state on which the meaning of the next key depends.
#[derive(Debug)]
pub(crate) struct Console {
    pub(crate) selected: Target,
    /// The order being typed, if one is.
    pub(crate) typed: Option<String>,
    pub(crate) help: bool,
}

impl Console {
    pub(crate) fn new() -> Console {
        Console { selected: Target::Leader, typed: None, help: false }
    }

    /// The orders that a key gives.
    pub(crate) fn press(&mut self, key: &Key, fleet: &Fleet) -> Vec<String> {
        if let Some(typed) = &mut self.typed {
            match key {
                Key::Char(c) => typed.push(*c),
                Key::Backspace if typed.is_empty() => self.typed = None,
                Key::Backspace => drop(typed.pop()),
                Key::Escape => self.typed = None,
                Key::Enter => return self.typed.take().into_iter().collect(),
                _ => {}
            }
            return vec![];
        }
        let help = std::mem::replace(&mut self.help, *key == Key::Char('?'));
        match *key {
            Key::ArrowUp => self.step(fleet, -1),
            Key::ArrowDown => self.step(fleet, 1),
            Key::Char(':') => self.typed = Some(String::new()),
            Key::Char('l') => self.selected = Target::Leader,
            Key::Char('a') => self.selected = Target::All,
            Key::Char('?') => self.help = !help,
            Key::Char(c) => match c.to_digit(10).map(|digit| digit as usize) {
                Some(id) if id < fleet.size() => self.selected = Target::Node(id),
                Some(_) => {}
                None => {
                    let condition = self.node(fleet).map_or(Condition::default(), |id| fleet.condition(id));
                    return orders(c, self.selected, condition);
                }
            },
            _ => {}
        }
        vec![]
    }

    /// The selected node, if exactly one is selected.
    pub(crate) fn node(&self, fleet: &Fleet) -> Option<usize> {
        match self.selected {
            Target::Node(id) => Some(id),
            Target::Leader => fleet.leader(),
            Target::All | Target::Follower => None,
        }
    }

    fn step(&mut self, fleet: &Fleet, by: isize) {
        let last = fleet.size() - 1;
        let id = match self.node(fleet) {
            Some(id) => id.saturating_add_signed(by).min(last),
            None if by < 0 => last,
            None => 0,
        };
        self.selected = Target::Node(id);
    }
}

/// The orders that a letter gives for the selection, which is in this condition.
fn orders(letter: char, selected: Target, condition: Condition) -> Vec<String> {
    let order = match letter {
        'k' => "kill",
        'r' if selected == Target::All => return vec!["restart all".into(), "resume all".into()],
        'r' if condition.paused => "resume",
        'r' => "restart",
        'p' if condition.paused => "resume",
        'p' => "pause",
        'i' if condition.isolated => "heal",
        'i' => "isolate",
        'x' => return vec![format!("loss {selected} {}", if condition.loss == 0 { 50 } else { 0 })],
        'c' => "corrupt",
        's' => "resign",
        'v' => "show",
        'h' => return vec!["heal".into(), "resume all".into(), "restart all".into()],
        'q' => return vec!["quit".into()],
        _ => return vec![],
    };
    vec![format!("{order} {selected}")]
}

#[cfg(test)]
mod tests {
    use super::super::order::Order;
    use super::*;

    #[test]
    fn every_key_gives_orders_that_can_be_typed() {
        let conditions = [Condition::default(), Condition { paused: true, isolated: true, loss: 50, down: false }];
        for (key, name) in KEYS.iter().filter(|(key, _)| ![":", "?"].contains(key)) {
            for selected in [Target::Node(3), Target::Leader, Target::All] {
                for condition in conditions {
                    let lines = orders(key.chars().next().unwrap(), selected, condition);
                    assert!(!lines.is_empty(), "{name}");
                    lines.iter().for_each(|line| assert!(line.parse::<Order>().is_ok()));
                }
            }
        }
    }

    #[test]
    fn keys_toggle() {
        let isolated = Condition { isolated: true, ..Condition::default() };
        assert_eq!(orders('i', Target::Node(2), Condition::default()), ["isolate 2"]);
        assert_eq!(orders('i', Target::Node(2), isolated), ["heal 2"]);
        assert_eq!(orders('z', Target::Node(2), isolated), [""; 0]);
    }
}
