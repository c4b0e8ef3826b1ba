//! The configuration text form: what it reads, where it says an error is, and that nothing makes it panic.

use ringleader_model::text::{Document, parse_state};
use ringleader_model::{ParseError, Variables, Visitor};

/// Every kind of variable there is.
struct Sample;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct State {
    on: bool,
    level: u8,
    colour: u8,
    cells: [u64; 2],
}

impl Variables for Sample {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.bit("on", &mut s.on);
        v.range("level", 1, 9, &mut s.level);
        v.symbol("colour", &["red", "green"], &mut s.colour);
        for (i, cell) in s.cells.iter_mut().enumerate() {
            v.word(("cell", i), cell);
        }
    }
}

const GOOD: &str = "\
# two agents
ringleader configuration 1
algorithm sample
size 2

parameter bound 3
agent 0: on=1 level=9 colour=green cell[0]=0 cell[1]=18446744073709551615
  agent 1:   cell[1]=4 cell[0]=7 colour=red level=1 on=0
";

fn read(text: &str) -> Result<Vec<State>, ParseError> {
    Document::parse(text)?.states(&Sample)
}

#[test]
fn variables_come_in_any_order() {
    let states = read(GOOD).expect("a good file");
    assert_eq!(states[0], State { on: true, level: 9, colour: 1, cells: [0, u64::MAX] });
    assert_eq!(states[1], State { on: false, level: 1, colour: 0, cells: [7, 4] });
}

/// Each mistake, where it is reported, and a word of the message.
#[test]
fn errors_name_line_and_column() {
    let cases = [
        ("", (1, 1), "empty"),
        ("ringleader configuration 2\n", (1, 1), "configuration 1"),
        (&GOOD.replace("size 2", "size two"), (4, 6), "size"),
        (&GOOD.replace("size 2", "size 3"), (9, 1), "there are 2 agents"),
        (&GOOD.replace("size 2\n", "size 2\nsize 2\n"), (5, 1), "twice"),
        (&GOOD.replace("parameter bound 3", "paremeter bound 3"), (6, 1), "paremeter"),
        (&GOOD.replace("agent 1", "agent 2"), (8, 9), "agent 1"),
        (&GOOD.replace("algorithm sample\n", ""), (8, 1), "algorithm"),
        (&GOOD.replace("level=9", "level=10"), (7, 21), "1..9"),
        (&GOOD.replace("level=1", "level=x"), (8, 51), "1..9"),
        (&GOOD.replace("green", "blue"), (7, 30), "red, green"),
        (&GOOD.replace("on=1 ", ""), (7, 69), "on is missing"),
        (&GOOD.replace("on=1 ", "on=1 on=1 "), (7, 15), "twice"),
        (&GOOD.replace("on=1 ", "on=1 off=1 "), (7, 15), "no variable is called"),
        (&GOOD.replace("on=1 ", "on "), (7, 10), "name=value"),
    ];
    for (text, position, word) in cases {
        let error = read(text).expect_err(text);
        assert_eq!((error.line, error.column), position, "{error}\n{text}");
        assert!(error.message.contains(word), "{error}");
    }
}

#[test]
fn a_state_alone_is_read_at_its_place() {
    let error = parse_state(&Sample, "on=3", 5, 20).expect_err("out of range");
    assert_eq!((error.line, error.column), (5, 23));
}

/// 100,000 mutations of a good file: an answer or an error, never a panic, and an answer reads back.
#[test]
fn no_mutation_makes_it_panic() {
    let mut word = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |n: usize| {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        (word % n as u64) as usize
    };
    let spice: Vec<char> = "\n :=#[]0129agent size-é\u{0}\t".chars().collect();
    let mut read_back = 0;
    for _ in 0..100_000 {
        let mut text: Vec<char> = GOOD.chars().collect();
        for _ in 0..=next(4) {
            let (at, to) = (next(text.len()), next(text.len()));
            match next(4) {
                0 => text[at] = spice[next(spice.len())],
                1 => text.insert(at, spice[next(spice.len())]),
                2 => drop(text.drain(at.min(to)..at.max(to))),
                _ => text.swap(at, to),
            }
            if text.is_empty() {
                break;
            }
        }
        let text: String = text.into_iter().collect();
        if let (Ok(document), Ok(states)) = (Document::parse(&text), read(&text)) {
            let printed = Document::new(&document.algorithm, &Sample, document.parameters.clone(), &states).print();
            assert_eq!(read(&printed), Ok(states), "{text}");
            read_back += 1;
        }
    }
    assert!(read_back > 1000, "most mutations should not break everything: {read_back}");
}
