# The height of a process: 0 at a leaf, else one more than the second largest height of its neighbours.
protocol tree-centre
summary "the centre of an anonymous tree, or its two centres"
citation "S. C. Bruell, S. Ghosh, M. H. Karaata, S. V. Pemmaraju: Self-stabilizing algorithms for finding centers and medians of trees,"
         "SIAM Journal on Computing 29(2), 1999"
claim "self-stabilizing on every tree: heights from which a process sees whether it is a centre, silent"
assumes "unfair, distributed"
knowledge "the size as a bound on heights"
states "n"
law n^2 "measured on lines of 128 to 1024 processes: about n² steps"
size 5
model graph on tree
scheduler unfair

state h : 0..n - 1
shade h

let high = max j : h[j]
let second = if (count j : h[j] = high) > 1 then high else max j : if h[j] = high then 0 else h[j]
let wanted = if degree = 1 then 0 else min(n - 1, 1 + second)
let centre = all j : h >= h[j]

first:
  1: h != wanted -> h := wanted

goal (all i : h[i] = wanted[i]) and (count i : centre[i]) <= 2 "one centre or two, and every process knows whether it is one"
safe = (all i : h[i] = wanted[i]) and (count i : centre[i]) <= 2
