//! The tables as plain arrays, for a device.

use super::{Cells, UNKNOWN};

/// The tables of cells in arrays of numbers. Missing entries are `u32::MAX`.
pub(crate) struct Flat<'c> {
    /// By cell: its first arc, and the first one after its last.
    pub(crate) arcs_of: Vec<u32>,
    /// By arc: the next cell, the first send, and the first one after the last.
    pub(crate) arcs: Vec<u32>,
    /// By send: the port and the message.
    pub(crate) sends: Vec<u32>,
    /// By cell, port and message: the cell after the arrival.
    pub(crate) arrivals: &'c [u32],
    /// The number of messages in a row of `arrivals`.
    pub(crate) messages: u32,
    /// The most arcs of a cell.
    pub(crate) most_arcs: u32,
}

impl Cells<'_> {
    pub(crate) fn flat(&self) -> Flat<'_> {
        let known = |arcs: &Option<(u32, u32)>| arcs.map_or([UNKNOWN; 2], |(from, to)| [from, to]);
        Flat {
            arcs_of: self.arcs_of.iter().flat_map(known).collect(),
            arcs: self.arcs.iter().flat_map(|arc| [arc.next, arc.sends.0, arc.sends.1]).collect(),
            sends: self.sends.iter().flat_map(|&(port, message)| [port, message]).collect(),
            arrivals: &self.arrivals,
            messages: self.message_capacity as u32,
            most_arcs: self.arcs_of.iter().flatten().map(|(from, to)| to - from).max().unwrap_or(0),
        }
    }
}
