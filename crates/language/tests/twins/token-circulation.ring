# Followers copy the label of their left neighbour, the leader contradicts it; the token moves with the change.
protocol token-circulation
summary "one token on a directed ring that has a leader already"
citation "D. Angluin, J. Aspnes, M. J. Fischer, H. Jiang: Self-stabilizing population protocols, ACM TAAS 3(4), 2008"
claim "self-stabilizing: from all labels and tokens to exactly one token, which circulates for ever"
model population on directed-ring
supports n >= 2 "an interaction takes two"

agents u, v
state leader, label, token : bit
given leader = bottom
shade label
show leader when leader
show token when token

let moves(u, v) = v.leader = (if u.label = v.label then 1 else 0)

first:
  1: moves(u, v) and v.leader -> u.token := 0; v.label := not v.label; v.token := 1
  2: moves(u, v)              -> u.token := 0; v.label := not v.label; v.token := 1

goal one token
safe = (one i : token[i]) and (one i : moves(i, i + 1))
      and (all i : moves(i, i + 1) => token[i] or token[i + 1])
