//! Random conditions: one that is said to name no place has the same value on all rotations of a configuration and, off the
//! ring, on all its permutations.

use ringleader_erased::Topology;
use ringleader_language::Terms;
use ringleader_model::Described;

const SIZE: usize = 4;

struct Writer(u64);

impl Writer {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % n
    }

    /// A new bound name, and a text in which it may occur.
    fn over(
        &mut self,
        quantifier: &str,
        names: &[String],
        depth: u64,
        body: fn(&mut Writer, &[String], u64) -> String,
    ) -> String {
        let name = format!("v{}", names.len());
        let inside: Vec<String> = names.iter().chain([&name]).cloned().collect();
        let range =
            if self.below(5) == 0 { format!(" in {}..{}", self.below(2), 2 + self.below(2)) } else { String::new() };
        format!("({quantifier} {name}{range} : {})", body(self, &inside, depth - 1))
    }

    fn condition(&mut self, names: &[String], depth: u64) -> String {
        if depth == 0 {
            return self.atom(names);
        }
        match self.below(9) {
            0..4 => {
                let quantifier = ["all", "some", "one"][self.below(3) as usize];
                self.over(quantifier, names, depth, Writer::condition)
            }
            4 => {
                let connective = ["and", "or", "=>"][self.below(3) as usize];
                format!("({} {connective} {})", self.condition(names, depth - 1), self.condition(names, depth - 1))
            }
            5..8 => {
                let relation = ["=", "!=", "<"][self.below(3) as usize];
                format!("({} {relation} {})", self.number(names, depth - 1), self.number(names, depth - 1))
            }
            _ => self.atom(names),
        }
    }

    fn atom(&mut self, names: &[String]) -> String {
        format!("x[{}] = {}", self.place(names), self.below(2))
    }

    fn number(&mut self, names: &[String], depth: u64) -> String {
        match self.below(if depth == 0 { 3 } else { 10 }) {
            0 => self.below(3).to_string(),
            1 => format!("x[{}]", self.place(names)),
            2 => self.place(names),
            3..6 => {
                let quantifier = ["least", "count"][self.below(2) as usize];
                self.over(quantifier, names, depth, Writer::condition)
            }
            6 => {
                let quantifier = ["min", "max"][self.below(2) as usize];
                self.over(quantifier, names, depth, Writer::number)
            }
            7 => format!("({} + {})", self.number(names, depth - 1), self.number(names, depth - 1)),
            8 => format!("({} - {})", self.place(names), self.place(names)),
            _ => format!("(({} - {}) mod n)", self.place(names), self.place(names)),
        }
    }

    fn place(&mut self, names: &[String]) -> String {
        match (self.below(6), names.is_empty()) {
            (0, _) | (_, true) => self.below(SIZE as u64).to_string(),
            (1, _) => format!("{} + {}", self.name(names), self.name(names)),
            (2, _) => format!("{} + 1", self.name(names)),
            _ => self.name(names),
        }
    }

    fn name(&mut self, names: &[String]) -> String {
        names[self.below(names.len() as u64) as usize].clone()
    }
}

#[test]
fn a_condition_that_names_no_place_has_none() {
    let x = Described { name: "x".into(), low: 0, high: 1, words: vec![] };
    let mut seen = [[0; 2]; 2];
    for seed in 0..6000 {
        let ring = seed % 2 == 0;
        let topology = if ring { Topology::DirectedRing } else { Topology::Complete };
        let terms = Terms::new(SIZE, std::slice::from_ref(&x), &[], &[], &[]).on(topology);
        let mut writer = Writer(seed);
        (0..8).for_each(|_| _ = writer.below(2));
        let text = writer.condition(&[], 3);
        let Ok(condition) = terms.condition("t", &text) else { continue };
        let holds = |digits: &[u64]| {
            let states: Vec<_> = digits.iter().map(|&digit| condition.pack(&[digit])).collect();
            condition.holds(&states, &|_| false)
        };
        let all = (0..1_u64 << SIZE).map(|bits| (0..SIZE).map(|i| bits >> i & 1).collect::<Vec<_>>());
        let moved = |digits: &Vec<u64>| {
            let (mut turned, mut swapped) = (digits.clone(), digits.clone());
            turned.rotate_left(1);
            swapped.swap(0, 1);
            holds(&turned) == holds(digits) && (ring || holds(&swapped) == holds(digits))
        };
        let alike = all.clone().all(|digits| moved(&digits));
        assert!(condition.names_places() || alike, "{topology:?}: {text}");
        let varies = all.clone().any(|digits| holds(&digits)) && !all.clone().all(|digits| holds(&digits));
        seen[usize::from(ring)][usize::from(condition.names_places())] += u32::from(varies);
    }
    assert!(seen.as_flattened().iter().all(|&count| count > 100), "{seen:?}");
}
