# Every identity goes around; who has its own back has seen them all.
protocol le-lann
summary "unique identities, unidirectional FIFO rings, exactly n² messages"
citation "G. Le Lann: Distributed systems - towards a formal approach, IFIP Congress 1977"
claim "terminates with the process of the largest identity as the only leader, after exactly n² messages;"
      "not self-stabilizing"
knowledge "its own identity, unique on the ring"
assumes "any scheduler, starting clean; FIFO channels"
size 8
model messages on unidirectional-ring
channels fifo
identities

state mode : {start, active, passive, leader} = start
state id, largest : 1..n = identity
message m(id : 1..n)
show active when mode = active
show passive when mode = passive
show leader when mode = leader

on step when mode = start: mode := active; round; send right m(id)

on m when mode = active:
  1: m.id != id   -> largest := max(largest, m.id); send onward m(m.id)
  2: largest = id -> mode := leader
  3: else         -> mode := passive
