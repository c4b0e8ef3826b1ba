//! Algorithms with a rule missing.

use ringleader_model::{Coin, Goal, Marks, Population, Ring, Safety, Stabilizing, Told, Variables, View, Visitor};

/// An algorithm in which a step does nothing whenever the rule with this number would fire.
pub struct Without<A> {
    /// The whole algorithm.
    pub inner: A,
    /// The rule that is missing.
    pub rule: u8,
}

/// Listens for a rule.
struct Listener<'a, C> {
    coin: &'a mut C,
    rule: u8,
    heard: bool,
}

impl<C: Coin> Coin for Listener<'_, C> {
    fn below(&mut self, n: u32) -> u32 {
        self.coin.below(n)
    }
    fn fired(&mut self, rule: u8) {
        self.heard |= rule == self.rule;
    }
}

impl<A: Variables> Variables for Without<A> {
    type State = A::State;
    fn variables(&self, s: &mut A::State, v: &mut dyn Visitor) {
        self.inner.variables(s, v);
    }
}

impl<P: Population> Population for Without<P> {
    fn hears(&self) -> bool {
        self.inner.hears()
    }
    fn interact(&self, u: P::State, v: P::State, told: Told, coin: &mut impl Coin) -> (P::State, P::State) {
        let mut listener = Listener { coin, rule: self.rule, heard: false };
        let after = self.inner.interact(u, v, told, &mut listener);
        if listener.heard { (u, v) } else { after }
    }
    fn marks(&self, s: &P::State) -> Marks {
        self.inner.marks(s)
    }
}

impl<R: Ring> Ring for Without<R> {
    fn act(&self, view: View<R::State>, coin: &mut impl Coin) -> R::State {
        let mut listener = Listener { coin, rule: self.rule, heard: false };
        let after = self.inner.act(view, &mut listener);
        if listener.heard { view.own } else { after }
    }
    fn marks(&self, view: View<R::State>) -> Marks {
        self.inner.marks(view)
    }
}

impl<A: Stabilizing> Stabilizing for Without<A> {
    fn goal(&self) -> Goal {
        self.inner.goal()
    }
    fn safety(&self) -> Safety {
        self.inner.safety()
    }
    fn correct(&self, c: &[A::State]) -> bool {
        self.inner.correct(c)
    }
    fn safe(&self, c: &[A::State]) -> bool {
        self.inner.safe(c)
    }
    fn restore(&self, c: &mut [A::State]) {
        self.inner.restore(c);
    }
}
