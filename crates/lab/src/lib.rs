//! The lab: a page to run, steer, break and check ringleader's algorithms in, and the small server behind it.
//!
//! The server is stateless: a page sends the run that it shows (an algorithm, a seed, the acts of the viewer) and the engines of
//! ringleader answer. It listens on this machine only, and answers only the page that was opened with its token.
//!
//! The modules: `runs` (setups and frames), `questions` (checks, measurements, facts), `cluster` (real nodes to break), `attended` (work
//! that ends when nobody waits), `page` (the files of the browser) and `server`.
//!
//! ```
//! use ringleader_catalog::Catalog;
//! use ringleader_lab::Lab;
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//!
//! let serving = Lab::new(Catalog::builtin()).serve(0)?;
//! assert!(serving.address().starts_with("http://127.0.0.1:"));
//! // A request without the token is refused.
//! let mut stranger = TcpStream::connect(("127.0.0.1", serving.port()))?;
//! write!(stranger, "GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", serving.port())?;
//! let mut answer = String::new();
//! stranger.read_to_string(&mut answer)?;
//! assert!(answer.starts_with("HTTP/1.1 404"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attended;
mod cluster;
mod page;
mod questions;
mod runs;
mod server;

pub use runs::recorded::Recording;
pub use server::{Lab, Serving};

/// The stack of a thread that parses and runs protocols, as large as that of a main thread.
const STACK: usize = 8 << 20;

/// Why the lab does not do what a page asks for, in words for its reader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl Refused {
    pub(crate) fn new(reason: impl std::fmt::Display) -> Refused {
        Refused(reason.to_string())
    }
}

impl From<ringleader_erased::Refusal> for Refused {
    fn from(refusal: ringleader_erased::Refusal) -> Refused {
        Refused::new(refusal)
    }
}

impl From<ringleader_fleet::FleetError> for Refused {
    fn from(error: ringleader_fleet::FleetError) -> Refused {
        Refused::new(error)
    }
}

impl From<serde_json::Error> for Refused {
    fn from(error: serde_json::Error) -> Refused {
        Refused(format!("the request of the page cannot be read: {error}"))
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;
