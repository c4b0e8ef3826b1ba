# One bit makes processes enabled, one makes tokens, and one says that a token has been held up once.
protocol gouda-haddix
summary "one token in three bits on a unidirectional ring that has a leader already"
citation "M. G. Gouda, F. F. Haddix: The stabilizing token ring in three bits, J. Parallel Distrib. Comput. 35(1), 1996"
claim "self-stabilizing: from every configuration exactly one token, which circulates for ever"
model ring
require n >= 2

state e, t, r : bit
let behind = if bottom then e = left.e else e != left.e
let holds = if bottom then t = left.t else t != left.t
show leader when bottom
show token when holds

first:
  1: behind and not holds -> e, r := not e, 0
  2: behind and (t or r)  -> e, t, r := not e, not t, 0
  3: behind               -> e, r := not e, 1

goal one token
safe = one i : holds[i]
