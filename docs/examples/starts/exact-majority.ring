protocol exact-majority
summary "Strong agents of two opinions cancel out, and convince weak ones: the majority wins if every agent starts strong"
citation "M. Draief, M. Vojnović. Convergence speed of binary interval consensus. SIAM J. Control Optim. 50(3), 2012"
model population on complete
state x : {A, B, a, b}
let strong_A = count i : x[i] = A
let strong_B = count i : x[i] = B
start = (all i : x[i] in {A, B}) and strong_A != strong_B
goal (strong_A > 0 and all i : x[i] in {A, a}) or (strong_B > 0 and all i : x[i] in {B, b}) "all agents have the opinion of a strong agent"
invariant more_A = strong_A > strong_B
invariant more_B = strong_B > strong_A

first:
  1: l.x = A and r.x = B -> l.x := a; r.x := b
  2: l.x = B and r.x = A -> l.x := b; r.x := a
  3: l.x = A and r.x = b -> r.x := a
  4: l.x = b and r.x = A -> l.x := a
  5: l.x = B and r.x = a -> r.x := b
  6: l.x = a and r.x = B -> l.x := b
