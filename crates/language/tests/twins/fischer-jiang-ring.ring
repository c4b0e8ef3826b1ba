# Leaders fire bullets that run counter-clockwise and kill unshielded leaders; shields run clockwise and absorb bullets.
protocol fischer-jiang-ring
summary "leaders fire bullets, shields absorb them; an oracle says when no leader is left"
citation "M. J. Fischer, H. Jiang: Self-stabilizing leader election in networks of finite-state anonymous agents,"
         "OPODIS 2006, Algorithm 2"
claim "self-stabilizing: from every configuration exactly one leader, for ever, in Θ(n³) expected steps"
model population on directed-ring
oracle leader-detector
supports n >= 3 "on two agents `B L -`, `- L S` keeps two leaders for ever"

state bullet, leader, shield : bit
show leader when leader
show bullet when bullet
show shield when shield

first:
  1: not l.hears                                -> l.bullet, l.leader, l.shield := 1, 1, 1
  2: not l.leader and l.shield                  -> l.shield := 0; r.bullet := 0; r.shield := 1
  3: l.leader and l.shield                      -> l.bullet := 1; l.shield := 0; r.bullet := 0; r.shield := 1
  4: l.leader and not l.shield and not r.bullet -> l.bullet := 1
  5: not l.shield and r.bullet                  -> l.bullet := 1; l.leader := 0; r.bullet := 0

# Clockwise from the leader's mark the first slot that is not empty has a shield.
let next(i) = least d in 1..n - 1 : bullet[i + d] or leader[i + d] or shield[i + d]
let shielded(i) = not bullet[i + next(i)] and not leader[i + next(i)]
let protected(i) = shield[i] or (next(i) < infinity and shielded(i))

goal one leader
safe = (one i : leader[i]) and (all i : leader[i] => protected(i))
