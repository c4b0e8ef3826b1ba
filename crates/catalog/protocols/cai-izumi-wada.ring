# Equal ranks meet, one moves on: in the end every rank is taken once.
protocol cai-izumi-wada
summary "n states on complete graphs of n agents: equal ranks meet, one moves on"
citation "S. Cai, T. Izumi, K. Wada: How to prove impossibility under global fairness: on space complexity of"
         "self-stabilizing leader election on a population protocol model, Theory of Computing Systems 50(3), 2012"
claim "self-stabilizing and silent: from every configuration all ranks different, for ever; tried exhaustively for n = 2 to 6"
knowledge "the size n, exactly"
assumes "unfair: any schedule of interactions that change something"
states "n"
size 8
law n^3 "J. Burman et al., PODC 2021, abstract: Θ(n²) expected parallel time"
model population on complete
supports n >= 2 "an interaction takes two"

state rank : 0..n - 1
shade rank
show leader when rank = 0

first:
  1: l.rank = r.rank -> r.rank := (r.rank + 1) mod n

goal one leader
safe = all i : all j : i != j => rank[i] != rank[j]
