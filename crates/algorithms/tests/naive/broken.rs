//! Algorithms with a rule missing.

use ringleader_model::{Coin, Goal, Marks, Place, Population, Ring, Stabilizing, Variables, Visitor};

/// An algorithm in which a step does nothing whenever the rule with this number would fire.
pub struct Without<A> {
    pub inner: A,
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
    type Input = P::Input;
    fn interact(&self, u: (P::State, P::Input), v: (P::State, P::Input), coin: &mut impl Coin) -> (P::State, P::State) {
        let mut listener = Listener { coin, rule: self.rule, heard: false };
        let after = self.inner.interact(u, v, &mut listener);
        if listener.heard { (u.0, v.0) } else { after }
    }
    fn marks(&self, s: &P::State) -> Marks {
        self.inner.marks(s)
    }
}

impl<R: Ring> Ring for Without<R> {
    fn act(&self, at: Place, left: R::State, own: R::State, coin: &mut impl Coin) -> R::State {
        let mut listener = Listener { coin, rule: self.rule, heard: false };
        let after = self.inner.act(at, left, own, &mut listener);
        if listener.heard { own } else { after }
    }
    fn marks(&self, at: Place, left: &R::State, own: &R::State) -> Marks {
        self.inner.marks(at, left, own)
    }
}

impl<A: Stabilizing> Stabilizing for Without<A> {
    const GOAL: Goal = A::GOAL;
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
