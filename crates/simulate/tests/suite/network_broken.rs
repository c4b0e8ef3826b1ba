//! Broken variants of the robust algorithms, and that the simulator catches them where the whole ones settle.

use ringleader_algorithms::robust::{s1, s2, s3, s4, s5};
use ringleader_algorithms::{Entry, Parameters};
use ringleader_model::{Coin, Event, Marks, Outbox, Port, Process, Timed, Timing, Variables, Visitor, Worst};
use ringleader_simulate::network::{Adversary, Campaign, Source, SystemClass};

type Out<A> = Vec<(Port, <A as Process>::Message)>;
type Spoil<A> = fn(usize, &mut <A as Variables>::State, &Event<<A as Process>::Message>, &mut Out<A>);

/// An algorithm whose every step is tampered with.
struct Broken<A: Timed>(A, Spoil<A>);

impl<A: Timed> Variables for Broken<A> {
    type State = A::State;
    fn variables(&self, state: &mut A::State, visitor: &mut dyn Visitor) {
        self.0.variables(state, visitor);
    }
}

impl<A: Timed> Process for Broken<A> {
    type Message = A::Message;

    fn message_variables(&self, message: &mut A::Message, visitor: &mut dyn Visitor) {
        self.0.message_variables(message, visitor);
    }
    fn start(&self, me: usize) -> A::State {
        self.0.start(me)
    }
    fn ready(&self, state: &A::State, event: &Event<A::Message>) -> bool {
        self.0.ready(state, event)
    }
    fn on(
        &self,
        me: usize,
        s: &mut A::State,
        event: Event<A::Message>,
        out: &mut impl Outbox<A::Message>,
        coin: &mut impl Coin,
    ) {
        let mut sent = vec![];
        self.0.on(me, s, event.clone(), &mut sent, coin);
        (self.1)(me, s, &event, &mut sent);
        sent.into_iter().for_each(|(to, message)| out.send(to, message));
    }
    fn marks(&self, me: usize, state: &A::State) -> Marks {
        self.0.marks(me, state)
    }
}

impl<A: Timed> Timed for Broken<A> {
    fn timing(&self) -> Timing {
        self.0.timing()
    }
    fn size(&self) -> usize {
        self.0.size()
    }
    fn timeout(&self) -> u64 {
        self.0.timeout()
    }
    fn slot(&self, message: &A::Message) -> usize {
        self.0.slot(message)
    }
    fn leader(&self, me: usize, state: &A::State) -> usize {
        self.0.leader(me, state)
    }
    fn horizon(&self, worst: Worst) -> u64 {
        self.0.horizon(worst)
    }
}

/// How many of 40 runs do not settle, whole and broken.
fn unsettled<A: Timed + Entry + Clone>(size: usize, campaign: &Campaign, spoil: Spoil<A>) -> (usize, usize) {
    let whole = A::build(&Parameters::new(size)).unwrap();
    let broken = Broken(whole.clone(), spoil);
    let count = |settled: Vec<bool>| settled.into_iter().filter(|settled| !settled).count();
    let outcomes = campaign.all(&whole, 40, 2, |_| true);
    let worse = campaign.all(&broken, 40, 2, |_| true);
    let settled = |outcomes: Vec<(u64, ringleader_simulate::network::Settlement)>| {
        outcomes.into_iter().map(|(_, o)| o.settled.is_some()).collect()
    };
    (count(settled(outcomes)), count(settled(worse)))
}

fn in_system(system: SystemClass, crashes: usize) -> Campaign {
    Campaign { crashes, horizon: Some(3000), ..Campaign::new(Source::System(system), 11) }
}

#[test]
fn algorithm_1_with_leaders_that_follow_anyone() {
    // Leaders of which none gives in to the other, because none looks at the identities.
    let spoil: Spoil<s5::RobustS5> = |p, s, event, _| {
        if matches!(event, Event::Message { .. }) && s.leader != p {
            s.leader = p;
        }
    };
    let (whole, broken) = unsettled::<s5::RobustS5>(4, &in_system(SystemClass::S5, 1), spoil);
    assert!(whole == 0 && broken > 0, "{whole} {broken}");
}

#[test]
fn algorithm_2_without_telling_the_new_leader() {
    let spoil: Spoil<s4::RobustS4> = |_, _, _, out| out.retain(|(_, message)| !message.start);
    let (whole, broken) = unsettled::<s4::RobustS4>(5, &in_system(SystemClass::S4, 1), spoil);
    assert!(whole == 0 && broken > 0, "{whole} {broken}");
}

#[test]
fn the_overlay_without_relays() {
    let spoil: Spoil<s3::RobustS3> = |_, _, _, out| out.retain(|(_, m)| matches!(m, s3::Message::Alive(1, _)));
    let (whole, broken) = unsettled::<s3::RobustS3>(4, &in_system(SystemClass::S3, 1), spoil);
    assert!(whole == 0 && broken > 0, "{whole} {broken}");
}

#[test]
fn algorithm_3_deaf_to_accusations() {
    let spoil: Spoil<s2::RobustS2> = |p, s, event, _| match event {
        Event::Message { message, .. } if *message == s2::Message::accusation(s.phase[p]) => {
            s.counter[p] = s.counter[p].saturating_sub(1);
        }
        _ => {}
    };
    let campaign = Campaign { horizon: Some(3000), ..Campaign::new(Source::Adversary(Adversary::SlowSource), 11) };
    let (whole, broken) = unsettled::<s2::RobustS2>(5, &campaign, spoil);
    assert!(whole == 0 && broken > 0, "{whole} {broken}");
}

#[test]
fn a_one_level_algorithm_for_s1_against_the_mute() {
    let spoil: Spoil<s1::RobustS1> = |_, s, _, _| s.leader = (s.round % 5) as usize;
    let campaign = Campaign { horizon: Some(3000), ..Campaign::new(Source::Adversary(Adversary::Mute), 11) };
    let (whole, broken) = unsettled::<s1::RobustS1>(5, &campaign, spoil);
    assert!(whole == 0 && broken > 0, "{whole} {broken}");
}
