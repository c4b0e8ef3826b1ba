# Leaders keep timers up; when they run out, there is a leader again. Sometimes they run out too early.
protocol loosely-stabilizing
summary "timers instead of knowledge of n: a leader is kept for long, not for ever"
citation "Y. Sudo, J. Nakamura, Y. Yamauchi, F. Ooshita, H. Kakugawa, T. Masuzawa: Loosely-stabilizing leader election in a"
         "population protocol model, Theoretical Computer Science 444, 2012; rules from memory"
claim "loosely stabilizing: one leader soon, and then for a time exponential in timer / n; not self-stabilizing, so that"
      "check fails"
knowledge "an upper bound on the size, which the timers are chosen by"
assumes "uniformly random"
size 8
model population on complete
parameter timer : 1..2^30 = 8 * n "t_max, the value from which timers count down"
supports n >= 2 "an interaction takes two"

state leader : bit
state time : 0..timer
shade time
show leader when leader

first:
  1: l.leader and r.leader    -> r.leader := 0; l.time, r.time := timer, timer
  2: l.leader or r.leader     -> l.time, r.time := timer, timer
  3: max(l.time, r.time) <= 1 -> l.leader := 1; l.time, r.time := timer, timer
  4: else                     -> l.time, r.time := max(l.time, r.time) - 1, max(l.time, r.time) - 1

goal one leader
safe for long = (one i : leader[i]) and (all i : 2 * time[i] >= timer)
