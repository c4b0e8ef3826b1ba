# Every process but the root keeps its distance one above its parent's, and takes a nearer neighbour for its parent.
protocol huang-chen
summary "Huang and Chen's breadth-first tree from a given root"
citation "S.-T. Huang, N.-S. Chen: A self-stabilizing algorithm for constructing breadth-first trees, Information Processing Letters"
         "41, 1992"
claim "self-stabilizing: a breadth-first tree from process 0, silent"
assumes "unfair"
knowledge "which process is the root: process 0; the size"
states "n - 1 times the degree; 1 at the root"
law n^2 "measured on lines of 32 to 512 processes: about 1.8 n² steps"
size 4
model graph
scheduler unfair

state par : neighbour or none when root
state dist : 0..n - 1
given dist = 0 when root
given dist in 1..n - 1 when not root
shade dist

let nearest = min j : dist[j]

any:
  1: not root and dist != dist[par] + 1 and dist[par] < n - 1 -> dist := dist[par] + 1
  2: for some j : not root and dist[par] > nearest and dist[j] = nearest -> par, dist := j, min(n - 1, nearest + 1)

let right = root or dist = nearest + 1 and dist[par] = nearest
goal all i : right[i] "a breadth-first tree from the root"
safe = all i : right[i]
