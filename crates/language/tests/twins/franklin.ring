# Every active process draws an identity and sends it both ways; who sees a larger one gives up.
protocol franklin
summary "probabilistic Franklin: anonymous bidirectional rings, one round bit"
citation "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: Leader election in anonymous rings: Franklin goes probabilistic,"
         "IFIP TCS 2008, sections 2 (A) and 6 (B)"
claim "terminates with probability 1, and then exactly one process is leader; not self-stabilizing"
model messages on bidirectional-ring
parameter ids : 2..2^20 = 2 "k, how many identities there are"
parameter variant : {a, b} = a "a, or b: survivors keep their identity if it was unique"

state mode : {start, active, passive, leader} = start
state bit : bit = 1
state id : 0..ids
state heard[port] : 0..ids
message m(id : 1..ids, hop : 1..n, bit : bit)
show active when mode = active
show passive when mode = passive
show leader when mode = leader

let same = variant = b and heard[other] != id

on step when mode = start:
  1: mode, id := active, draw 1..ids; round; send both m(id, 1, bit)

on m when mode = passive and m.hop < n:
  2: send onward m(m.id, m.hop + 1, m.bit)

on m when mode = active and m.bit = bit and heard[port] = 0 :
  3: m.hop = n                    -> reset; mode := leader
  4: heard[other] = 0             -> heard[port] := m.id
  5: max(m.id, heard[other]) > id -> reset; mode := passive
  6: else                         -> bit := not bit; id := if same and m.id != id then id else draw 1..ids;
                                     heard[left], heard[right] := 0, 0; round; send both m(id, 1, bit)
