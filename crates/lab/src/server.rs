//! The server: loopback only, one page, and the engines behind it.

pub(crate) mod api;
pub(crate) mod guard;
pub(crate) mod http;

use crate::page;
use crate::server::api::Api;
use crate::server::guard::{Claims, Guard};
use http::{Answer, Listening, Request};
use ringleader_catalog::Catalog;
use ringleader_verify::Certificate;
use std::io;
use std::net::{Ipv4Addr, TcpListener};

/// A lab, to be opened.
#[derive(Clone)]
pub struct Lab {
    pub(crate) catalog: Catalog,
    pub(crate) text: Option<(String, String)>,
    pub(crate) watched: Vec<String>,
    pub(crate) certificate: Option<Certificate>,
}

/// A lab that is open. Dropping it closes it.
pub struct Serving {
    listening: Listening,
    address: String,
}

impl Lab {
    /// A lab for the algorithms of a catalog.
    #[must_use]
    pub fn new(catalog: Catalog) -> Lab {
        Lab { catalog, text: None, watched: vec![], certificate: None }
    }

    /// With this protocol open in its editor; `name` is what its file is called.
    #[must_use]
    pub fn with_text(self, name: impl Into<String>, text: impl Into<String>) -> Lab {
        Lab { text: Some((name.into(), text.into())), ..self }
    }

    /// With a view of the nodes whose pages are at these `HOST:PORT`; it asks nobody else.
    #[must_use]
    pub fn watching(self, hosts: Vec<String>) -> Lab {
        Lab { watched: hosts, ..self }
    }

    /// With the measures of a proof, shown along the runs of the algorithm that it is about. Whether it is a proof,
    /// [`ringleader_verify::verify`] says.
    #[must_use]
    pub fn with_certificate(self, certificate: Certificate) -> Lab {
        Lab { certificate: Some(certificate), ..self }
    }

    /// Opens it on a port of this machine; 0 lets the system choose.
    pub fn serve(self, port: u16) -> io::Result<Serving> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let guard = Guard::new(listener.local_addr()?.port())?;
        let (address, api) = (guard.address(), Api::new(self));
        let listening = http::listen(listener, HEAD, move |request| answer(&request, &guard, &api))?;
        Ok(Serving { listening, address })
    }
}

impl Serving {
    /// Where the page is, its token included.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.listening.port()
    }
}

/// The page may load what it came with, and nothing else may load or frame it.
const HEAD: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n";

fn answer(request: &Request, guard: &Guard, api: &Api) -> Answer {
    let known =
        ["Origin", "Sec-Fetch-Site"].iter().all(|name| request.header(name).is_some() == request.mentions(name));
    let claims = Claims {
        host: request.header("Host"),
        origin: request.header("Origin"),
        site: request.header("Sec-Fetch-Site"),
        path: &request.path,
    };
    let Some(rest) = guard.admit(claims).filter(|_| known) else {
        return plain(404, "There is nothing here. The lab answers the address that it printed, on this machine only.");
    };
    match (request.method.as_str(), rest.strip_prefix("api/")) {
        ("POST", Some(verb)) => called(request, verb, api),
        ("GET", None) => match page::file(rest) {
            Some((kind, text)) => Answer { status: 200, kind, body: text.as_bytes().to_vec() },
            None => plain(404, "There is no such file."),
        },
        _ => plain(405, "This cannot be asked for in this way."),
    }
}

/// What the engines say to a page.
fn called(request: &Request, verb: &str, api: &Api) -> Answer {
    // A form of another page can send other types without being asked.
    if request.header("Content-Type") != Some("application/json") {
        return plain(415, "A request is application/json.");
    }
    // A refusal is an answer, not a failure of the page: a browser would complain of another status on its console.
    let told = api.call(verb, &request.body);
    let body = told.unwrap_or_else(|refused| serde_json::json!({"refused": refused.to_string()}).to_string());
    Answer { status: 200, kind: "application/json", body: body.into_bytes() }
}

fn plain(status: u16, text: &str) -> Answer {
    Answer { status, kind: "text/plain; charset=utf-8", body: text.as_bytes().to_vec() }
}
