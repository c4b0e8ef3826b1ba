# Ranks are handed down a binary tree whose root is elected during a reset; a collision or a long wait resets all.
protocol optimal-silent-ranking
summary "ranks 1 to n on complete graphs in linear parallel time, silent, O(n) states"
citation "J. Burman, H.-L. Chen, H.-P. Chen, D. Doty, T. Nowak, E. Severson, C. Xu: Time-optimal self-stabilizing leader"
         "election in population protocols, PODC 2021, Optimal-Silent-SSR"
claim "self-stabilizing and silent: from every configuration all ranks different, for ever; tried exhaustively for n = 2"
      "and 3 with tiny constants, which does not settle whether rules 1 to 4 run in sequence, as here, or exclude each other"
knowledge "the size n, exactly"
assumes "uniformly random"
size 8
law n^2 "J. Burman et al., PODC 2021, abstract: O(n) expected parallel time, as little as a silent protocol can take"
model population on complete
parameter resets : 1..2^20 = 60 * (log2(n) + 1) "R_max, how far a reset spreads"
parameter errors : 1..2^20 = 32 * n "E_max, how long an unsettled agent waits"
parameter delay : 1..2^20 = 8 * n "D_max, how long an agent sleeps before it is reset"
supports n >= 2 "an interaction takes two"

agents a, b
state role : {settled, unsettled, resetting}
state rank : 1..n
state children : 0..2
state error : 0..errors
state root : bit    # L, not F: becomes rank 1
state spread : 0..resets
state timer : 0..delay
given rank = 1 when role != settled
given children = 0 when role != settled
given error = 0 when role != unsettled
given root = 0 when role != resetting
given spread = 0 when role != resetting
given timer = 0 when role != resetting
shade rank
show leader when role = settled and rank = 1

let both(a, b) = a.role = resetting and b.role = resetting
let wakes(a, b) = a.role = resetting and a.spread = 0 and (a.timer = 0 or b.role != resetting)

in order:
  1: a.role = resetting and a.spread > 0 and b.role != resetting
      -> b.role, b.rank, b.children, b.error, b.timer := resetting, 1, 0, 0, delay
  1: b.role = resetting and b.spread > 0 and a.role != resetting
      -> a.role, a.rank, a.children, a.error, a.timer := resetting, 1, 0, 0, delay
  1: both(a, b) and max(a.spread, b.spread) <= 1
      -> a.timer := if a.spread > 0 then delay else max(a.timer, 1) - 1;
         b.timer := if b.spread > 0 then delay else max(b.timer, 1) - 1
  1: both(a, b)                       -> a.spread, b.spread := max(a.spread, b.spread, 1) - 1, max(a.spread, b.spread, 1) - 1
  1: wakes(a, b) and a.root           -> a.role, a.root, a.timer := settled, 0, 0
  1: wakes(a, b) and not a.root       -> a.role, a.error, a.timer := unsettled, errors, 0
  1: wakes(b, a) and b.root           -> b.role, b.root, b.timer := settled, 0, 0
  1: wakes(b, a) and not b.root       -> b.role, b.error, b.timer := unsettled, errors, 0
  1: both(a, b) and a.root and b.root -> b.root := 0
  2: a.role = settled and b.role = settled and a.rank = b.rank
      -> a.role, a.rank, a.children, a.root, a.spread, a.timer := resetting, 1, 0, 1, resets, delay;
         b.role, b.rank, b.children, b.root, b.spread, b.timer := resetting, 1, 0, 1, resets, delay
  3: a.role = settled and b.role = unsettled and a.children < 2 and 2 * a.rank + a.children <= n
      -> b.role, b.rank, b.error := settled, 2 * a.rank + a.children, 0; a.children := a.children + 1
  3: b.role = settled and a.role = unsettled and b.children < 2 and 2 * b.rank + b.children <= n
      -> a.role, a.rank, a.error := settled, 2 * b.rank + b.children, 0; b.children := b.children + 1
  4: a.role = unsettled               -> a.error := max(a.error, 1) - 1
  4: b.role = unsettled               -> b.error := max(b.error, 1) - 1
  4: (a.role = unsettled and a.error = 0) or (b.role = unsettled and b.error = 0)
      -> a.role, a.rank, a.children, a.error, a.root, a.spread, a.timer := resetting, 1, 0, 0, 1, resets, delay;
         b.role, b.rank, b.children, b.error, b.root, b.spread, b.timer := resetting, 1, 0, 0, 1, resets, delay

goal one leader
safe = all i : role[i] = settled and (all j : i != j => rank[i] != rank[j])
