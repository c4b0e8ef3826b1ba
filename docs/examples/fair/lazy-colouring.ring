# Process 0 blinks for ever. The other processes of the line get two colours in turn, from left to right.
protocol lazy-colouring
summary "Two colours on a line whose first process blinks for ever"
claim "neighbours have different colours, under every weakly fair central daemon"
model line
scheduler fair

state c, blink : bit
shade c

first:
  1: bottom -> blink := 1 - blink
  2: not bottom and c = left.c -> c := 1 - left.c

goal (all i in 1..n - 1 : c[i] != c[i - 1]) "neighbours have different colours"
safe = all i in 1..n - 1 : c[i] != c[i - 1]
