# H is hungry; Wl and Wr wait for the left, the right fork; Sl and Sr have that fork and take the other one, if it is free; E eats.
protocol lehmann-rabin
summary "Dining philosophers who draw lots for the fork that they take first"
citation "D. Lehmann, M. O. Rabin: On the advantages of free choice: a symmetric and fully distributed solution to the dining philosophers problem, POPL 1981"
claim "some philosopher eats, with probability 1 against every daemon"
model ring
reads both
scheduler unfair
require n >= 3 "two philosophers share both forks"

state s : {H, Wl, Wr, Sl, Sr, E}
shade s

any:
  1: s = H -> s := if coin = 0 then Wl else Wr
  2: s = Wl and left.s != Sr and left.s != E -> s := Sl
  3: s = Wr and right.s != Sl and right.s != E -> s := Sr
  4: s = Sl -> s := if right.s = Sl or right.s = E then H else E
  5: s = Sr -> s := if left.s = Sr or left.s = E then H else E

goal (some i : s[i] = E) "some philosopher eats"
safe = some i : s[i] = E
