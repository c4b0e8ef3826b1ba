# The largest identity is the only one to come all the way around.
protocol chang-roberts
summary "Chang-Roberts: unique identities, unidirectional rings, n·H_n messages on average"
citation "E. Chang, R. Roberts: An improved algorithm for decentralized extrema-finding in circular configurations of"
         "processes, Communications of the ACM 22(5), 1979"
claim "terminates with the process of the largest identity as the only leader; not self-stabilizing"
model messages on unidirectional-ring
identities

state mode : {start, active, passive, leader} = start
state id : 0..n = identity
message m(id : 0..n)
show active when mode = active
show passive when mode = passive
show leader when mode = leader

on step when mode = start: mode := active; round; send right m(id)

on m when mode in {active, passive}:
  m.id > id -> mode := passive; send onward m(m.id)
  m.id = id -> mode := leader
