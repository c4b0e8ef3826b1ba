# In phase k a candidate asks 2^k processes on either side whether it is the largest.
protocol hirschberg-sinclair
summary "unique identities, bidirectional rings, O(n log n) messages"
citation "D. S. Hirschberg, J. B. Sinclair: Decentralized extrema-finding in circular configurations of processors,"
         "Communications of the ACM 23(11), 1980"
claim "terminates with the process of the largest identity as the only leader, after at most about 8n(1 + log2 n)"
      "messages; not self-stabilizing"
knowledge "its own identity, unique on the ring"
assumes "any scheduler, starting clean; every process begins by itself"
size 8
model messages on bidirectional-ring
identities

state mode : {start, active, leader} = start
state id : 1..n = identity
state phase : 0..log2(n) + 1
state answered[port] : bit
message probe(id : 1..n, phase : 0..log2(n) + 1, hop : 1..2 * n)
message reply(id : 1..n)
show active when mode = active
show leader when mode = leader

on step when mode = start: mode := active; round; send both probe(id, 0, 1)

on probe when mode = active:
  1: probe.id = id             -> mode := leader
  2: probe.id < id             -> skip
  3: probe.hop < 2^probe.phase -> send onward probe(probe.id, probe.phase, probe.hop + 1)
  4: else                      -> send back reply(probe.id)

on reply when mode = active:
  5: reply.id != id      -> send onward reply(reply.id)
  6: not answered[other] -> answered[port] := 1
  7: phase <= log2(n)    -> phase := phase + 1; answered[left], answered[right] := 0, 0;
                            round; send both probe(id, phase, 1)
