//! What can be done to a cluster, as words.

use ringleader_daemon::Span;
use ringleader_node::Corruption;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// All orders, for help.
pub(crate) const HELP: &str = "\
kill WHO       end it as kill -9 would        restart WHO   start it again
pause WHO      stop its loop                  resume WHO    let it go on
isolate WHO    cut all its links              heal [WHO]    mend its links, or all
loss WHO P     lose P% of what it sends       resign WHO    hand the leadership over
corrupt WHO [random|low|high]                 every variable any, its least, or its greatest value
settle [TIME]  wait until all agree           wait TIME     wait
show WHO       its variables                  quit          end
repeat N ORDER; ORDER; ..                     WHO is a number, leader, follower or all";

/// To whom it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// This node.
    Node(usize),
    /// Whoever leads now.
    Leader,
    /// The least that follows now.
    Follower,
    /// Everyone.
    All,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Kill(Who),
    Restart(Who),
    Pause(Who),
    Resume(Who),
    Isolate(Who),
    Heal(Who),
    Loss(Who, u8),
    Resign(Who),
    Corrupt(Who, Corruption),
    Show(Who),
    Settle(Duration),
    Wait(Duration),
    /// So often, these, each with its words.
    Repeat(u32, Vec<(String, Order)>),
    Help,
    Quit,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who::Node(id) => id.fmt(f),
            Who::Leader => f.write_str("leader"),
            Who::Follower => f.write_str("follower"),
            Who::All => f.write_str("all"),
        }
    }
}

impl FromStr for Who {
    type Err = String;
    fn from_str(word: &str) -> Result<Who, String> {
        match word {
            "leader" => Ok(Who::Leader),
            "follower" => Ok(Who::Follower),
            "all" => Ok(Who::All),
            _ => word
                .parse()
                .map(Who::Node)
                .map_err(|_| format!("whom? a node's number, leader, follower or all, not {word:?}")),
        }
    }
}

impl FromStr for Order {
    type Err = String;
    fn from_str(line: &str) -> Result<Order, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let span = |word: &str| word.parse::<Span>().map(|span| span.0).map_err(|wrong| wrong.to_string());
        Ok(match words[..] {
            ["kill", who] => Order::Kill(who.parse()?),
            ["restart", who] => Order::Restart(who.parse()?),
            ["pause", who] => Order::Pause(who.parse()?),
            ["resume", who] => Order::Resume(who.parse()?),
            ["isolate", who] => Order::Isolate(who.parse()?),
            ["heal"] => Order::Heal(Who::All),
            ["heal", who] => Order::Heal(who.parse()?),
            ["loss", who, percent] => {
                let share = percent.trim_end_matches('%').parse().ok().filter(|&p| p <= 100);
                Order::Loss(who.parse()?, share.ok_or(format!("a loss is 0 to 100 per cent, not {percent:?}"))?)
            }
            ["resign", who] => Order::Resign(who.parse()?),
            ["corrupt", who] | ["corrupt", who, "random"] => Order::Corrupt(who.parse()?, Corruption::Random),
            ["corrupt", who, "low"] => Order::Corrupt(who.parse()?, Corruption::Low),
            ["corrupt", who, "high"] => Order::Corrupt(who.parse()?, Corruption::High),
            ["show", who] => Order::Show(who.parse()?),
            ["settle"] => Order::Settle(Duration::from_secs(30)),
            ["settle", limit] => Order::Settle(span(limit)?),
            ["wait", time] => Order::Wait(span(time)?),
            ["repeat", times, ..] => {
                let count = times.parse().map_err(|_| format!("how often? a number, not {times:?}"))?;
                let rest = line.trim_start().trim_start_matches("repeat").trim_start().trim_start_matches(times);
                let orders = rest.split(';').map(|words| Ok((words.trim().to_string(), words.parse()?)));
                Order::Repeat(count, orders.collect::<Result<_, String>>()?)
            }
            ["help"] => Order::Help,
            ["quit"] => Order::Quit,
            _ => return Err(format!("cannot do {line:?}; there are:\n{HELP}")),
        })
    }
}

impl Order {
    /// Whom it is for, if it is done to nodes.
    pub(crate) fn who(&self) -> Option<Who> {
        match *self {
            Order::Heal(who) | Order::Kill(who) | Order::Restart(who) | Order::Pause(who) | Order::Resume(who) => {
                Some(who)
            }
            Order::Isolate(who) | Order::Loss(who, _) | Order::Resign(who) | Order::Corrupt(who, _) => Some(who),
            Order::Show(who) => Some(who),
            Order::Settle(_) | Order::Wait(_) | Order::Repeat(..) | Order::Help | Order::Quit => None,
        }
    }

    /// Says when a cluster of this size never has the node it is for.
    pub(crate) fn check(&self, size: usize) -> Result<(), String> {
        match self {
            Order::Repeat(_, orders) => orders.iter().try_for_each(|(_, order)| order.check(size)),
            _ => match self.who() {
                Some(Who::Node(id)) if id >= size => Err(format!("there are nodes 0 to {}, not {id}", size - 1)),
                _ => Ok(()),
            },
        }
    }
}

/// The orders of a script for so many nodes, one a line; empty lines and lines that begin with `#` do not count.
pub(crate) fn parse_script(text: &str, size: usize) -> Result<Vec<(String, Order)>, String> {
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            let order = line.parse().and_then(|order: Order| order.check(size).map(|()| order));
            order.map(|order| (line.to_string(), order)).map_err(|e| format!("line {}: {e}", number + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read() {
        assert_eq!("kill leader".parse(), Ok(Order::Kill(Who::Leader)));
        assert_eq!("loss 3 50%".parse(), Ok(Order::Loss(Who::Node(3), 50)));
        let corrupt = ("corrupt all high".to_string(), Order::Corrupt(Who::All, Corruption::High));
        let wait = ("wait 5ms".to_string(), Order::Wait(Duration::from_millis(5)));
        let twice = Order::Repeat(2, vec![corrupt, wait]);
        assert_eq!("repeat 2 corrupt all high; wait 5ms".parse(), Ok(twice));
    }

    #[test]
    fn mistakes_are_explained() {
        let complaint = |line: &str| line.parse::<Order>().unwrap_err();
        assert!(complaint("loss 1 101").contains("0 to 100"));
        assert!(complaint("kill everybody").contains("whom?"));
        assert!(complaint("dance").contains("kill WHO"));
        assert!(complaint("wait 5").contains("unit"));
        assert!(parse_script("# fine\n\nheal\nkill\n", 3).unwrap_err().starts_with("line 4"));
    }

    #[test]
    fn orders_for_nodes_that_never_are_there_are_found() {
        assert!(parse_script("kill 2\nkill all\nkill leader\nloss 0 50", 3).is_ok());
        for script in ["settle\nkill 3", "settle\nrepeat 2 settle; loss 3 50", "settle\nrepeat 2 repeat 2 show 3"] {
            assert_eq!(parse_script(script, 3), Err("line 2: there are nodes 0 to 2, not 3".into()), "{script}");
        }
    }
}
