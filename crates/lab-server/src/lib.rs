//! Opens the lab: a page to run, steer, break and check ringleader's algorithms in.
//!
//! `ringleader-lab` has the page and the answers of the engines. This crate gives them to a browser: a small server that listens on this machine only, and
//! answers only the page that was opened with its token.
//!
//! The modules: `cluster` (real nodes to break), `guard` (access), `host` (clock and threads), `api` (requests), `server`, and `export` (the lab as a folder, without a server).
//!
//! ```
//! use ringleader_catalog::Catalog;
//! use ringleader_lab_server::Lab;
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

mod api;
mod cluster;
mod export;
mod guard;
mod host;
mod server;

pub use ringleader_lab::{AskedStart, Opening, Recording, Refused, Setup};
pub use server::{Lab, Serving};

/// The stack of a thread that parses and runs protocols, as large as that of a main thread.
const STACK: usize = 8 << 20;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct FrontPage;
