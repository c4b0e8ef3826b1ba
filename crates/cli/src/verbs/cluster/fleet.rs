//! Orders, carried out by a fleet: to whom, and what.

use super::order::{Order, Who};
use ringleader_lab::cluster::Deed;
pub(crate) use ringleader_lab::cluster::{Condition, Fleet, Plan};
use ringleader_node::NOBODY;

/// Does it, and says to whom; waiting and showing are not the fleet's business.
pub(crate) fn apply(fleet: &mut Fleet, order: &Order) -> Result<Vec<usize>, String> {
    order.check(fleet.size())?;
    let (Some(who), Some(deed)) = (order.who(), deed(order)) else {
        return order.who().map_or(Ok(vec![]), |who| chosen(fleet, who));
    };
    let chosen = chosen(fleet, who)?;
    for &id in &chosen {
        // Of many, those that are down are left alone.
        let alone = matches!(who, Who::Node(_));
        fleet.apply(id, deed).or_else(|refused| if alone { Err(refused.to_string()) } else { Ok(()) })?;
    }
    Ok(chosen)
}

fn deed(order: &Order) -> Option<Deed> {
    Some(match *order {
        Order::Kill(_) => Deed::Kill,
        Order::Restart(_) => Deed::Restart,
        Order::Pause(_) => Deed::Pause,
        Order::Resume(_) => Deed::Resume,
        Order::Isolate(_) => Deed::Isolate,
        Order::Heal(_) => Deed::Heal,
        Order::Loss(_, percent) => Deed::Lose(percent),
        Order::Resign(_) => Deed::Resign,
        Order::Corrupt(_, corruption) => Deed::Corrupt(corruption),
        _ => return None,
    })
}

fn chosen(fleet: &Fleet, who: Who) -> Result<Vec<usize>, String> {
    let leader = || fleet.leader().ok_or("there is no agreed leader now".to_string());
    match who {
        Who::All => Ok((0..fleet.size()).collect()),
        Who::Leader => Ok(vec![leader()?]),
        Who::Follower => {
            let leader = leader()?;
            let follower = (0..fleet.size()).find(|&id| id != leader && fleet.sound(id));
            follower.map(|id| vec![id]).ok_or("nobody follows".to_string())
        }
        Who::Node(id) => Ok(vec![id]),
    }
}

/// What was reached, in words.
pub(crate) fn words(leader: usize) -> String {
    if leader == NOBODY { "as it should be".to_string() } else { format!("{leader} leads") }
}
