# Labels want to count around the ring modulo n - 1 and cannot: a gap is left. Tags carry the sizes of gaps along.
protocol burns-pachl
summary "one token on anonymous unidirectional rings of prime size"
citation "J. E. Burns, J. Pachl: Uniform self-stabilizing rings, ACM TOPLAS 11(2), 1989; one correct reading of its idea"
claim "self-stabilizing: from every configuration exactly one token, which circulates for ever"
model ring
require n >= 3
supports prime(n) "equally spaced processes can stay symmetric for ever"

state label : 0..n - 2
state tag : 1..n - 2    # 1 stands for 0: the size of a gap is never 1
shade label

let counted = (left.label + 1) mod (n - 1)
let difference = (label - left.label) mod (n - 1)
let gap = if difference = 0 then 1 else difference
let counts = label = counted

first:
  1: not counts and (label != 0 or tag = gap and (tag = 1 or tag < left.tag)) -> label, tag := counted, gap
  2: not counts and tag != gap                 -> tag := gap
  3: counts and label != 0 and tag != left.tag -> tag := left.tag

show token when enabled

let zero(i) = least d : label[i + d] = 0
goal one token
safe = (one i : not counts[i])
      and (all i : not counts[i] => all j in 0..n - 1 : tag[i + j] = if j < zero(i) then tag[i] else 1)
