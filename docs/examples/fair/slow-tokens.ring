protocol slow-tokens
summary "Tokens move to the right in two steps, and two that meet become one"
claim "at most one token is left, under every globally fair schedule"
model population on directed-ring
scheduler globally-fair

agents u, v
state token : 0..2
shade token

first:
  1: u.token = 1 -> u.token := 2
  2: u.token = 2 and v.token = 0 -> u.token := 0; v.token := 1
  3: u.token = 2 and v.token != 0 -> u.token := 0

goal (count i : token[i] != 0) <= 1 "at most one agent has a token"
