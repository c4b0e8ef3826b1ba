# A process with a token passes it on by a coin; two tokens that meet vanish.
protocol herman-walk
summary "Herman's tokens on a ring, where only processes with a token act"
citation "T. Herman: Probabilistic self-stabilization, Information Processing Letters 35(2), 1990; in this form in A. W. Lin, P. Rümmer: Liveness of randomised parameterised systems under arbitrary schedulers, CAV 2016"
claim "exactly one token, for ever, with probability 1 under the synchronous daemon; a central daemon can prevent it"
model ring
scheduler synchronous
require n >= 3 and n % 2 = 1 "the number of tokens is even on a ring of even size"

state x : bit
shade x
show token when x = left.x

first:
  1: x = left.x -> x := coin

goal one token
