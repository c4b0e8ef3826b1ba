# Two agents meet and both may change. l is the initiator; on a directed ring it is the left agent.
protocol NAME
summary "when two leaders meet, one resigns; an agent that hears of no leader becomes one"
claim "self-stabilizing: from every configuration exactly one leader forever"
model population on complete    # or directed-ring, undirected-ring
oracle leader-detector    # l.hears: whether there is a leader; remove this line if no rule uses it
supports n >= 2 "an interaction needs two agents"

# The variables of an agent: bit, a range such as 0..n - 1, or words such as {red, green}.
state leader : bit
show leader when leader    # the mark that it shows: leader, token, bullet, shield, ...

# The first rule whose guard holds is applied. `in order:` applies all rules whose guards hold, one after the other.
first:
  1: l.leader and r.leader                         -> r.leader := 0
  2: not l.leader and not r.leader and not l.hears -> l.leader := 1

# The goal, and the configurations from which it holds forever.
goal one leader
safe = one i : leader[i]
