//! Access to the lab: only for the page that was opened with its token, in a browser on this machine.
//!
//! The token is the first part of every path, so the page's own relative addresses carry it and no other page knows it. A page of
//! another site that guessed an address has another `Origin`, and a rebound name has another `Host`.

use ringleader_node::http::Request;
use std::io::Read;

/// The check that every request must pass.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) token: String,
    pub(crate) port: u16,
}

/// The number of random bytes in a token.
const BYTES: usize = 16;

/// A random token.
pub(crate) fn random_token() -> std::io::Result<String> {
    let mut bytes = [0; BYTES];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Guard {
    /// The address of the page.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// The path after the token, if the request may be answered.
    pub(crate) fn admit<'a>(&self, request: &'a Request) -> Option<&'a str> {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let is_ours = |host: &str| hosts.iter().any(|known| host == known);
        let same_origin = |origin: &str| origin.strip_prefix("http://").is_some_and(is_ours);
        let same_site = |site: &str| site == "same-origin" || site == "none";
        let passes = request.header("Host").is_some_and(is_ours)
            && request.header("Origin").is_none_or(same_origin)
            && request.header("Sec-Fetch-Site").is_none_or(same_site);
        let (token, rest) = request.path.strip_prefix('/')?.split_once('/')?;
        (passes && same(token, &self.token)).then_some(rest)
    }
}

/// Whether two texts are equal, in a time that does not depend on where they differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard { token: "secret".into(), port: 4711 }
    }

    fn admitted(path: &str, headers: &[(&str, &str)]) -> Option<String> {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let request = Request { path: path.into(), headers, ..Request::default() };
        guard().admit(&request).map(String::from)
    }

    const HOST: (&str, &str) = ("Host", "127.0.0.1:4711");

    #[test]
    fn the_page_is_admitted() {
        assert_eq!(admitted("/secret/run.js", &[HOST]).unwrap(), "run.js");
        assert_eq!(admitted("/secret/", &[HOST]).unwrap(), "");
        let own = [("host", "localhost:4711"), ("Origin", "http://localhost:4711"), ("Sec-Fetch-Site", "same-origin")];
        assert_eq!(admitted("/secret/run.js", &own).unwrap(), "run.js");
    }

    #[test]
    fn other_requests_are_refused() {
        for path in ["/", "/secret", "/secreT/run.js", "/secre/run.js", "//run.js"] {
            assert_eq!(admitted(path, &[HOST]), None, "{path}");
        }
        assert_eq!(admitted("/secret/run.js", &[]), None);
        for host in ["rebound.example:4711", "127.0.0.1", "127.0.0.1:4712"] {
            assert_eq!(admitted("/secret/run.js", &[("Host", host)]), None, "{host}");
        }
        let foreign = [
            ("Origin", "http://evil.example"),
            ("Origin", "null"),
            ("Origin", "https://127.0.0.1:4711"),
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Site", "same-site"),
        ];
        for header in foreign {
            assert_eq!(admitted("/secret/run.js", &[HOST, header]), None, "{header:?}");
        }
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let [a, b] = [(); 2].map(|()| random_token().unwrap());
        assert!(a != b && a.len() == 2 * BYTES);
    }
}
