//! The server: loopback only, one page, and the engines behind it.

use crate::api::Api;
use crate::guard::{Guard, random_token};
use ringleader_catalog::Catalog;
use ringleader_lab::{Opening, Refused, page};
use ringleader_node::http::{HttpServer, Request, Response, ServerSettings};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

/// A lab, to be opened.
#[derive(Clone)]
pub struct Lab {
    catalog: Catalog,
    /// What the page finds: a text, a tour, a recorded run, a proof, the nodes of other hosts, the limits.
    pub opening: Opening,
    file: Option<PathBuf>,
    token: Option<String>,
}

/// A lab that is open. Dropping it closes it.
pub struct Serving {
    server: HttpServer,
    address: String,
}

impl Lab {
    /// A lab for the algorithms of a catalog.
    #[must_use]
    pub fn new(catalog: Catalog) -> Lab {
        Lab { catalog, opening: Opening::default(), file: None, token: None }
    }

    /// Opens the protocol of a file in the editor. The page follows the file when another program changes it, and can save to it.
    pub fn with_file(mut self, path: impl Into<PathBuf>) -> io::Result<Lab> {
        let path = path.into();
        self.opening.text = Some((path.display().to_string(), std::fs::read_to_string(&path)?));
        self.file = Some(path);
        Ok(self)
    }

    /// The names of the tours for lectures.
    pub fn lectures() -> impl Iterator<Item = &'static str> {
        page::FILES.iter().filter_map(|(name, _)| name.strip_prefix("tours/")?.strip_suffix(".md"))
    }

    /// The text of a tour for a lecture.
    ///
    /// ```
    /// use ringleader_lab_server::Lab;
    ///
    /// assert!(Lab::lectures().all(|name| Lab::lecture(name).is_some_and(|text| text.starts_with("# "))));
    /// assert_eq!(Lab::lecture("gardening"), None);
    /// ```
    #[must_use]
    pub fn lecture(name: &str) -> Option<&'static str> {
        page::file(&format!("tours/{name}.md")).map(|(_, text)| text)
    }

    /// Sets the token of the address, so that links stay valid when the lab is opened again. It needs 16 to 64 letters, digits, `-` or `_`.
    pub fn with_token(self, token: &str) -> Result<Lab, Refused> {
        let fine = token.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if !fine || !(16..=64).contains(&token.len()) {
            return Err(Refused::new(
                "a token has 16 to 64 letters, digits, - or _: others on this machine must not guess it",
            ));
        }
        Ok(Lab { token: Some(token.into()), ..self })
    }

    /// Opens the lab on a port of this machine; 0 lets the system choose.
    pub fn serve(self, port: u16) -> io::Result<Serving> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        let guard = Guard { token: self.token.map_or_else(random_token, Ok)?, port };
        let mut opening = self.opening;
        (opening.file, opening.cluster) = (self.file.is_some(), true);
        let (address, api) = (guard.address(), Api::new(self.catalog, opening, self.file)?);
        let server = HttpServer::start(listener, SETTINGS, move |request| answer(request, &guard, &api))?;
        Ok(Serving { server, address })
    }
}

impl Serving {
    /// The address of the page, its token included.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The port on which it listens.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.server.address().port()
    }
}

const SETTINGS: ServerSettings = ServerSettings {
    head: 16 << 10,
    body: 1 << 20,
    connections: 256,
    read_timeout: Duration::from_secs(3),
    write_timeout: Duration::from_secs(20),
    stack: crate::STACK,
    // The page may load only its own files, and no other page may load or frame it.
    headers: "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
        connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
        Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
        Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n",
};

fn answer(request: &Request, guard: &Guard, api: &Api) -> Response {
    let Some(rest) = guard.admit(request) else {
        let refusal = "There is nothing here. The lab answers only the address that it printed, on this machine.";
        return Response::text("404 Not Found", refusal);
    };
    match (request.method.as_str(), rest.strip_prefix("api/")) {
        ("POST", Some(verb)) => called(request, verb, api),
        ("GET", None) => match page::file(rest) {
            Some((kind, text)) => Response::new("200 OK", kind, text),
            None => Response::text("404 Not Found", "There is no such file."),
        },
        _ => Response::text("405 Method Not Allowed", "Files are read with GET, verbs are called with POST."),
    }
}

/// The answer of the engines to a page.
fn called(request: &Request, verb: &str, api: &Api) -> Response {
    // A form of another page can send other types without permission.
    if request.header("Content-Type") != Some("application/json") {
        return Response::text("415 Unsupported Media Type", "A request is application/json.");
    }
    // A refusal is an answer, too: a browser would report another status on its console.
    Response::new("200 OK", "application/json", api.answer(verb, &request.body))
}
