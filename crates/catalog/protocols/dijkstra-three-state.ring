# The top reads the bottom too: the line becomes a ring.
protocol dijkstra-three-state
summary "Dijkstra's three-state ring: the top reads the bottom"
citation "E. W. Dijkstra: Self-stabilizing systems in spite of distributed control, Communications of the ACM 17(11), 1974"
claim "self-stabilizing: from every configuration exactly one rule may be applied, for ever;"
      "tried exhaustively for n = 2 to 8"
knowledge "which processes are bottom and top: 0 and n - 1"
assumes "unfair"
size 8
model ring
reads both
scheduler unfair
require n >= 2 "a ring takes two"

state x : 0..2
shade x

let own = (x + 1) mod 3
let low = bottom and own = right.x
let high = top and not bottom and left.x = right.x and (left.x + 1) mod 3 != x
let from_left = not bottom and not top and own = left.x
let from_right = not bottom and not top and own = right.x
show token when enabled

any:
  1: low        -> x := (x - 1) mod 3
  2: high       -> x := (left.x + 1) mod 3
  3: from_left  -> x := left.x
  4: from_right -> x := right.x

goal (count i : low[i]) + (count i : high[i]) + (count i : from_left[i]) + (count i : from_right[i]) = 1
      "exactly one rule may be applied, for ever"
safe = (count i : low[i]) + (count i : high[i]) + (count i : from_left[i]) + (count i : from_right[i]) = 1
recurring service = enabled[i]
