# Agent 0 keeps its colour. An agent gets the colour of its left neighbour when they meet. Agents of one colour blink when they meet, for ever.
protocol first-meeting
summary "Every agent gets the colour of agent 0 by meetings, and agents blink for ever"
claim "all agents have the same colour, under every locally fair schedule"
model population on directed-ring
scheduler locally-fair

agents u, v
state head, c, blink : bit
shade c
given head = 0
given head = 1 when bottom

first:
  1: u.c != v.c and v.head = 0 -> v.c := u.c
  2: else -> u.blink := 1 - u.blink

goal (all i in 1..n - 1 : c[i] = c[i - 1]) "all agents have the same colour"
safe = all i in 1..n - 1 : c[i] = c[i - 1]
