# Processes on a ring start in fixed initial states, send messages to their neighbours, and terminate.
protocol NAME
summary "only the largest identity travels around the whole ring"
claim "terminates with the process of the largest identity as the only leader"
model messages on unidirectional-ring    # or bidirectional-ring
identities    # every process has one, from 1 to n; remove this line for anonymous rings

# The variables of a process, with their initial values.
state mode : {start, active, passive, leader} = start
state id : 1..n = identity
message m(id : 1..n)
show active when mode = active
show passive when mode = passive
show leader when mode = leader

# A step without a message.
on step when mode = start: mode := active; send right m(id)

# A message that no `on` accepts waits in its channel. A message that is accepted and matches no rule is dropped.
on m when mode in {active, passive}:
  1: m.id > id -> mode := passive; send onward m(m.id)
  2: m.id = id -> mode := leader
