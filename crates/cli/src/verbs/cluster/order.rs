//! The orders of a script or a console, as text.

use crate::terminal::exit::{Failure, bail, usage};
use ringleader_daemon::Span;
use ringleader_fleet::{Action, ActionError, Fleet};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// All orders, for help.
pub(crate) const HELP: &str = "\
kill NODE      end the node as kill -9 would  restart NODE  start it again
pause NODE     stop its loop                  resume NODE   let the loop go on
isolate NODE   cut all its links              heal [NODE]   repair its links, or all links
cut A B        cut the link between two       join A B      repair that link
loss NODE P    lose P% of what it sends       resign NODE   hand the leadership over
corrupt NODE [random|low|high]                set every variable to a random, its least or its greatest value
settle [TIME]  wait until all agree           wait TIME     wait
show NODE      print its variables            quit          end
repeat N ORDER; ORDER; ..                     NODE is a number, leader, follower or all";

/// How deep `repeat` can be nested: reading and performing a script recurses into it.
const MAX_NESTING: usize = 8;

/// The nodes that an order is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Target {
    /// This node.
    #[strum(disabled)]
    Node(usize),
    /// The agreed leader.
    Leader,
    /// The healthy node with the smallest number that does not lead.
    Follower,
    /// Every node.
    All,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Act(Target, Action),
    /// Cut the link between two nodes, or repair it.
    Link(usize, usize, bool),
    Show(Target),
    Settle(Duration),
    Wait(Duration),
    /// How often, and the orders, each with its text.
    Repeat(u32, Vec<(String, Order)>),
    Help,
    Quit,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Node(id) => id.fmt(f),
            named => f.write_str(named.into()),
        }
    }
}

impl Target {
    fn read(word: &str) -> Result<Target, Failure> {
        let node = word.parse().map(Target::Node).or_else(|_| word.parse());
        node.map_err(|_| usage!("{word:?} is no node: give a number, leader, follower or all"))
    }

    /// The numbers of the nodes, if there are any now.
    pub(crate) fn nodes(self, fleet: &Fleet) -> Result<Vec<usize>, Failure> {
        let leader = || fleet.leader().ok_or_else(|| usage!("the nodes agree on no leader now"));
        match self {
            Target::All => Ok((0..fleet.size()).collect()),
            Target::Leader => Ok(vec![leader()?]),
            Target::Follower => {
                let leader = leader()?;
                let follower = (0..fleet.size()).find(|&id| id != leader && fleet.is_healthy(id));
                follower.map(|id| vec![id]).ok_or_else(|| usage!("no healthy node follows"))
            }
            Target::Node(id) => fleet.check(id).map(|()| vec![id]).map_err(Failure::usage),
        }
    }
}

impl FromStr for Order {
    type Err = Failure;
    fn from_str(line: &str) -> Result<Order, Failure> {
        // On a terminal a colon opens the line of orders. It may stay in a script.
        Order::nested(line.trim_start().trim_start_matches(':'), 0)
    }
}

impl Order {
    fn nested(line: &str, depth: usize) -> Result<Order, Failure> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let span = |word: &str| word.parse::<Span>().map(|span| span.0).map_err(Failure::usage);
        Ok(match words[..] {
            ["heal"] => Order::Act(Target::All, Action::Heal),
            ["show", node] => Order::Show(Target::read(node)?),
            ["settle"] => Order::Settle(Duration::from_secs(30)),
            ["settle", limit] => Order::Settle(span(limit)?),
            ["wait", time] => Order::Wait(span(time)?),
            ["repeat", ..] if depth == MAX_NESTING => {
                bail!("repeat can be nested at most {MAX_NESTING} deep");
            }
            ["repeat", times, ..] => {
                let count = times.parse().map_err(|_| usage!("{times:?} is no number of repetitions"))?;
                let rest = line.trim_start().trim_start_matches("repeat").trim_start().trim_start_matches(times);
                let read = |order: &str| Ok((order.trim().to_string(), Order::nested(order, depth + 1)?));
                Order::Repeat(count, rest.split(';').map(read).collect::<Result<_, Failure>>()?)
            }
            [verb @ ("cut" | "join"), a, b] => {
                let node = |word: &str| word.parse().map_err(|_| usage!("{word:?} is no node: give a number"));
                Order::Link(node(a)?, node(b)?, verb == "cut")
            }
            ["help"] => Order::Help,
            ["quit"] => Order::Quit,
            [verb, node, ref values @ ..] => {
                let action = Action::parse(&[&[verb], values].concat()).map_err(|e| match e {
                    ActionError::Unknown(_) => unknown(line),
                    wrong => Failure::usage(wrong),
                })?;
                Order::Act(Target::read(node)?, action)
            }
            _ => return Err(unknown(line)),
        })
    }

    /// Refuses an order for a node that a cluster of this size does not have.
    fn check(&self, size: usize) -> Result<(), Failure> {
        match self {
            Order::Repeat(_, orders) => orders.iter().try_for_each(|(_, order)| order.check(size)),
            Order::Link(a, b, _) => Order::Show(Target::Node(*a.max(b))).check(size),
            Order::Act(Target::Node(id), _) | Order::Show(Target::Node(id)) if *id >= size => {
                Err(usage!("there is no node {id}: the nodes are 0 to {}", size - 1))
            }
            _ => Ok(()),
        }
    }
}

fn unknown(line: &str) -> Failure {
    usage!("{line:?} is no order. The orders are:\n{HELP}")
}

/// The orders of a script for a cluster of this size, one a line; empty lines and lines that begin with `#` are skipped.
pub(crate) fn parse_script(text: &str, size: usize) -> Result<Vec<(String, Order)>, Failure> {
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            let order = line.parse().and_then(|order: Order| order.check(size).map(|()| order));
            order.map(|order| (line.to_string(), order)).map_err(|e| usage!("line {}: {e}", number + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_node::Corruption;

    fn refused(script: &str) -> String {
        parse_script(script, 3).err().unwrap().to_string()
    }

    #[test]
    fn orders_are_read() {
        let read = |line: &str| line.parse::<Order>().ok();
        assert_eq!(read("kill leader"), Some(Order::Act(Target::Leader, Action::Kill)));
        assert_eq!(read("cut 0 2"), Some(Order::Link(0, 2, true)));
        assert_eq!(read("join 2 0"), Some(Order::Link(2, 0, false)));
        assert_eq!(read("loss 3 50%"), Some(Order::Act(Target::Node(3), Action::Loss(50))));
        assert_eq!(read("corrupt 1"), Some(Order::Act(Target::Node(1), Action::Corrupt(Corruption::Random))));
        let corrupt = Order::Act(Target::All, Action::Corrupt(Corruption::High));
        let corrupt = ("corrupt all high".to_string(), corrupt);
        let wait = ("wait 5ms".to_string(), Order::Wait(Duration::from_millis(5)));
        let twice = Order::Repeat(2, vec![corrupt, wait]);
        assert_eq!(read("repeat 2 corrupt all high; wait 5ms"), Some(twice));
    }

    #[test]
    fn mistakes_are_explained() {
        let complaint = |line: &str| line.parse::<Order>().err().unwrap().to_string();
        assert!(complaint("loss 1 101").contains("0 to 100"));
        assert!(complaint("kill everybody").contains("is no node"));
        assert!(complaint("kill 1 2").contains("kill NODE"));
        assert!(complaint("cut 0 leader").contains("is no node") && complaint("cut 0").contains("cut A B"));
        assert!(complaint("dance").contains("kill NODE"));
        assert!(complaint("wait 5").contains("unit"));
        assert!(refused("# fine\n\nheal\nkill\n").starts_with("line 4"));
    }

    #[test]
    fn a_repeat_nested_too_deep_is_refused() {
        assert!(format!("{}heal", "repeat 1 ".repeat(MAX_NESTING)).parse::<Order>().is_ok());
        let deep = format!("{}heal", "repeat 1 ".repeat(200_000));
        assert!(deep.parse::<Order>().err().unwrap().to_string().contains("nested"));
    }

    #[test]
    fn an_order_for_a_node_that_does_not_exist_is_refused() {
        assert!(parse_script("kill 2\nkill all\nkill leader\nloss 0 50", 3).is_ok());
        for script in [
            "settle\nkill 3",
            "settle\ncut 3 0",
            "settle\nrepeat 2 settle; loss 3 50",
            "settle\nrepeat 2 repeat 2 show 3",
        ] {
            assert_eq!(refused(script), "line 2: there is no node 3: the nodes are 0 to 2", "{script}");
        }
    }
}
