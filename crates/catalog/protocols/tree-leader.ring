# The centre of the tree leads. Of two centres, which are neighbours, coins choose one.
protocol tree-leader
summary "a leader of an anonymous tree: its centre, or one of its two centres by coins"
citation "after S. C. Bruell, S. Ghosh, M. H. Karaata, S. V. Pemmaraju: Self-stabilizing algorithms for finding centers and medians of"
         "trees, SIAM Journal on Computing 29(2), 1999; the coins are added here"
claim "self-stabilizing with probability 1 on every tree under a daemon that chooses one process at a time: one leader, silent"
assumes "unfair"
knowledge "the size as a bound on heights"
states "2n"
law n^2 "measured on lines of 128 to 1024 processes: about n² steps"
size 4
model graph on tree
scheduler unfair

state h : 0..n - 1
state b : bit
shade h

let high = max j : h[j]
let second = if (count j : h[j] = high) > 1 then high else max j : if h[j] = high then 0 else h[j]
let wanted = if degree = 1 then 0 else min(n - 1, 1 + second)
let centre = all j : h >= h[j]
show leader when centre and (all j : h[j] = h => b = 1 and b[j] = 0)

first:
  1: h != wanted                                                   -> h := wanted
  2: (count j : h[j] = h) = 1 and (some j : h[j] = h and b[j] = b) -> b := coin

goal one leader
safe = (all i : h[i] = wanted[i]) and (one i : leader[i])
