//! The fast engines against the plain ones, and against what is known exactly.

mod daemons;
mod ended;
mod kernels;
mod messages;
mod network;
mod network_broken;
mod plain_network;
mod rounds;
mod s5_exhaustive;
mod seeds;
mod steered;
mod twins;
