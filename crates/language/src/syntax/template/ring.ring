# A process reads its left neighbour and itself, and writes itself.
protocol NAME
summary "the bottom process counts, the others copy"
claim "self-stabilizing: from every configuration exactly one process is enabled forever"
model ring    # or line
scheduler unfair
parameter k : 2..2^20 = n "the number of states of a process"
require n >= 2 "a ring needs two processes"

# The variables of a process: bit, a range such as 0..n - 1, or words such as {red, green}.
state x : 0..k - 1
show token when enabled    # enabled: the guard of some rule holds

# The first rule whose guard holds is applied. With `any:` the scheduler chooses among the enabled rules.
first:
  1: bottom and x = left.x      -> x := (x + 1) mod k
  2: not bottom and x != left.x -> x := left.x

# The goal, and the configurations from which it holds forever.
goal one token
safe = one i : enabled[i]
