# A process reads all its neighbours and itself, and writes itself. `--graph` gives the graph.
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
