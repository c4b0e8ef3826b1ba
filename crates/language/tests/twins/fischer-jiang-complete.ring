# Two leaders meet, one resigns; an oracle says when there is none.
protocol fischer-jiang-complete
summary "two leaders meet, one resigns; an oracle says when there is none"
citation "M. J. Fischer, H. Jiang: Self-stabilizing leader election in networks of finite-state anonymous agents,"
         "OPODIS 2006, Algorithm 1"
claim "self-stabilizing: from every configuration exactly one leader, for ever"
assumes "locally fair or globally fair (Theorem 3)"
model population on complete
oracle leader-detector
supports n >= 2 "an interaction takes two"

agents u, v
state leader : bit
show leader when leader

first:
  1: u.leader and v.leader                         -> v.leader := 0    # two leaders meet: the responder resigns
  2: not u.leader and not u.hears and not v.leader -> u.leader := 1

goal one leader
safe = one i : leader[i]
