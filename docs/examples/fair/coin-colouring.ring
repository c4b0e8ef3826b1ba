# Process 0 blinks for ever. Every other process of the line that has the colour of its left neighbour tosses a coin for a new colour.
protocol coin-colouring
summary "Two colours by coins on a line whose first process blinks for ever"
claim "neighbours have different colours, with probability 1 against every weakly fair central daemon"
model line
scheduler fair

state c, blink : bit
shade c

first:
  1: bottom -> blink := 1 - blink
  2: not bottom and c = left.c -> c := coin

goal (all i in 1..n - 1 : c[i] != c[i - 1]) "neighbours have different colours"
safe = all i in 1..n - 1 : c[i] != c[i - 1]
