//! Quantifiers over ranges of numbers, in rules of every model.

use ringleader_erased::{Instance, Parameters};
use ringleader_language::Source;
use ringleader_model::{Odometer, Place, Told, View};

fn instance(text: &str) -> Instance {
    let protocol = Source::parse("t.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    protocol.instance(&Parameters::new(3)).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// The quantifiers of a process against the same conditions written out.
#[test]
fn a_process_counts_numbers() {
    let head = "protocol t\nmodel ring\nreads both\nscheduler unfair\nstate x : 0..4\ngoal all i : x[i] = 0\nparameter k = 60\n";
    let free = "let free(v) = v != left.x and v != right.x\n";
    let pairs = [
        ("min(4, least v in 0..2 : free(v))", "if free(0) then 0 else if free(1) then 1 else 2"),
        (
            "count v in 0..3 : free(v)",
            "4 - (if left.x < 4 then 1 else 0) - (if right.x < 4 and right.x != left.x then 1 else 0)",
        ),
        ("if some v in left.x..right.x : v = x then 1 else 0", "if left.x <= x and x <= right.x then 1 else 0"),
        ("if all v in x..4 : free(v) then 1 else 0", "if left.x < x and right.x < x then 1 else 0"),
        ("if one v in 0..4 : not free(v) then 1 else 0", "if left.x = right.x then 1 else 0"),
        // A long range is a loop, a short one is written out.
        (
            "min(4, count v in 1..k : v <= x and free(v))",
            "x - (if left.x in 1..x then 1 else 0) - \
          (if right.x in 1..x and right.x != left.x then 1 else 0)",
        ),
    ];
    for (value, twin) in pairs {
        let make = |value: &str| instance(&format!("{head}{free}first:\n  1: x < 5 -> x := {value}\n"));
        let (Instance::Ring(a), Instance::Ring(b)) = (make(value), make(twin)) else { panic!("not a ring") };
        for at in 0..125 {
            let view = View { at: Place::Other, left: at % 5, own: at / 5 % 5, right: at / 25 };
            let after = |ring: &ringleader_erased::RingInstance| {
                let mut all = vec![];
                Odometer::each(|coin| all.push(ring.try_act(view, coin).unwrap_or_else(|wrong| panic!("{wrong}"))));
                all
            };
            assert_eq!(after(&a), after(&b), "{value} in {view:?}");
        }
    }
}

/// Two agents, guards, marks and named expressions.
#[test]
fn agents_that_meet_compare_numbers() {
    let text = "protocol t\nmodel population on complete\nstate x : 0..5\nlet divides(a, b) = some q in 0..5 : q * a = b\n\
                let big = count v in 1..5 : v <= x\nshow leader when big > 2\ngoal one leader\n\
                first:\n  1: l.x > 0 and divides(l.x, r.x) -> r.x := 0\n  2: l.big > r.big -> l.x := r.x\n";
    // A named expression with numbers as arguments.
    let Instance::Population(t) = instance(text) else { panic!("not a population") };
    for (u, v) in (0..36).map(|pair| (pair / 6, pair % 6)) {
        let mut after = vec![];
        Odometer::each(|coin| after.push(t.try_interact(u, v, Told::ALL[3], coin).unwrap()));
        let expected = match () {
            () if u > 0 && v % u == 0 => (u, 0),
            () if u > v => (v, v),
            () => (u, v),
        };
        assert_eq!(after, [expected], "{u} meets {v}");
        assert_eq!(t.marks_of(u).contains(ringleader_model::Marks::LEADER), u > 2);
    }
}

#[test]
fn a_message_is_compared_with_numbers() {
    let text = "protocol m\nmodel messages on unidirectional-ring\nidentities\nstate mode : {start, on, leader} = start\n\
                state id : 1..n = identity\nmessage m(id : 1..n)\nshow leader when mode = leader\n\
                on step when mode = start and (some v in 1..n : v = id): mode := on; send right m(id)\n\
                on m when mode = on:\n  1: (count v in 1..n : v < m.id and v >= id) > 0 -> send onward m(m.id)\n  \
                2: (least v in 1..n : v = m.id) = id -> mode := leader\n";
    Source::parse("m.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn a_rule_without_a_range_is_refused() {
    let head = "protocol t\nmodel ring\nstate x : bit\ngoal all i : x[i] = 0\n";
    let wrong = Source::parse("t", &format!("{head}first:\n  1: some j : x = 0 -> x := 1\n")).unwrap_err().to_string();
    assert!(wrong.contains("only the agents that take part") && wrong.contains("some v in 0..3"), "{wrong}");
    let text = format!("{head}require some v in 0..3 : v = n\nfirst:\n  1: x = 1 -> x := 0\n");
    let wrong = Source::parse("t", &text).unwrap_err().to_string();
    assert!(wrong.contains("no quantifier can be used here"), "{wrong}");
}
