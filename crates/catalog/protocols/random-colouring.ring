# As `colouring`, but a coin decides whether the process moves: neighbours that step together need not take the same colour.
protocol random-colouring
summary "a proper colouring with coins, for processes that step together"
citation "M. Gradinariu, S. Tixeuil: Self-stabilizing vertex coloring of arbitrary graphs, Proc. OPODIS 2000; here with the greedy"
         "rule and a coin that decides whether to move"
claim "self-stabilizing with probability 1 under the distributed daemon: neighbours have different colours, silent"
assumes "distributed"
knowledge "the largest degree"
states "the largest degree plus 1"
law log(n) "measured on rings of 64 to 1024 processes, under the random distributed scheduler: 1.86 log n steps"
size 4
model graph
scheduler distributed

state c : 0..max_degree
shade c
let clash = some j : c[j] = c

first:
  1: clash -> c := if coin = 1 then min(max_degree, least v in 0..degree : not (some j : c[j] = v)) else c

goal all i : not clash[i] "neighbours have different colours"
safe = all i : not clash[i]
