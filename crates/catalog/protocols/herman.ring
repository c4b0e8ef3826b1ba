# Tokens stay or move by a coin, all at once; two that meet vanish.
protocol herman
summary "Herman's synchronous token ring: one bit, one coin, odd sizes"
citation "T. Herman: Probabilistic self-stabilization, Information Processing Letters 35(2), 1990"
claim "from every configuration exactly one token, for ever, with probability 1; in at most 4n²/27 expected steps (Bruna,"
      "Grigore, Kiefer, Ouaknine, Worrell 2016), from three tokens at distances a, b, c in exactly 4abc/n;"
      "worst expected steps for n = 3, 5, 7, 9: 4/3, 16/5, 48/7, 12"
knowledge "nothing"
assumes "synchronous: all at once"
size 9
law n^2 "M. Bruna, R. Grigore, S. Kiefer, J. Ouaknine, J. Worrell, ICALP 2016: at most 4n²/27"
model ring
scheduler synchronous
require n >= 2 "a ring takes two"
supports n mod 2 = 1 "on a ring of even size all tokens can vanish"

state x : bit
shade x
show token when x = left.x

first:
  1: x = left.x -> x := coin
  2: else       -> x := left.x

goal one token
safe = one i : x[i] = x[i - 1]
recurring service = x[i] = x[i - 1]
