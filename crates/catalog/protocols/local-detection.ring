# A process believes in a leader only if a neighbour that is one step nearer does. Otherwise it starts anew as a leader, and follows any
# neighbour with a larger leader or a shorter way.
protocol local-detection
summary "the largest identity leads: a process without a nearer neighbour to rely on starts anew"
citation "rules derived here after Y. Afek, S. Kutten, M. Yung: The local detection paradigm and its applications to self-stabilization,"
         "Theoretical Computer Science 186, 1997; with a bound on distances instead of requests to the root"
claim "self-stabilizing: the process with the largest identity leads, and every process knows its distance, silent"
assumes "unfair, distributed"
knowledge "its identity, and a bound above the diameter"
states "(n + 1) times hops"
law n "measured on lines of 16 to 256 processes, under the random distributed scheduler: about 4 n steps"
size 4
model graph
identities
scheduler distributed
parameter hops = n "distances are below this bound"
require hops >= 1 "a leader is at distance 0"
supports hops >= n "every process must be near enough to the leader"

# A fault may leave n + 1, the identity of no process.
state lead : 1..n + 1
state dist : 0..hops - 1
show leader when lead = identity
shade dist

let relies = if lead = identity then dist = 0 else dist > 0 and (some j : lead[j] = lead and dist[j] = dist - 1)
let wrong = lead < identity or not relies

any:
  1: wrong -> lead, dist := identity, 0
  2: for some j : not wrong and dist[j] + 1 < hops
      and (lead < lead[j] or lead = lead[j] and dist[j] + 1 < dist)
      -> lead, dist := lead[j], dist[j] + 1

let nearest = min j : dist[j]
goal one leader
safe = all i : lead[i] = n and (if identity[i] = n then dist[i] = 0 else dist[i] = nearest[i] + 1)
