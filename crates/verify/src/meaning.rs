//! What a formula's names stand for: formulas become nodes that speak of single states only.

use crate::{Formula, Place, Rules, State, Window};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A subformula; operands are numbers of earlier nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Constant(bool),
    Place(Place),
    /// The agent's state is one of these.
    Own(BTreeSet<State>),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Left(usize),
    Right(usize),
    Since(usize, usize),
    Until(usize, usize),
}

/// Formulas with all their subformulas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) nodes: Vec<Node>,
    /// The formulas themselves.
    pub(crate) roots: Vec<usize>,
}

impl Nodes {
    pub(crate) fn new<'a>(rules: &Rules, formulas: impl IntoIterator<Item = &'a Formula>) -> Result<Nodes, String> {
        let mut nodes = Nodes::default();
        for formula in formulas {
            let root = nodes.formula(rules, formula)?;
            nodes.roots.push(root);
        }
        match (nodes.nodes.len(), nodes.roots.len()) {
            (0..=128, 0..=64) => Ok(nodes),
            (n, m) => Err(format!("{m} formulas with {n} different parts; 64 with 128 can be handled")),
        }
    }

    fn node(&mut self, node: Node) -> usize {
        self.nodes.iter().position(|n| *n == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn formula(&mut self, rules: &Rules, formula: &Formula) -> Result<usize, String> {
        let mut two = |make: fn(usize, usize) -> Node, a: &Formula, b: &Formula| {
            let (a, b) = (self.formula(rules, a)?, self.formula(rules, b)?);
            Ok(self.node(make(a, b)))
        };
        match formula {
            Formula::And(a, b) => return two(Node::And, a, b),
            Formula::Or(a, b) => return two(Node::Or, a, b),
            Formula::Since(a, b) => return two(Node::Since, a, b),
            Formula::Until(a, b) => return two(Node::Until, a, b),
            _ => {}
        }
        let mut one = |make: fn(usize) -> Node, a: &Formula| {
            let a = self.formula(rules, a)?;
            Ok(self.node(make(a)))
        };
        match formula {
            Formula::Not(a) => one(Node::Not, a),
            Formula::Left(a) => one(Node::Left, a),
            Formula::Right(a) => one(Node::Right, a),
            Formula::Constant(c) => Ok(self.node(Node::Constant(*c))),
            Formula::Value(v, k) => self.value(rules, v, *k),
            Formula::Ahead(v, k) => self.ahead(rules, v, *k),
            Formula::Name(name) => self.name(rules, name),
            _ => unreachable!("the others have two operands"),
        }
    }

    fn value(&mut self, rules: &Rules, name: &str, k: u8) -> Result<usize, String> {
        let v = rules.variables.iter().find(|v| v.name == name).ok_or_else(|| format!("no variable `{name}`"))?;
        if k >= v.size {
            return Err(format!("`{name}` takes values below {}, not {k}", v.size));
        }
        let own = (0..v.values.len()).filter(|&s| v.values[s] == k).map(|s| s as State).collect();
        Ok(self.node(Node::Own(own)))
    }

    fn ahead(&mut self, rules: &Rules, name: &str, k: u8) -> Result<usize, String> {
        let size = rules.variables.iter().find(|v| v.name == name).map_or(0, |v| v.size);
        if size > 0 && k >= size {
            return Err(format!("differences of `{name}` are below {size}, not {k}"));
        }
        let mut any = self.node(Node::Constant(false));
        for left in 0..size.max(1) {
            let behind = self.value(rules, name, left)?;
            let own = self.value(rules, name, ((u16::from(left) + u16::from(k)) % u16::from(size)) as u8)?;
            let left = self.node(Node::Left(behind));
            let both = self.node(Node::And(own, left));
            any = self.node(Node::Or(any, both));
        }
        Ok(any)
    }

    fn name(&mut self, rules: &Rules, name: &str) -> Result<usize, String> {
        match name {
            "root" => return Ok(self.node(Node::Place(Place::Bottom))),
            "top" => return Ok(self.node(Node::Place(Place::Top))),
            _ => {}
        }
        if let Some(v) = rules.variables.iter().find(|v| v.name == name) {
            return if v.size == 2 {
                self.value(rules, name, 1)
            } else {
                Err(format!("`{name}` is not Boolean; ask for a value, as in `{name}=1`"))
            };
        }
        if let Some(mark) = rules.marks.iter().find(|m| m.name == name) {
            return Ok(self.windows(mark.windows.iter().copied()));
        }
        let rule = rules.rules.iter().position(|r| r == name);
        let rule = rule.ok_or_else(|| format!("no variable, mark or rule `{name}`"))?;
        let moves = || rules.moves.iter().filter(|m| m.rule == rule);
        if moves().any(|m| m.seen.is_some()) {
            return Err(format!(
                "whether `{name}` is enabled depends on the detector, and cannot be said of one agent"
            ));
        }
        Ok(self.windows(moves().map(|m| Window {
            place: m.place,
            left: m.left.map(|c| c.before),
            own: Some(m.own.before),
            right: m.right.map(|c| c.before),
        })))
    }

    /// Any of the windows; they are gathered into few products of sets first.
    fn windows(&mut self, windows: impl Iterator<Item = Window>) -> usize {
        let mut places: BTreeMap<_, BTreeSet<Place>> = BTreeMap::new();
        for w in windows {
            let place = w.place.map_or(Place::ALL.to_vec(), |p| vec![p]);
            places.entry((w.left, w.own, w.right)).or_default().extend(place);
        }
        let mut owns: BTreeMap<_, Set> = BTreeMap::new();
        for ((left, own, right), place) in places {
            add(owns.entry((place, left, right)), own);
        }
        let mut lefts: BTreeMap<_, Set> = BTreeMap::new();
        for ((place, left, right), own) in owns {
            add(lefts.entry((place, own, right)), left);
        }
        let mut rights: BTreeMap<_, Set> = BTreeMap::new();
        for ((place, own, right), left) in lefts {
            add(rights.entry((place, own, left)), right);
        }
        let mut any = self.node(Node::Constant(false));
        for ((place, own, left), right) in rights {
            let mut all = self.node(Node::Constant(true));
            for absent in Place::ALL.into_iter().filter(|p| !place.contains(p)) {
                let there = self.node(Node::Place(absent));
                let elsewhere = self.node(Node::Not(there));
                all = self.node(Node::And(all, elsewhere));
            }
            let sets = [(own, None), (left, Some(Node::Left as fn(usize) -> Node)), (right, Some(Node::Right))];
            for (set, at) in sets {
                if let Some(set) = set {
                    let node = self.node(Node::Own(set));
                    let node = at.map_or(node, |at| self.node(at(node)));
                    all = self.node(Node::And(all, node));
                }
            }
            any = self.node(Node::Or(any, all));
        }
        any
    }
}

/// Some states, or all of them.
type Set = Option<BTreeSet<State>>;

fn add<K: Ord>(entry: Entry<'_, K, Set>, state: Option<State>) {
    let set = entry.or_insert(Some(BTreeSet::new()));
    match state {
        None => *set = None,
        Some(s) => set.iter_mut().for_each(|set| _ = set.insert(s)),
    }
}
