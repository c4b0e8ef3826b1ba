//! Yokota, Sudo and Masuzawa's time-optimal self-stabilizing leader election for directed rings, P_RL.
//!
//! D. Yokota, Y. Sudo, T. Masuzawa: *Time-optimal self-stabilizing leader election on rings in population protocols*,
//! IEICE Trans. Fundamentals E104-A(12), 2021, Algorithm 1. A leader fires its next bullet only when a signal has told it
//! that the last one is gone, and the scheduler's coin decides whether it fires live and shielded or dummy and bare.

use crate::{Card, Entry, Law, Parameter, ParameterKind, Parameters, Refusal};
use ringleader_model::{
    Circle, ClosedSet, Coin, Goal, Marks, Population, Reader, Safety, Stabilizing, Told, Variables, Visitor,
};

/// The protocol for rings of at most `bound` agents.
#[derive(Clone, Copy, Debug)]
pub struct YokotaRing {
    /// N, known to all agents; at least n.
    pub bound: u32,
}

/// What `bullet` may be.
pub mod bullet {
    /// No bullet.
    pub const NONE: u8 = 0;
    /// A bullet that kills nobody.
    pub const DUMMY: u8 = 1;
    /// A bullet that kills an unshielded leader.
    pub const LIVE: u8 = 2;
}

/// The paper's variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The output.
    pub leader: bool,
    /// 0 none, 1 dummy, 2 live.
    pub bullet: u8,
    /// Ignored at followers.
    pub shield: bool,
    /// The bullet-absence signal, on its way left.
    pub signal: bool,
    /// The estimated distance to the nearest leader to the left.
    pub dist: u32,
}

impl Variables for YokotaRing {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.bit("leader", &mut s.leader);
        v.range("bullet", 0, 2, &mut s.bullet);
        v.bit("shield", &mut s.shield);
        v.bit("signal", &mut s.signal);
        v.range("dist", 0, self.bound.into(), &mut s.dist);
    }
}

impl Population for YokotaRing {
    /// The seven statements of the rules below, which are lines 1 to 16 of the paper's Algorithm 1.
    #[inline]
    fn interact(&self, mut l: State, mut r: State, _: Told, coin: &mut impl Coin) -> (State, State) {
        if l.leader {
            coin.fired(1);
            l.dist = 0;
        }
        if r.leader {
            coin.fired(2);
            r.dist = 0;
        } else if r.bullet == bullet::NONE {
            coin.fired(2);
            r.dist = (l.dist + 1).min(self.bound);
        }
        if r.dist == self.bound {
            coin.fired(3);
            r = State { leader: true, bullet: bullet::LIVE, shield: true, signal: false, dist: 0 };
        }
        if l.leader && l.signal {
            coin.fired(4);
            l = State { bullet: bullet::LIVE, shield: true, signal: false, ..l };
        }
        if r.leader && r.signal {
            coin.fired(5);
            r = State { bullet: bullet::DUMMY, shield: false, signal: false, ..r };
        }
        if l.bullet != bullet::NONE {
            coin.fired(6);
            if r.leader {
                r.leader = l.bullet != bullet::LIVE || r.shield;
            } else {
                r.bullet = if r.bullet == bullet::NONE { l.bullet } else { r.bullet };
                r.signal = false;
            }
            l.bullet = bullet::NONE;
        }
        if !l.signal && (r.signal || r.leader) {
            coin.fired(7);
            l.signal = true;
        }
        (l, r)
    }

    fn marks(&self, s: &State) -> Marks {
        Marks::LEADER.when(s.leader)
            | Marks::BULLET.when(s.bullet == bullet::LIVE)
            | Marks::DUMMY.when(s.bullet == bullet::DUMMY)
            | Marks::SHIELD.when(s.leader && s.shield)
            | Marks::SIGNAL.when(s.signal)
    }
}

/// The sets of section 4.1. Indices are those of the ring; d_L and d_R count oneself and are infinite without a leader.
impl YokotaRing {
    /// Peaceful(i): the nearest leader to the left is shielded, and no agent from it to `i` has a signal.
    pub fn peaceful(&self, c: &[State], i: usize) -> bool {
        let ring = Circle(c);
        ring.left_distance(i, |s| s.leader)
            .is_some_and(|d| ring.left(i, d).shield && (0..=d).all(|j| !ring.left(i, j).signal))
    }

    /// Secure(i): a leader has dist 0, a follower at most N - d_R(i).
    pub fn secure(&self, c: &[State], i: usize) -> bool {
        match Circle(c).right_distance(i, |s| s.leader) {
            Some(0) => c[i].dist == 0,
            Some(d) => c[i].dist as usize + d <= self.bound as usize,
            None => false,
        }
    }

    /// Modest(i): peaceful, and from the nearest left leader to `i` nobody's dist exceeds its own d_L.
    pub fn modest(&self, c: &[State], i: usize) -> bool {
        let ring = Circle(c);
        // Walking left from i, the agent j steps away has d_L = d - j.
        let near = |d: usize| (0..=d).all(|j| ring.left(i, j).dist as usize <= d - j);
        self.peaceful(c, i) && ring.left_distance(i, |s| s.leader).is_some_and(near)
    }

    /// C_PB: at least one leader, and every live bullet is peaceful.
    pub fn c_pb(&self, c: &[State]) -> bool {
        c.iter().any(|s| s.leader) && self.live(c).all(|i| self.peaceful(c, i))
    }

    /// C_NI: in C_PB, all agents secure and all live bullets modest.
    pub fn c_ni(&self, c: &[State]) -> bool {
        self.c_pb(c) && (0..c.len()).all(|i| self.secure(c, i)) && self.live(c).all(|i| self.modest(c, i))
    }

    /// S_RL: in C_NI with exactly one leader.
    pub fn s_rl(&self, c: &[State]) -> bool {
        self.correct(c) && self.c_ni(c)
    }

    fn live<'a>(&self, c: &'a [State]) -> impl Iterator<Item = usize> + 'a {
        (0..c.len()).filter(|&i| c[i].bullet == bullet::LIVE)
    }
}

impl Stabilizing for YokotaRing {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    fn restores_nothing(&self) -> bool {
        true
    }

    fn correct(&self, c: &[State]) -> bool {
        Circle(c).only(|s| s.leader).is_some()
    }

    fn safe(&self, c: &[State]) -> bool {
        self.s_rl(c)
    }

    /// S_RL in one walk to the right from the only leader, where d_L = i and d_R = n - i.
    fn safe_fast(&self, c: &[State]) -> bool {
        let Some(leader) = Circle(c).only(|s| s.leader) else { return false };
        // A live bullet is modest as long as no agent from the leader to it has broken the peace.
        let mut peace = c[leader].shield;
        c[leader..].iter().chain(&c[..leader]).enumerate().all(|(i, s)| {
            peace &= !s.signal && s.dist as usize <= i;
            let secure = if i == 0 { s.dist == 0 } else { s.dist as usize + c.len() - i <= self.bound as usize };
            secure && (peace || s.bullet != bullet::LIVE)
        })
    }

    /// The proof reads the shield of a leader without a signal only (peaceful), and of a leader's dist whether it is 0.
    fn visible(&self, s: &State, to: Reader) -> Option<u64> {
        let dist = if s.leader { s.dist.min(1) } else { s.dist };
        let read = [s.signal, s.bullet == bullet::LIVE, s.leader && s.shield && !s.signal].map(u64::from);
        let proof = read.into_iter().fold(u64::from(dist), |all, bit| all << 1 | bit);
        Some(if to == Reader::Goal { 0 } else { proof << 1 } | u64::from(s.leader))
    }

    fn closed_sets(&self) -> Vec<ClosedSet<'_, State>> {
        vec![
            ClosedSet::new("C_PB", "Lemma 2", |c| self.c_pb(c)),
            ClosedSet::new("C_NI", "Lemma 6", |c| self.c_ni(c)),
            ClosedSet::new("S_RL", "Lemma 8", |c| self.s_rl(c)),
        ]
    }
}

impl Entry for YokotaRing {
    const CARD: Card = Card {
        name: "yokota-ring",
        source: include_str!("yokota_ring.rs"),
        summary: "time-optimal on directed rings, given an upper bound on the size",
        citation: "D. Yokota, Y. Sudo, T. Masuzawa: Time-optimal self-stabilizing leader election on rings in population \
                   protocols, IEICE Trans. Fundamentals E104-A(12), 2021, Algorithm 1 (P_RL)",
        sizes: "2 <= n <= N",
        knowledge: "an upper bound N on the size",
        assumes: "uniformly random (Theorem 1)",
        states: "24(N + 1)",
        claim: "self-stabilizing: from every configuration exactly one leader, for ever, in O(nN) expected steps",
        parameters: &[Parameter {
            name: "bound",
            meaning: "N, the upper bound on the size that all agents know",
            default: "the size",
            kind: ParameterKind::Number,
        }],
        rules: "\
An interaction of left agent l and right agent r runs, in order:
1. if l.leader: l.dist := 0
2. r.dist := 0 if r.leader; min(l.dist + 1, N) if r carries no bullet; otherwise unchanged
3. if r.dist = N: r becomes leader with dist 0, a live bullet, a shield and no signal
4. if l.leader and l.signal: l.bullet := live, l.shield := 1, l.signal := 0
5. if r.leader and r.signal: r.bullet := dummy, r.shield := 0, r.signal := 0
6. if l carries a bullet: if r.leader, r is killed by a live one unless shielded; else the bullet moves to r if r has
   none, and r.signal := 0; in both cases l.bullet := none
7. l.signal := max(l.signal, r.signal, r.leader)",
        law: Some(Law { claim: "O(nN)", size: 1, logs: 0, bound: 1, source: super::YOKOTA_TABLE_1 }),
        shade: Some("dist"),
        ..super::ON_DIRECTED_RINGS
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let given = p.number("bound")?;
        let bound = given.unwrap_or(p.size as u64);
        if !(2..=1 << 30).contains(&bound) {
            let what = if given.is_some() { "bound" } else { "size, which is the bound unless one is given," };
            return Err(Refusal::new(format!("{what} must be in 2..2^30, not {bound}")));
        }
        if (p.size as u64) > bound {
            let why = "with more agents than the bound, a distance of N no longer means that there is no leader (section 3.2)";
            return Err(Refusal::new(format!("yokota-ring needs n <= N, but n = {} and N = {bound}: {why}", p.size)));
        }
        Ok(YokotaRing { bound: bound as u32 })
    }

    fn supports(p: &Parameters) -> Result<(), Refusal> {
        super::at_least(2, &Self::CARD, p, "an interaction takes two (section 2)")?;
        Self::build(p).map(|_| ())
    }
}
