//! What holds of every algorithm in the catalog.

mod builtin;
mod claims;
mod corpus;
mod elections;
mod every_state;
mod graphs;
mod growing;
mod layers;
mod local_states;
mod locally_fair;
mod members;
mod naive_configurations;
mod naive_messages;
mod network_runs;
mod protocols;
mod random_texts;
mod read_write;
mod regular_goals;
mod slips;
mod visible;
mod weakly_fair;
