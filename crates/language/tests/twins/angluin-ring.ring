# Labels want to count around the ring modulo k, and cannot: somewhere there is a barrier.
protocol angluin-ring
summary "constant space on directed rings whose size is not a multiple of k"
citation "D. Angluin, J. Aspnes, M. J. Fischer, H. Jiang: Self-stabilizing population protocols, ACM TAAS 3(4), 2008"
claim "self-stabilizing: from every configuration exactly one leader, for ever, in Θ(n³) expected steps"
model population on directed-ring
parameter modulus : 2..2^30 = 2 "k, a number that all agents know not to divide the size"
supports n >= 3 "on two agents without any mark it never elects one for good"
supports n mod modulus != 0 "the labels can count around the ring, and then nothing notices that there is no leader"

agents u, v
state leader, bullet, probe, phase : bit
state label : 0..modulus - 1
shade label
show leader when leader
show bullet when bullet
show probe when probe

let barrier(u, v) = v.label != (u.label + 1) mod modulus

at once:
  1: barrier(u, v) and u.probe                       -> u.leader, u.probe := 1, 0
  2: barrier(u, v) and not u.phase                   -> u.phase := 1; v.probe := v.probe or not v.leader
  3: barrier(u, v) and u.phase and not v.probe       -> v.bullet, v.label, v.phase := 0, (u.label + 1) mod modulus, 0
  4: not barrier(u, v) and v.leader and v.bullet     -> v.leader := 0
  5: not barrier(u, v) and v.leader and not v.bullet -> u.bullet, u.probe := 1, 0
  6: not barrier(u, v) and not v.leader and (v.bullet or u.probe)
      -> u.bullet, v.bullet := u.bullet or v.bullet, 0;
         v.probe, u.probe := v.probe or u.probe, 0

let clean(i) = not bullet[i] and not probe[i]
let next(i) = least d : barrier(i + d, i + d + 1)

goal one leader
safe = (one i : leader[i]) and (one i : barrier(i, i + 1))
      and (all i : leader[i] => all j in 0..next(i) : clean(i + j))
