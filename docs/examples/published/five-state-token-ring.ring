# Found by Protocon, which synthesizes stabilizing rings; each process reads its left neighbour only.
protocol five-state-token-ring
summary "A unidirectional token ring with five states, found by a program"
citation "A. Klinkhamer, A. Ebnenasir: Protocon, a program that synthesizes self-stabilizing protocols"
claim "exactly one token, for ever, under the unfair daemon; proved for every n >= 3 (docs/hints/five-state-token-ring.txt), tried exhaustively for n = 2"
knowledge "which process is the bottom one: process 0"
model ring
scheduler unfair
require n >= 2 "a ring takes two"

state x : 0..4
shade x
let y = left.x
show token when (bottom and (y > 1 and x > 1 or y <= 1 and x = 0 or y = 1 and x = 1)) or (not bottom and (y = 0 and x > 1 or y = 1 and x != 1 or y >= 2 and x <= 1))

first:
  1: bottom and y = 0 and x = 0      -> x := 1
  2: bottom and y = 1 and x <= 1     -> x := 2
  3: bottom and y > 1 and x > 1      -> x := 0
  4: not bottom and y = 0 and x = 4  -> x := 1
  5: not bottom and y = 0 and x > 1  -> x := 0
  6: not bottom and y = 1 and x != 1 -> x := 1
  7: not bottom and y = 2 and x <= 1 -> x := 2 + x
  8: not bottom and y >= 3 and x <= 1 -> x := 4

goal one token
