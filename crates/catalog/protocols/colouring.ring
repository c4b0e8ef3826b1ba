# A process with the colour of a neighbour takes the least colour that no neighbour has.
protocol colouring
summary "a proper colouring with one colour more than the largest degree"
citation "S. Ghosh, M. H. Karaata: A self-stabilizing algorithm for coloring planar graphs, Distributed Computing 7, 1993; here"
         "without orientation, the greedy rule"
claim "self-stabilizing under a daemon that chooses one process at a time: neighbours have different colours, silent;"
      "neighbours that step together can take the same colour for ever; at most n - 1 steps on connected graphs of 2 to 5 processes"
assumes "unfair"
knowledge "the largest degree"
states "the largest degree plus 1"
law n * log(n) "measured on rings of 128 to 8192 processes: about 0.5 n log n steps"
size 4
model graph
scheduler unfair

state c : 0..max_degree
shade c
let clash = some j : c[j] = c

first:
  1: clash -> c := min(max_degree, least v in 0..degree : not (some j : c[j] = v))

goal all i : not clash[i] "neighbours have different colours"
safe = all i : not clash[i]
