# Tokens walk at random, and those that meet merge. A step writes a neighbour: it is an interaction.
protocol israeli-jalfon
summary "tokens on a ring walk at random and merge"
citation "A. Israeli, M. Jalfon: Token management schemes and random walks yield self-stabilizing mutual exclusion, PODC 1990"
claim "from every configuration with a token exactly one token, for ever, with probability 1"
knowledge "nothing"
assumes "uniformly random; globally fair"
size 8
model population on undirected-ring
supports n >= 3 "on two agents both neighbours are the same"

agents u, v
state token : bit
given token = 1 when bottom and not (some i : token[i])    # without any it would rest for ever
show token when token

first:
  1: u.token -> u.token := 0; v.token := 1

goal one token
safe = one i : token[i]
recurring service = token[i]
