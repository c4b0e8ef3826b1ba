//! Template files for new protocols.

use ringleader_erased::Kind;

/// A commented, working protocol as a starting point; `None` for a model without a text form.
///
/// ```
/// use ringleader_erased::Kind;
/// use ringleader_language::{Source, template};
/// for kind in [Kind::Population, Kind::Ring, Kind::Graph, Kind::Message] {
///     let text = template("my-protocol", kind).unwrap();
///     assert!(Source::parse("my-protocol.ring", &text).unwrap().warnings().is_empty());
/// }
/// ```
pub fn template(name: &str, kind: Kind) -> Option<String> {
    let text = match kind {
        Kind::Population => POPULATION,
        Kind::Ring => RING,
        Kind::Graph => GRAPH,
        Kind::Message => MESSAGE,
        Kind::Robust => return None,
    };
    Some(text.replace("NAME", name))
}

const POPULATION: &str = r#"# Two agents meet and both may change. l is the initiator; on a directed ring it is the left agent.
protocol NAME
summary "when two leaders meet, one resigns; an agent that hears of no leader becomes one"
claim "self-stabilizing: from every configuration exactly one leader forever"
model population on complete    # or directed-ring, undirected-ring
oracle leader-detector    # l.hears: whether there is a leader; remove this line if no rule uses it
supports n >= 2 "an interaction needs two agents"

# The variables of an agent: bit, a range such as 0..n - 1, or words such as {red, green}.
state leader : bit
show leader when leader    # the mark that it shows: leader, token, bullet, shield, ...

# The first rule whose guard holds is applied. `in order:` applies all rules whose guards hold, one after the other.
first:
  1: l.leader and r.leader                         -> r.leader := 0
  2: not l.leader and not r.leader and not l.hears -> l.leader := 1

# The goal, and the configurations from which it holds forever.
goal one leader
safe = one i : leader[i]
"#;

const RING: &str = r#"# A process reads its left neighbour and itself, and writes itself.
protocol NAME
summary "the bottom process counts, the others copy"
claim "self-stabilizing: from every configuration exactly one process is enabled forever"
model ring    # or line
scheduler unfair
parameter k : 2..2^20 = n "the number of states of a process"
require n >= 2 "a ring needs two processes"

# The variables of a process: bit, a range such as 0..n - 1, or words such as {red, green}.
state x : 0..k - 1
show token when enabled    # enabled: the guard of some rule holds

# The first rule whose guard holds is applied. With `any:` the scheduler chooses among the enabled rules.
first:
  1: bottom and x = left.x      -> x := (x + 1) mod k
  2: not bottom and x != left.x -> x := left.x

# The goal, and the configurations from which it holds forever.
goal one token
safe = one i : enabled[i]
"#;

const GRAPH: &str = r#"# A process reads all its neighbours and itself, and writes itself. `--graph` gives the graph.
protocol NAME
summary "a process joins if no neighbour is in the set, and leaves if one is"
claim "self-stabilizing: from every configuration a maximal independent set, under a daemon that chooses one process at a time"
model graph
scheduler unfair

# The variables of a process: bit, a range such as 0..max_degree, words such as {red, green}, or `neighbour or none`.
state inside : bit

# A condition on a process and its neighbours. `all j :`, `some j :`, `count j :`, `min j :`, `max j :` go over its neighbours.
let beside = some j : inside[j]

# The scheduler chooses among the enabled rules. `for some j : x[j] = 0 -> p := j` lets it choose a neighbour, too.
any:
  1: not inside and not beside -> inside := 1
  2: inside and beside         -> inside := 0

# The goal: `beside[i]` is the condition on process i.
goal all i : inside[i] != beside[i] "a maximal independent set"
"#;

const MESSAGE: &str = r#"# Processes on a ring start in fixed initial states, send messages to their neighbours, and terminate.
protocol NAME
summary "only the largest identity travels around the whole ring"
claim "terminates with the process of the largest identity as the only leader"
model messages on unidirectional-ring    # or bidirectional-ring
identities    # every process has one, from 1 to n; remove this line for anonymous rings

# The variables of a process, with their initial values.
state mode : {start, active, passive, leader} = start
state id : 1..n = identity
message m(id : 1..n)
show active when mode = active
show passive when mode = passive
show leader when mode = leader

# A step without a message.
on step when mode = start: mode := active; send right m(id)

# A message that no `on` accepts waits in its channel. A message that is accepted and matches no rule is dropped.
on m when mode in {active, passive}:
  1: m.id > id -> mode := passive; send onward m(m.id)
  2: m.id = id -> mode := leader
"#;
