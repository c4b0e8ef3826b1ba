# The first self-stabilizing algorithm: the bottom process counts, all others copy.
protocol dijkstra-k-state
summary "Dijkstra's K-state token ring: the bottom process counts, the others copy"
citation "E. W. Dijkstra: Self-stabilizing systems in spite of distributed control, Communications of the ACM 17(11), 1974"
claim "self-stabilizing: from every configuration exactly one process may move, for ever;"
      "tried exhaustively for n = 2 to 6: holds for k >= n - 1, fails for k = n - 2"
knowledge "which process is the bottom one: process 0"
assumes "unfair"
states "k"
size 8
model ring
scheduler unfair
parameter k : 2..2^30 = n "the number of states of a process"
require n >= 2 "a ring takes two"
supports k >= n - 1 "with fewer states the others can hold all of them, and the number of the bottom is then never new"

state x : 0..k - 1
shade x
show token when enabled

first:
  1: bottom and x = left.x      -> x := (x + 1) mod k
  2: not bottom and x != left.x -> x := left.x

goal one token
safe = one i : enabled[i]
recurring service = enabled[i]
