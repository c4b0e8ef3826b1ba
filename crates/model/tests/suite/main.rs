//! The text forms of configurations, graphs and traces.

mod configuration_text;
mod graph_fuzz;
mod graph_parsers;
mod message_trace;
