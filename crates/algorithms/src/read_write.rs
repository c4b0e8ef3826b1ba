//! A layer that runs an algorithm with read/write atomicity.
//!
//! S. Dolev, A. Israeli, S. Moran: *Self-stabilization of dynamic systems assuming only read/write atomicity*, Distributed Computing 7, 1993.
//! A process has a register, which its neighbours read, and a copy of each neighbour's register. One step copies one register,
//! or runs a rule: the rule reads the copies and writes the own register. The goal and the marks are about registers. Copies are
//! arbitrary at the start.

pub mod graph;
pub mod ring;

use ringleader_model::{Coin, Domain, Name, Odometer, Visitor};

/// Shows the variables of a copy, each with a prefix.
fn prefixed(prefix: &'static str, index: Option<usize>, visitor: &mut dyn Visitor) -> impl Visitor {
    move |name: Name<'_>, domain: Domain<'_>, value: u64| {
        let base = format!("{prefix}.{}", name.base);
        visitor.field(Name { base: &base, index: index.or(name.index) }, domain, value)
    }
}

/// One step: the scheduler takes one of the copies that would change, or the rule, if some outcome of it changes the register.
fn step<S: Copy + PartialEq, T>(
    register: S,
    mut copies: Vec<T>,
    rule: impl Fn(&mut dyn Coin) -> S,
    with_register: impl Fn(S) -> T,
    unchanged: T,
    coin: &mut impl Coin,
) -> T {
    let mut enabled = false;
    Odometer::each_while(|coin| {
        enabled = rule(&mut Quiet(coin)) != register;
        !enabled
    });
    let count = copies.len() + usize::from(enabled);
    let taken = if count > 1 { coin.choose(count as u32) as usize } else { 0 };
    match taken {
        taken if taken < copies.len() => copies.swap_remove(taken),
        _ if enabled => with_register(rule(coin)),
        _ => unchanged,
    }
}

/// A coin for a trial: nothing is announced.
struct Quiet<'a>(&'a mut Odometer);

impl Coin for Quiet<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.0.below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.0.choose(n)
    }

    fn listens(&self) -> bool {
        false
    }
}
