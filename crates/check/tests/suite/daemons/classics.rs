//! Token rings and elections of other papers. They read both neighbours, form a line, toss coins simultaneously, or
//! have several enabled rules.

use ringleader_model::{
    Chain, Coin, Goal, Marks, Place, Population, Reads, Ring, Safety, Stabilizing, Told, Variables, View, Visitor,
};

/// Dijkstra 1974, K states: reads its left neighbour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KState {
    pub(crate) k: u8,
}

impl Variables for KState {
    type State = u8;
    fn variables(&self, x: &mut u8, v: &mut dyn Visitor) {
        v.range("x", 0, u64::from(self.k) - 1, x);
    }
}

impl KState {
    fn may_move(view: View<u8>) -> bool {
        (view.left == view.own) == view.at.is_bottom()
    }
}

impl Ring for KState {
    fn act(&self, view: View<u8>, coin: &mut impl Coin) -> u8 {
        if !KState::may_move(view) {
            return view.own;
        }
        coin.fired(1);
        if view.at.is_bottom() { (view.own + 1) % self.k } else { view.left }
    }

    fn marks(&self, view: View<u8>) -> Marks {
        Marks::TOKEN.when(KState::may_move(view))
    }
}

impl Stabilizing for KState {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    fn correct(&self, c: &[u8]) -> bool {
        (0..c.len()).filter(|&i| KState::may_move(View::of(c, i, Chain::Ring))).count() == 1
    }
}

/// Dijkstra 1974, four states: a line of processes that read both neighbours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FourState;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Four {
    x: bool,
    up: bool,
}

impl FourState {
    /// The values that the enabled rules write.
    fn enabled(view: View<Four>) -> Vec<(u8, Four)> {
        let View { at, left, own, right } = view;
        let mut rules = vec![];
        match at {
            Place::Bottom if own.x == right.x && !right.up => rules.push((1, Four { x: !own.x, ..own })),
            Place::Top if own.x != left.x => rules.push((2, Four { x: left.x, ..own })),
            Place::Other => {
                if own.x != left.x {
                    rules.push((3, Four { x: left.x, up: true }));
                }
                if own.x == right.x && own.up && !right.up {
                    rules.push((4, Four { up: false, ..own }));
                }
            }
            _ => {}
        }
        rules
    }
}

impl Variables for FourState {
    type State = Four;
    fn variables(&self, s: &mut Four, v: &mut dyn Visitor) {
        v.bit("x", &mut s.x);
        v.bit("up", &mut s.up);
    }
}

/// The scheduler takes one of the enabled rules, if there are any.
fn take<S: Copy>(own: S, enabled: &[(u8, S)], coin: &mut impl Coin) -> S {
    if enabled.is_empty() {
        return own;
    }
    let (rule, after) = enabled[coin.choose(enabled.len() as u32) as usize];
    coin.fired(rule);
    after
}

impl Ring for FourState {
    fn chain(&self) -> Chain {
        Chain::Line
    }

    fn reads(&self) -> Reads {
        Reads::BothSides
    }

    fn act(&self, view: View<Four>, coin: &mut impl Coin) -> Four {
        take(view.own, &FourState::enabled(view), coin)
    }

    fn marks(&self, view: View<Four>) -> Marks {
        Marks::TOKEN.when(!FourState::enabled(view).is_empty())
    }
}

impl Stabilizing for FourState {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    fn correct(&self, c: &[Four]) -> bool {
        (0..c.len()).map(|i| FourState::enabled(View::of(c, i, Chain::Line)).len()).sum::<usize>() == 1
    }

    fn restore(&self, c: &mut [Four]) {
        let last = c.len() - 1;
        c[0].up = true;
        c[last].up = false;
    }
}

/// Dijkstra 1974, three states: a ring in which both neighbours are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreeState;

impl ThreeState {
    fn enabled(view: View<u8>) -> Vec<(u8, u8)> {
        let View { at, left, own, right } = view;
        let next = |x: u8| (x + 1) % 3;
        let mut rules = vec![];
        match at {
            Place::Bottom if next(own) == right => rules.push((1, (own + 2) % 3)),
            Place::Top if left == right && next(left) != own => rules.push((2, next(left))),
            Place::Other => {
                if next(own) == left {
                    rules.push((3, left));
                }
                if next(own) == right {
                    rules.push((4, right));
                }
            }
            _ => {}
        }
        rules
    }
}

impl Variables for ThreeState {
    type State = u8;
    fn variables(&self, x: &mut u8, v: &mut dyn Visitor) {
        v.range("x", 0, 2, x);
    }
}

impl Ring for ThreeState {
    fn reads(&self) -> Reads {
        Reads::BothSides
    }

    fn act(&self, view: View<u8>, coin: &mut impl Coin) -> u8 {
        take(view.own, &ThreeState::enabled(view), coin)
    }

    fn marks(&self, view: View<u8>) -> Marks {
        Marks::TOKEN.when(!ThreeState::enabled(view).is_empty())
    }
}

impl Stabilizing for ThreeState {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    fn correct(&self, c: &[u8]) -> bool {
        (0..c.len()).map(|i| ThreeState::enabled(View::of(c, i, Chain::Ring)).len()).sum::<usize>() == 1
    }
}

/// Herman 1990: an odd ring with simultaneous steps; a process has a token if its bit equals its left neighbour's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Herman;

impl Variables for Herman {
    type State = bool;
    fn variables(&self, x: &mut bool, v: &mut dyn Visitor) {
        v.bit("x", x);
    }
}

impl Ring for Herman {
    fn act(&self, view: View<bool>, coin: &mut impl Coin) -> bool {
        if view.own == view.left { coin.below(2) == 1 } else { view.left }
    }

    fn marks(&self, view: View<bool>) -> Marks {
        Marks::TOKEN.when(view.own == view.left)
    }
}

impl Stabilizing for Herman {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    fn correct(&self, c: &[bool]) -> bool {
        (0..c.len()).filter(|&i| c[i] == c[(i + c.len() - 1) % c.len()]).count() == 1
    }
}

/// Huang 1993: a prime ring whose processes number themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Huang {
    pub(crate) n: u8,
}

impl Variables for Huang {
    type State = u8;
    fn variables(&self, x: &mut u8, v: &mut dyn Visitor) {
        v.range("x", 0, u64::from(self.n) - 1, x);
    }
}

impl Ring for Huang {
    fn reads(&self) -> Reads {
        Reads::BothSides
    }

    fn act(&self, View { left: l, own: x, right: r, .. }: View<u8>, coin: &mut impl Coin) -> u8 {
        let apart = |a: u8, b: u8| (b + self.n - a) % self.n;
        let moves = match (l == x, x == r) {
            (_, true) => true,
            (true, false) => false,
            (false, false) => apart(l, x) < apart(x, r),
        };
        if !moves {
            return x;
        }
        coin.fired(1);
        (x + 1) % self.n
    }

    fn marks(&self, view: View<u8>) -> Marks {
        Marks::LEADER.when(view.own == 0)
    }
}

impl Stabilizing for Huang {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn correct(&self, c: &[u8]) -> bool {
        c.iter().filter(|x| **x == 0).count() == 1
    }

    /// All values are different, and the distances to the left neighbours are equal.
    fn safe(&self, c: &[u8]) -> bool {
        let n = c.len();
        let gap = |i: usize| (c[i] + self.n - c[(i + n - 1) % n]) % self.n;
        gap(0) != 0 && (0..n).all(|i| gap(i) == gap(0)) && self.correct(c)
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }
}

/// Israeli and Jalfon 1990: tokens walk at random and merge. A token moves to the responder. Without tokens no token
/// can appear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IsraeliJalfon;

impl Variables for IsraeliJalfon {
    type State = bool;
    fn variables(&self, token: &mut bool, v: &mut dyn Visitor) {
        v.bit("token", token);
    }
}

impl Population for IsraeliJalfon {
    fn interact(&self, u: bool, v: bool, _: Told, coin: &mut impl Coin) -> (bool, bool) {
        if u {
            coin.fired(1);
        }
        (false, u | v)
    }

    fn marks(&self, token: &bool) -> Marks {
        Marks::TOKEN.when(*token)
    }
}

impl Stabilizing for IsraeliJalfon {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    fn correct(&self, c: &[bool]) -> bool {
        c.iter().filter(|token| **token).count() == 1
    }

    fn restore(&self, c: &mut [bool]) {
        c[0] |= c.iter().all(|token| !token);
    }
}
