# Tokens walk at random, and those that meet merge. The daemon chooses the token, and a fair coin its direction: --scheduler random-partner.
protocol israeli-jalfon-tokens
summary "Tokens on a ring walk at random and merge"
citation "A. Israeli, M. Jalfon: Token management schemes and random walks yield self-stabilizing mutual exclusion, PODC 1990"
claim "from every configuration with a token exactly one token, for ever, with probability 1 against every daemon that chooses the token"
model population on undirected-ring
scheduler random-partner
require n >= 3 "on two agents both neighbours are the same"

agents u, v
state token : bit
show token when token
start = some i : token[i] = 1

first:
  1: u.token -> u.token := 0; v.token := 1

goal one token
safe = one i : token[i]
