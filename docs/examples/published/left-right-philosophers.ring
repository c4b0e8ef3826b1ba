# W waits for the first fork, Sl and Sr have the left, the right one, E has both and eats. Philosopher 0 takes the left fork first, the
# others the right one.
protocol left-right-philosophers
summary "Dining philosophers without coins: one of them takes its forks in the other order"
citation "LR-philo, a benchmark of slrp-ext, the extension of SLRP"
claim "some philosopher eats, under every daemon"
model ring
reads both
scheduler unfair
require n >= 3 "two philosophers share both forks"

state s : {W, Sl, Sr, E}
shade s
start = (all i in 0..0 : s[i] != Sr) and (all i in 1..n - 1 : s[i] != Sl)

any:
  1: bottom and s = W and left.s != Sr and left.s != E -> s := Sl
  2: not bottom and s = W and right.s != Sl and right.s != E -> s := Sr
  3: s = Sl and right.s != Sl and right.s != E -> s := E
  4: s = Sr and left.s != Sr and left.s != E -> s := E

goal (some i : s[i] = E) "some philosopher eats"
safe = some i : s[i] = E
