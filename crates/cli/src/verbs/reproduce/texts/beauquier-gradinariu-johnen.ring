# Deterministic tokens (d) pace the probabilistic ones (p), so that a daemon cannot hold a single token back for ever.
protocol beauquier-gradinariu-johnen
summary "Token circulation on an anonymous ring of odd size under the unfair daemon"
citation "J. Beauquier, M. Gradinariu, C. Johnen: Memory space requirements for self-stabilizing leader election protocols, PODC 1999"
claim "exactly one probabilistic token, for ever, with probability 1 against every central daemon"
model ring
scheduler unfair
require n >= 2 "a ring takes two"
supports n mod 2 = 1 "on a ring of even size all tokens can vanish"

state d : bit
state p : bit
shade p
show token when p = left.p

first:
  1: d = left.d and p = left.p  -> d := 1 - d; p := coin
  2: d = left.d and p != left.p -> d := 1 - d

goal one token
safe = one i : p[i] = p[i - 1]
