# A process with the colour of a neighbour draws a new colour.
protocol randomized-colouring
summary "Vertex colouring of a ring with three colours: in conflict, draw again"
claim "a proper colouring, for ever, with probability 1 against every daemon"
model ring
reads both
scheduler distributed
require n >= 3 "a ring of two has one edge twice"

state x : 0..2
shade x

first:
  1: x = left.x or x = right.x -> x := draw 0..2

goal (all i : x[i] != x[i - 1]) "neighbours have different colours"
safe = all i : x[i] != x[i - 1]
