# A process joins if no neighbour is a member; of two neighbours that are members, each leaves by a coin.
protocol randomized-independent-set
summary "A maximal independent set of a ring"
citation "S. K. Shukla, D. J. Rosenkrantz, S. S. Ravi: Observations on self-stabilizing graph algorithms for anonymous networks, WSS 1995"
claim "a maximal independent set, for ever, with probability 1 against every daemon"
model ring
reads both
scheduler distributed
require n >= 3 "a ring of two has one edge twice"

state member : bit
shade member

first:
  1: member = 0 and left.member = 0 and right.member = 0     -> member := 1
  2: member = 1 and (left.member = 1 or right.member = 1)    -> member := coin

let alone = member = 1 and left.member = 0 and right.member = 0
let covered = member = 0 and (left.member = 1 or right.member = 1)

goal (all i : alone[i] or covered[i]) "the members are a maximal independent set"
safe = all i : alone[i] or covered[i]
