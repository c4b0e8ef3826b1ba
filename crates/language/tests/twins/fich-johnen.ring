# A leader learns its strength, the distance to the leader on its left, and challenges the leader on its right with it.
protocol fich-johnen
summary "silent and deterministic on unidirectional rings of prime size"
citation "F. E. Fich, C. Johnen: A space optimal, deterministic, self-stabilizing, leader election algorithm for"
         "unidirectional rings, DISC 2001, section 3"
claim "self-stabilizing and silent: from every configuration one leader (D, n), then nobody is enabled"
model ring
scheduler alternating
require n >= 2
supports prime(n) "equally spaced processes can stay symmetric for ever"

state tag : {c, d, B, C, D}
state v : 1..n
shade v
show leader when tag in {B, C, D}
show beginner when tag = B
show signal when tag in {C, c}

let next = 1 + left.v mod n

exactly one:
  1: left.tag in {B, D} and tag in {c, d}                   -> tag, v := d, 1
  2: left.tag = d and tag in {c, d} and left.v != n - 1     -> tag, v := d, next
  3: left.tag in {c, C} and tag = d                         -> tag, v := c, left.v
  4: left.tag = C and tag = c                               -> tag, v := d, 1
  5: left.tag = c and tag = c                               -> tag, v := B, 1
  6: left.tag = d and left.v = n - 1 and tag in {c, d}      -> tag, v := B, 1
  7: left.tag in {B, c, d} and tag = B and v != n           -> v := v + 1
  8: left.tag = d and tag = B and v = n                     -> tag, v := D, next
  9: left.tag = B and tag = B and v = n                     -> tag, v := D, 1
  10: left.tag = c and tag = B and v = n                    -> skip
  11: left.tag in {C, D} and tag in {B, C, D}               -> tag, v := d, 1
  12: left.tag = B and tag in {C, D}                        -> tag, v := D, 1
  13: left.tag = c and tag in {C, D} and v >= left.v        -> tag := D
  14: left.tag = c and tag in {C, D} and v < left.v         -> tag, v := d, n
  15: left.tag = d and left.v = n and tag = D               -> skip
  16: left.tag = d and tag = D and not left.v in {n - 1, n} -> tag, v := C, 1 + left.v
  17: left.tag = d and tag = C                              -> tag, v := D, next
  18: left.tag = d and left.v = n - 1 and tag = D           -> tag, v := D, n

goal one leader
safe = (one i : tag[i] = D and v[i] = n)
      and (all i : tag[i] = D and v[i] = n => all j in 1..n - 1 : tag[i + j] = d and v[i + j] = j)
