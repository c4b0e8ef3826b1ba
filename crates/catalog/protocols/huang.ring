# Everybody counts on until the steps around the ring are all the same; a prime size leaves one zero.
protocol huang
summary "leader election on anonymous bidirectional rings of prime size"
citation "S.-T. Huang: Leader election in uniform rings, ACM TOPLAS 15(3), 1993"
claim "self-stabilizing and silent: from every configuration one process with x = 0, and then nobody is enabled;"
      "tried exhaustively for n = 2, 3, 5, 7 under the central daemon; under the synchronous one it cycles"
knowledge "the size n"
assumes "unfair, one process at a time"
states "n"
size 7
model ring
reads both
scheduler unfair
require n >= 2 "a ring takes two"
supports prime(n) "at a composite size it comes to rest without a leader, or with several"

state x : 0..n - 1
shade x
show leader when x = 0

let behind = (x - left.x) mod n
let ahead = (right.x - x) mod n

first:
  1: left.x = x and x = right.x                      -> x := (x + 1) mod n
  2: left.x != x and x = right.x                     -> x := (x + 1) mod n
  3: left.x != x and x != right.x and behind < ahead -> x := (x + 1) mod n

goal one leader
safe = (one i : x[i] = 0) and (all i : not enabled[i])
