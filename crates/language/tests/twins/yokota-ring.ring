# A leader fires its next bullet only when a signal has told it that the last one is gone.
protocol yokota-ring
summary "time-optimal on directed rings, given an upper bound on the size"
citation "D. Yokota, Y. Sudo, T. Masuzawa: Time-optimal self-stabilizing leader election on rings in population protocols,"
         "IEICE Trans. Fundamentals E104-A(12), 2021, Algorithm 1 (P_RL)"
claim "self-stabilizing: from every configuration exactly one leader, for ever, in O(nN) expected steps"
knowledge "an upper bound N on the size"
states "24(N + 1)"
model population on directed-ring
parameter bound : 2..2^30 = n "N, the upper bound on the size that all agents know"
require n <= bound "with more agents than the bound, a distance of N no longer means that there is no leader"
supports n >= 2 "an interaction takes two"

state leader : bit
state bullet : 0..2    # none, dummy, live
state shield, signal : bit
state dist : 0..bound
shade dist
show leader when leader
show bullet when bullet = 2
show dummy when bullet = 1
show shield when leader and shield
show signal when signal

in order:
  1: l.leader                                -> l.dist := 0
  2: r.leader                                -> r.dist := 0
  2: not r.leader and r.bullet = 0           -> r.dist := min(l.dist + 1, bound)
  3: r.dist = bound                          -> r.leader, r.bullet, r.shield, r.signal, r.dist := 1, 2, 1, 0, 0
  4: l.leader and l.signal                   -> l.bullet, l.shield, l.signal := 2, 1, 0
  5: r.leader and r.signal                   -> r.bullet, r.shield, r.signal := 1, 0, 0
  6: l.bullet != 0 and not r.leader          -> r.bullet := if r.bullet = 0 then l.bullet else r.bullet;
                                                r.signal := 0; l.bullet := 0
  6: l.bullet != 0 and r.leader              -> r.leader := l.bullet != 2 or r.shield; l.bullet := 0
  7: not l.signal and (r.signal or r.leader) -> l.signal := 1

# Distances to the nearest leader, counting oneself.
let d_L(i) = least d : leader[i - d]
let d_R(i) = least d : leader[i + d]
let peaceful(i) = d_L(i) < infinity and shield[i - d_L(i)] and (all j in 0..d_L(i) : not signal[i - j])
let secure(i) = if leader[i] then dist[i] = 0 else dist[i] <= bound - d_R(i)
let modest(i) = all j in 0..d_L(i) : dist[i - j] <= d_L(i - j)

closed C_PB "Lemma 2" = (some i : leader[i]) and (all i : bullet[i] = 2 => peaceful(i))
closed C_NI "Lemma 6" = C_PB and (all i : secure(i)) and (all i : bullet[i] = 2 => modest(i))
closed S_RL "Lemma 8" = (one i : leader[i]) and C_NI
goal one leader
safe = S_RL
