//! A file to begin with.

use ringleader_erased::Kind;

/// A commented protocol that works, to be changed; `None` for a model that is not written as text.
///
/// ```
/// use ringleader_erased::Kind;
/// use ringleader_language::{Source, template};
/// for kind in [Kind::Population, Kind::Ring, Kind::Message] {
///     let text = template("my-protocol", kind).unwrap();
///     assert!(Source::parse("my-protocol.ring", &text).unwrap().warnings().is_empty());
/// }
/// ```
pub fn template(name: &str, kind: Kind) -> Option<String> {
    let text = match kind {
        Kind::Population => POPULATION,
        Kind::Ring => RING,
        Kind::Message => MESSAGE,
        Kind::Robust => return None,
    };
    Some(text.replace("NAME", name))
}

const POPULATION: &str = r#"# Agents meet in pairs and both change; on a directed ring l is the left one, the initiator.
protocol NAME
summary "two leaders that meet become one; who hears of none becomes one"
claim "self-stabilizing: from every configuration exactly one leader, for ever"
model population on complete    # or directed-ring, undirected-ring
oracle leader-detector    # l.hears: whether there is a leader; leave it out if nobody asks
supports n >= 2 "an interaction takes two"

# The variables of an agent: bit, a range such as 0..n - 1, or words such as {red, green}.
state leader : bit
show leader when leader    # what it shows: leader, token, bullet, shield, ...

# The first rule whose guard holds is applied. `in order:` applies all whose guards hold, one after the other.
first:
  1: l.leader and r.leader                         -> r.leader := 0
  2: not l.leader and not r.leader and not l.hears -> l.leader := 1

# What is promised, and from which configurations on it holds for ever.
goal one leader
safe = one i : leader[i]
"#;

const RING: &str = r#"# A process reads its left neighbour and itself, and writes itself.
protocol NAME
summary "the bottom process counts, the others copy"
claim "self-stabilizing: from every configuration exactly one process may move, for ever"
model ring    # or line
scheduler unfair
parameter k : 2..2^20 = n "how many states a process has"
require n >= 2 "a ring takes two"

# The variables of a process: bit, a range such as 0..n - 1, or words such as {red, green}.
state x : 0..k - 1
show token when enabled    # enabled: the guard of some rule holds

# The first rule whose guard holds is applied. `any:` lets the scheduler take any whose guard holds.
first:
  1: bottom and x = left.x      -> x := (x + 1) mod k
  2: not bottom and x != left.x -> x := left.x

# What is promised, and from which configurations on it holds for ever.
goal one token
safe = one i : enabled[i]
"#;

const MESSAGE: &str = r#"# Processes on a ring send messages to their neighbours, start clean and end.
protocol NAME
summary "the largest identity is the only one to come all the way around"
claim "terminates with the process of the largest identity as the only leader"
model messages on unidirectional-ring    # or bidirectional-ring
identities    # every process has one, from 1 to n; leave it out for anonymous rings

# The variables of a process, with the values it starts with.
state mode : {start, active, passive, leader} = start
state id : 1..n = identity
message m(id : 1..n)
show active when mode = active
show passive when mode = passive
show leader when mode = leader

# A step of its own accord.
on step when mode = start: mode := active; send right m(id)

# A message that no `on` takes waits; what no rule below it speaks of is dropped.
on m when mode in {active, passive}:
  1: m.id > id -> mode := passive; send onward m(m.id)
  2: m.id = id -> mode := leader
"#;
