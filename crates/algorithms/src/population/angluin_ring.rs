//! Angluin, Aspnes, Fischer and Jiang's self-stabilizing leader election for directed rings whose size is no multiple of k.
//!
//! D. Angluin, J. Aspnes, M. J. Fischer, H. Jiang: *Self-stabilizing population protocols*, ACM TAAS 3(4), 2008.
//! Labels want to count around the ring modulo k, and cannot: somewhere there is a *barrier*. A barrier sends probes
//! clockwise; one that comes back to a barrier without meeting a leader makes one. Leaders send bullets counter-clockwise,
//! which barriers stop.

use crate::population::YOKOTA_TABLE_1;
use crate::{Card, Entry, Law, Parameter, ParameterKind, Parameters, Refusal};
use ringleader_model::{Circle, Coin, Goal, Marks, Population, Reader, Safety, Stabilizing, Told, Variables, Visitor};

/// The protocol for rings whose size is not a multiple of `modulus`.
#[derive(Clone, Copy, Debug)]
pub struct AngluinRing {
    /// k, known to all agents.
    pub modulus: u32,
}

/// Four bits and a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The output.
    pub leader: bool,
    /// Moves counter-clockwise and kills leaders.
    pub bullet: bool,
    /// Moves clockwise and searches for a leader.
    pub probe: bool,
    /// Whether a barrier to the right has sent its probe.
    pub phase: bool,
    /// In Z_k.
    pub label: u32,
}

impl Variables for AngluinRing {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.bit("leader", &mut s.leader);
        v.bit("bullet", &mut s.bullet);
        v.bit("probe", &mut s.probe);
        v.bit("phase", &mut s.phase);
        v.range("label", 0, u64::from(self.modulus) - 1, &mut s.label);
    }
}

impl AngluinRing {
    /// Whether there is a barrier between an agent and its right neighbour.
    pub fn barrier(&self, left: &State, right: &State) -> bool {
        right.label != (left.label + 1) % self.modulus
    }
}

impl Population for AngluinRing {
    /// All tests see the values before the interaction.
    fn interact(&self, u: State, v: State, _: Told, coin: &mut impl Coin) -> (State, State) {
        let (mut u2, mut v2) = (u, v);
        if self.barrier(&u, &v) {
            if u.probe {
                coin.fired(1);
                u2.leader = true;
                u2.probe = false;
            }
            if !u.phase {
                coin.fired(2);
                u2.phase = true;
                v2.probe |= !v.leader;
            } else if !v.probe {
                coin.fired(3);
                v2.bullet = false;
                v2.label = (u.label + 1) % self.modulus;
                v2.phase = false;
            }
        } else if v.leader && v.bullet {
            coin.fired(4);
            v2.leader = false;
        } else if v.leader {
            coin.fired(5);
            u2.bullet = true;
            u2.probe = false;
        } else if v.bullet || u.probe {
            coin.fired(6);
            u2.bullet |= v.bullet;
            v2.bullet = false;
            v2.probe |= u.probe;
            u2.probe = false;
        }
        (u2, v2)
    }

    fn marks(&self, s: &State) -> Marks {
        Marks::LEADER.when(s.leader) | Marks::BULLET.when(s.bullet) | Marks::PROBE.when(s.probe)
    }
}

impl Stabilizing for AngluinRing {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    fn correct(&self, c: &[State]) -> bool {
        Circle(c).only(|s| s.leader).is_some()
    }

    /// One leader and one barrier, and clockwise from the leader up to the barrier neither bullet nor probe.
    ///
    /// Closed, since all that could do harm would have to cross the barrier. Bullets are fired to the left of the leader and
    /// run left, probes start at the right of the barrier and run right into the leader; the barrier itself moves right, but
    /// over no probe (rule 3), and wipes out the bullet it moves over. So no bullet comes to the leader, no probe to the
    /// barrier, and since one barrier there must be (n is no multiple of k), moving cannot make a second one.
    fn safe(&self, c: &[State]) -> bool {
        let ring = Circle(c);
        let barriers = (0..c.len()).filter(|&i| self.barrier(&ring[i], &ring[i + 1])).count();
        let Some(leader) = ring.only(|s| s.leader).filter(|_| barriers == 1) else { return false };
        let clean = |i: usize| !ring[i].bullet && !ring[i].probe;
        (leader..).find(|&i| !clean(i) || self.barrier(&ring[i], &ring[i + 1])).is_some_and(clean)
    }

    fn visible(&self, s: &State, to: Reader) -> Option<u64> {
        let (leader, clean) = (u64::from(s.leader), u64::from(!s.bullet && !s.probe));
        Some(if to == Reader::Goal { leader } else { u64::from(s.label) << 2 | clean << 1 | leader })
    }
}

impl Entry for AngluinRing {
    const CARD: Card = Card {
        name: "angluin-ring",
        source: include_str!("angluin_ring.rs"),
        summary: "constant space on directed rings whose size is not a multiple of k",
        citation: "D. Angluin, J. Aspnes, M. J. Fischer, H. Jiang: Self-stabilizing population protocols, ACM TAAS 3(4), \
                   2008",
        sizes: "n >= 3, no multiple of k",
        knowledge: "a number k that does not divide the size",
        assumes: "globally fair",
        states: "16k",
        claim: "self-stabilizing: from every configuration exactly one leader, for ever, in Θ(n³) expected steps",
        default_size: 15,
        parameters: &[Parameter {
            name: "modulus",
            meaning: "k, a number that all agents know not to divide the size",
            default: "2",
            kind: ParameterKind::Number,
        }],
        rules: "\
There is a barrier between u and v if label_v != label_u + 1 (mod k). All tests see the values before the interaction.
at a barrier:
1. if probe_u: leader_u := 1, probe_u := 0
2. if phase_u = 0: phase_u := 1 and, unless v is a leader, probe_v := 1
3. if phase_u = 1 and probe_v = 0: bullet_v := 0, label_v := label_u + 1, phase_v := 0
elsewhere, v a leader:
4. if bullet_v: leader_v := 0
5. otherwise bullet_u := 1, probe_u := 0
elsewhere, v no leader:
6. the bullet moves from v to u, the probe from u to v",
        law: Some(Law { claim: "Θ(n³)", size: 3, logs: 0, bound: 0, source: YOKOTA_TABLE_1 }),
        shade: Some("label"),
        ..super::ON_DIRECTED_RINGS
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let modulus = p.number("modulus")?.unwrap_or(2);
        if !(2..=1 << 30).contains(&modulus) {
            return Err(Refusal::new(format!("modulus must be in 2..2^30, not {modulus}")));
        }
        Ok(AngluinRing { modulus: modulus as u32 })
    }

    fn supports(p: &Parameters) -> Result<(), Refusal> {
        let k = Self::build(p)?.modulus as usize;
        let why = "on two agents without any mark it never elects one for good, as trying every configuration shows for \
                   k = 3, 4, 5 and 7";
        super::at_least(3, &Self::CARD, p, why)?;
        if p.size.is_multiple_of(k) {
            return Err(Refusal::new(format!(
                "angluin-ring needs a size that is no multiple of k, and {} is one of k = {k}: the labels can count around \
                 the ring and then nothing notices that there is no leader; choose another modulus",
                p.size
            )));
        }
        Ok(())
    }
}
