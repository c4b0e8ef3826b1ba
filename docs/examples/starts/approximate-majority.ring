protocol approximate-majority
summary "agents of two opinions make each other undecided, and convince undecided ones: mostly the majority wins, and fast"
citation "D. Angluin, J. Aspnes, D. Eisenstat. A simple population protocol for fast robust approximate majority. Distributed Computing 21(2), 2008"
model population on complete
state x : {A, B, U}
let same = (all i : x[i] = A) or (all i : x[i] = B)
start = some i : x[i] != U
goal same "all agents have the same opinion"
safe = same

first:
  1: l.x = A and r.x = B  -> r.x := U
  2: l.x = B and r.x = A  -> r.x := U
  3: l.x != U and r.x = U -> r.x := l.x
