# A wave runs up the line and comes back.
protocol dijkstra-four-state
summary "Dijkstra's four-state line: a wave runs up and comes back"
citation "E. W. Dijkstra: Self-stabilizing systems in spite of distributed control, Communications of the ACM 17(11), 1974"
claim "self-stabilizing: from every configuration exactly one process may move, for ever;"
      "tried exhaustively for n = 2 to 7"
knowledge "which processes are the two ends"
assumes "unfair"
states "4; 2 at the ends"
size 8
model line
reads both
scheduler unfair
require n >= 2 "a line has two ends"

state x, up : bit
given up = 1 when bottom
given up = 0 when top
shade x
show token when enabled

any:
  1: bottom and x = right.x and not right.up                        -> x := not x
  2: top and x != left.x                                            -> x := left.x
  3: not bottom and not top and x != left.x                         -> x, up := left.x, 1
  4: not bottom and not top and x = right.x and up and not right.up -> up := 0

goal one token
safe = one i : enabled[i]
recurring service = enabled[i]
