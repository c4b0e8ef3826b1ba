# A process takes the best offer of its neighbours: the largest identity, at the least distance. An identity that no process has dies out,
# since its distances grow up to the bound.
protocol best-offer
summary "the largest identity leads: every process takes the best offer of its neighbours"
citation "rules derived here after A. K. Datta, L. L. Larmore, P. Vemula: Self-stabilizing leader election in optimal space under an"
         "arbitrary scheduler, Theoretical Computer Science 412(40), 2011; with a bound on distances instead of colours"
claim "self-stabilizing: the process with the largest identity leads, and every process knows its distance, silent"
assumes "unfair, distributed"
knowledge "its identity, and a bound above the diameter"
states "(n + 1) times hops"
law n "measured on lines of 16 to 256 processes, under the random distributed scheduler: 2.88 n steps at 256"
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

let offered(j) = if dist[j] + 1 < hops then lead[j] else 0
let best = max(identity, max j : offered(j))
let away = if best = identity then 0 else 1 + (min j : if offered(j) = best then dist[j] else hops)

first:
  1: lead != best or dist != away -> lead, dist := best, min(hops - 1, away)

goal one leader
closed real "this text" = all i : lead[i] <= n
safe = all i : lead[i] = n and dist[i] = away[i]
