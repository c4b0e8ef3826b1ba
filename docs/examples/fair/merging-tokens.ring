# Tokens move to the right, and two that meet become one. A schedule can keep two tokens apart for ever, and yet move them on every arc.
protocol merging-tokens
summary "Tokens move to the right, and two that meet become one"
claim "at most one token is left, under every globally fair schedule"
model population on directed-ring
scheduler globally-fair

agents u, v
state token : bit
shade token

first:
  1: u.token = 1 and v.token = 0 -> u.token := 0; v.token := 1
  2: u.token = 1 and v.token = 1 -> u.token := 0

goal (count i : token[i] = 1) <= 1 "at most one agent has a token"
