//! What authors of algorithms may get wrong, and are told instead of being given numbers.

use ringleader_catalog::{Catalog, Instance};
use ringleader_erased::{Card, Entry, Kind, MessageInstance, Parameter, ParameterKind, Parameters, Refusal, Topology};
use ringleader_explore::{Failure, Options, Space};
use ringleader_model::{
    Coin, Event, Goal, LEFT, Marks, Network, Outbox, Process, RIGHT, Ring, Scheduler, Stabilizing, Terminating,
    Variables, View, Visitor,
};
use ringleader_simulate::{ElectionError, Elections};

/// Every process sends one message, of a value it counts up on the way.
struct Sends {
    size: usize,
    port: usize,
    most: u8,
}

const SLIP: Parameter = Parameter {
    name: "slip",
    meaning: "what is wrong",
    default: "nothing",
    kind: ParameterKind::Choice(&["nothing", "port", "domain"]),
};
const NOTE: Parameter = Parameter { name: "note", meaning: "", default: "none", kind: ParameterKind::Text };
const EAGER: Parameter = Parameter { name: "eager", meaning: "", default: "no", kind: ParameterKind::Switch };

impl Entry for Sends {
    const CARD: Card = Card {
        name: "my-sends",
        kind: Kind::Message,
        topology: Topology::UnidirectionalRing,
        parameters: &[SLIP, EAGER, NOTE],
        ..Card::BLANK
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let slip = p.word("slip").unwrap_or("nothing");
        Ok(Sends {
            size: p.size,
            port: if slip == "port" { 5 } else { RIGHT },
            most: if slip == "domain" { 0 } else { 1 },
        })
    }
}

impl Variables for Sends {
    type State = u8;
    fn variables(&self, sent: &mut u8, v: &mut dyn Visitor) {
        v.range("sent", 0, self.most.into(), sent);
    }
}

impl Process for Sends {
    type Message = u8;

    fn message_variables(&self, message: &mut u8, v: &mut dyn Visitor) {
        v.range("number", 0, 9, message);
    }

    fn start(&self, _: usize) -> u8 {
        0
    }

    fn ready(&self, sent: &u8, event: &Event<u8>) -> bool {
        match event {
            Event::Step => *sent == 0,
            Event::Message { from, .. } => *from == LEFT,
            Event::Tick => false,
        }
    }

    fn on(&self, _: usize, sent: &mut u8, event: Event<u8>, out: &mut impl Outbox<u8>, _: &mut impl Coin) {
        if event == Event::Step {
            *sent = 1;
            out.send(self.port, 7);
        }
    }

    fn marks(&self, _: usize, _: &u8) -> Marks {
        Marks::NONE
    }
}

impl Terminating for Sends {
    fn network(&self) -> Network {
        Network::Ring(self.size)
    }
}

/// Counts up whoever agrees with his left neighbour, one further than declared.
struct Counts;

impl Entry for Counts {
    const CARD: Card = Card { name: "my-counts", kind: Kind::Ring, ..Card::BLANK };
    fn build(_: &Parameters) -> Result<Self, Refusal> {
        Ok(Counts)
    }
}

impl Variables for Counts {
    type State = u8;
    fn variables(&self, state: &mut u8, v: &mut dyn Visitor) {
        v.range("v", 0, 2, state);
    }
}

impl Ring for Counts {
    fn act(&self, view: View<u8>, _: &mut impl Coin) -> u8 {
        view.own + u8::from(view.own == view.left)
    }

    fn marks(&self, _: View<u8>) -> Marks {
        Marks::NONE
    }
}

impl Stabilizing for Counts {
    fn goal(&self) -> Goal {
        Goal::Agreement
    }

    fn correct(&self, _: &[u8]) -> bool {
        false
    }
}

fn catalog() -> Catalog {
    Catalog::empty().message::<Sends>().ring::<Counts>()
}

fn refused(parameters: &Parameters) -> String {
    catalog().instance("my-sends", parameters).expect_err("a slip").to_string()
}

#[test]
fn message_passing_is_tried() {
    let at = |slip: &str| Parameters::new(3).with("slip", slip);
    assert!(catalog().instance("my-sends", &at("nothing")).is_ok());
    assert_eq!(refused(&at("port")), "process 0 sends through port 5, and has only ports 0 to 1");
    assert_eq!(refused(&at("domain")), "process 0 writes sent = 1, which is outside 0..0");
}

/// Also where nobody has tried it before.
#[test]
fn exploring_finds_every_slip() {
    let explore = |sends: Sends| Space::explore(&MessageInstance::new(sends), &Options::default(), &mut |_| true).err();
    assert_eq!(explore(Sends { size: 3, port: RIGHT, most: 1 }), None);
    assert_eq!(explore(Sends { size: 3, port: 5, most: 1 }), Some(Failure::NoPort { port: 5, ports: 2 }));
    assert!(matches!(explore(Sends { size: 3, port: RIGHT, most: 0 }), Some(Failure::OutOfDomain(_))));
    assert_eq!(explore(Sends { size: 0, port: RIGHT, most: 1 }), Some(Failure::Nobody));
}

#[test]
fn parameters_are_what_the_card_says() {
    assert_eq!(
        refused(&Parameters::new(3).with("slip", "none")),
        "slip must be nothing or port or domain, not \"none\""
    );
    assert_eq!(refused(&Parameters::new(3).with("eager", "maybe")), "eager must be no or yes, not \"maybe\"");
    assert_eq!(refused(&Parameters::new(0)), "size must be at least 1, not \"0\"");
    let alone = catalog().instance("my-counts", &Parameters::new(1)).expect_err("no ring");
    assert_eq!(alone.to_string(), "size must be at least 2, not \"1\"");
    let spaced = refused(&Parameters::new(3).with("note", "two words"));
    assert_eq!(spaced, "note must be one word, as files have it, not \"two words\"");
    assert!(catalog().instance("my-sends", &Parameters::new(3).with("eager", "yes")).is_ok());
}

#[test]
fn names_are_words() {
    let check =
        |name, parameters| Card { name, parameters, ..Card::BLANK }.check().map_err(|refusal| refusal.to_string());
    assert_eq!(check("my-sends", &[SLIP, EAGER, NOTE]), Ok(()));
    for name in ["", "my own", "--help", "a=b"] {
        assert!(check(name, &[]).is_err(), "{name:?}");
    }
    const LAYERS: Parameter = Parameter { name: "layers", ..NOTE };
    const SPACED: Parameter = Parameter { name: "my number", ..NOTE };
    const NOTHING: Parameter = Parameter { kind: ParameterKind::Choice(&[]), ..NOTE };
    const COLOURS: Parameter = Parameter { kind: ParameterKind::Choice(&["red", "dark red"]), ..NOTE };
    for wrong in [&[LAYERS][..], &[SPACED], &[NOTE, NOTE], &[NOTHING], &[COLOURS]] {
        assert!(check("my-sends", wrong).is_err(), "{wrong:?}");
    }
}

/// The card says one thing, the algorithm is another.
#[test]
fn cards_are_compared_with_what_they_are_about() {
    struct Other;
    impl Entry for Other {
        const CARD: Card = Card { name: "my-counts", kind: Kind::Ring, topology: Topology::Line, ..Card::BLANK };
        fn build(_: &Parameters) -> Result<Self, Refusal> {
            Ok(Other)
        }
    }
    impl Variables for Other {
        type State = u8;
        fn variables(&self, state: &mut u8, v: &mut dyn Visitor) {
            Counts.variables(state, v);
        }
    }
    impl Ring for Other {
        fn act(&self, view: View<u8>, _: &mut impl Coin) -> u8 {
            view.own
        }
        fn marks(&self, _: View<u8>) -> Marks {
            Marks::NONE
        }
    }
    impl Stabilizing for Other {
        fn goal(&self) -> Goal {
            Goal::Agreement
        }
        fn correct(&self, _: &[u8]) -> bool {
            true
        }
    }
    let refusal = Catalog::empty().ring::<Other>().instance("my-counts", &Parameters::new(3)).expect_err("a ring");
    assert_eq!(refusal.to_string(), "the card of my-counts says that it is a line, and it is a ring");
    assert!(catalog().instance("my-counts", &Parameters::new(3)).is_ok());
}

/// As `check` does; see its tests.
#[test]
fn simulations_of_rings_keep_to_the_domain() {
    let Ok(Instance::Ring(counts)) = catalog().instance("my-counts", &Parameters::new(3)) else { panic!("a ring") };
    let error = Elections::ring(counts, 3, Scheduler::Random).map(drop).expect_err("it leaves its domain");
    assert!(matches!(error, ElectionError::LeavesDomain(_)));
    assert_eq!(error.to_string(), "the rule, applied to (v=2), (v=2), writes v = 3, which is outside 0..2");
}
