//! Partitions of the local states that the rules respect.

use ringleader_erased::RuleTable;
use ringleader_model::Interner;
use std::collections::HashMap;

/// A partition needs at most this many comparisons of cells; larger tables are not partitioned.
const MOST_WORK: u64 = 1 << 28;

/// Rules and marks that a partition must respect.
#[derive(Clone, Debug)]
pub struct Rules<'a> {
    /// The compiled rules.
    pub tables: &'a [RuleTable],
    /// Whether the contexts of the tables are states.
    pub reads_states: bool,
    /// Marks by the states of an agent and its neighbours, in the order of a table's cells.
    pub marks: Vec<&'a [bool]>,
}

/// The local states in classes. Classes are numbered by their least states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The class of every state.
    pub class: Vec<u32>,
    /// The least state of every class.
    pub of: Vec<u32>,
    /// The number of states in every class.
    pub sizes: Vec<u64>,
}

impl Partition {
    /// States with equal keys are in one class.
    pub fn by_key<K: Eq + std::hash::Hash>(keys: impl IntoIterator<Item = K>) -> Partition {
        let (mut known, mut partition) = (HashMap::new(), Partition { class: vec![], of: vec![], sizes: vec![] });
        for (state, key) in keys.into_iter().enumerate() {
            let class = *known.entry(key).or_insert(partition.of.len());
            if class == partition.of.len() {
                partition.of.push(state as u32);
                partition.sizes.push(0);
            }
            partition.sizes[class] += 1;
            partition.class.push(class as u32);
        }
        partition
    }

    /// The coarsest partition that respects the rules and separates states with different `keys`; `None` if finding it
    /// takes too long, or once `keep_going` returns `false` for the number of classes so far, which only grows.
    pub fn coarsest(keys: &[u64], rules: &Rules<'_>, keep_going: &dyn Fn(usize) -> bool) -> Option<Partition> {
        let mut partition = Partition::by_key(keys);
        let cells: u64 = rules.tables.iter().map(|table| table.changes().len() as u64).sum();
        let mut work = 0;
        loop {
            work += cells.max(1);
            if work > MOST_WORK || !keep_going(partition.classes()) {
                return None;
            }
            let finer = partition.split(rules);
            if finer.of.len() == partition.of.len() {
                break;
            }
            partition = finer;
        }
        // States were compared by hashes of their rows. Equal hashes of different rows are found here.
        partition.is_congruence(rules).then_some(partition)
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.of.len()
    }

    /// The classes to which a cell of a table leads, with their weights.
    fn outcomes(&self, table: &RuleTable, [context, left, right]: [u32; 3], into: &mut Vec<(u32, u32, u32)>) {
        into.clear();
        for change in &table.changes()[table.cell(context as usize, left, right)] {
            let [left, right] = [change.left, change.right].map(|state| self.class[usize::from(state)]);
            match into.iter_mut().find(|known| (known.0, known.1) == (left, right)) {
                Some(known) => known.2 += change.weight,
                None => into.push((left, right, change.weight)),
            }
        }
        into.sort_unstable();
    }

    /// Splits every class into states whose rows agree: as the left agent, as the right one, and as a context.
    fn split(&self, rules: &Rules<'_>) -> Partition {
        let states = self.class.len();
        let mut seen = vec![[0_u128; 3]; states];
        let (mut known, mut outcomes) = (Interner::<Vec<(u32, u32, u32)>>::default(), vec![]);
        let mut see = |contexts: usize, cell: &mut dyn FnMut([u32; 3]) -> u128| {
            for context in 0..contexts as u32 {
                for (left, right) in (0..states).flat_map(|left| (0..states).map(move |right| (left, right))) {
                    let number = cell([context, left as u32, right as u32]);
                    mix(&mut seen[left][0], number);
                    mix(&mut seen[right][1], number);
                    if rules.reads_states {
                        mix(&mut seen[context as usize][2], number);
                    }
                }
            }
        };
        for table in rules.tables {
            see(table.contexts(), &mut |cell| {
                self.outcomes(table, cell, &mut outcomes);
                known.number_of(&outcomes[..]).into()
            });
        }
        for marks in &rules.marks {
            let contexts = marks.len() / (states * states);
            see(contexts, &mut |cell| u128::from(marks[index(cell, states)]));
        }
        Partition::by_key(self.class.iter().zip(seen))
    }

    /// Whether states of one class are interchangeable for the rules and marks: every cell leads to the same classes, with
    /// the same weights, as the cell of the classes' least states.
    pub fn is_congruence(&self, rules: &Rules<'_>) -> bool {
        let states = self.class.len();
        let least = |state: u32| self.of[self.class[state as usize] as usize];
        let (mut here, mut there) = (vec![], vec![]);
        let agree = |contexts: usize, same: &mut dyn FnMut([u32; 3], [u32; 3]) -> bool| {
            (0..contexts as u32).all(|context| {
                let other = if rules.reads_states { least(context) } else { context };
                let pairs = (0..states as u32).flat_map(|left| (0..states as u32).map(move |right| (left, right)));
                pairs.into_iter().all(|(left, right)| same([context, left, right], [other, least(left), least(right)]))
            })
        };
        rules.tables.iter().all(|table| {
            agree(table.contexts(), &mut |cell, other| {
                self.outcomes(table, cell, &mut here);
                self.outcomes(table, other, &mut there);
                here == there
            })
        }) && rules.marks.iter().all(|marks| {
            agree(marks.len() / (states * states), &mut |cell, other| {
                marks[index(cell, states)] == marks[index(other, states)]
            })
        })
    }
}

/// The place of a cell in a list of marks.
fn index([context, left, right]: [u32; 3], states: usize) -> usize {
    (context as usize * states + left as usize) * states + right as usize
}

/// Appends a number to a hash.
fn mix(hash: &mut u128, number: u128) {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    *hash = (*hash ^ number).wrapping_add(1).wrapping_mul(ODD);
    *hash ^= *hash >> 67;
}
