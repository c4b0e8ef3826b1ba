# Process 0 has a value, and every other process copies the value of its left neighbour. Every process also blinks whenever it acts. So
# all processes are always enabled, and an unfair daemon may let process 0 blink for ever.
protocol broadcast
summary "Every process gets the value of process 0, and blinks for ever"
claim "all processes have the same value, under every weakly fair central daemon"
model line
scheduler fair

state x, blink : bit
shade x

first:
  1: bottom -> blink := 1 - blink
  2: not bottom -> x, blink := left.x, 1 - blink

goal (all i in 1..n - 1 : x[i] = x[i - 1]) "all processes have the same value"
safe = all i in 1..n - 1 : x[i] = x[i - 1]
