//! Who may speak to the lab: the page that was opened with its token, in a browser on this machine, and nobody else.
//!
//! The token is the first part of every path, so the page's own relative addresses carry it and nothing else knows it. A page of
//! another site may try an address by luck, but not with our `Host`, which a rebound name cannot have, nor with our `Origin`.

use std::io::Read;

/// What is asked of a request before anything else.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    token: String,
    port: u16,
}

/// What a request says of itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Claims<'a> {
    pub host: Option<&'a str>,
    pub origin: Option<&'a str>,
    pub site: Option<&'a str>,
    pub path: &'a str,
}

/// How many bytes of chance a token has.
const BYTES: usize = 16;

impl Guard {
    /// A guard with a token that nobody can guess.
    pub(crate) fn new(port: u16) -> std::io::Result<Guard> {
        let mut bytes = [0; BYTES];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Guard { token: bytes.iter().map(|byte| format!("{byte:02x}")).collect(), port })
    }

    /// The page's address.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// What follows the token in the path of a request, if the request may be answered.
    pub(crate) fn admit<'a>(&self, claims: Claims<'a>) -> Option<&'a str> {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let ours = |host: &str| hosts.iter().any(|known| host == known);
        let from_here = |origin: &str| origin.strip_prefix("http://").is_some_and(ours);
        let same_site = |site: &str| site == "same-origin" || site == "none";
        if !claims.host.is_some_and(ours) || !claims.origin.is_none_or(from_here) || !claims.site.is_none_or(same_site)
        {
            return None;
        }
        let (token, rest) = claims.path.strip_prefix('/')?.split_once('/')?;
        same(token, &self.token).then_some(rest)
    }
}

/// Whether two texts are the same, in a time that does not tell how far they are.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard { token: "secret".into(), port: 4711 }
    }

    fn claims(path: &str) -> Claims<'_> {
        Claims { host: Some("127.0.0.1:4711"), origin: None, site: None, path }
    }

    #[test]
    fn the_page_is_admitted() {
        let path = "/secret/run.js";
        assert_eq!(guard().admit(claims(path)), Some("run.js"));
        assert_eq!(guard().admit(claims("/secret/")), Some(""));
        let own = Claims { origin: Some("http://localhost:4711"), site: Some("same-origin"), ..claims(path) };
        assert_eq!(guard().admit(Claims { host: Some("localhost:4711"), ..own }), Some("run.js"));
    }

    #[test]
    fn nobody_else_is() {
        let path = "/secret/run.js";
        let refused = [
            claims("/"),
            claims("/secret"),
            claims("/secreT/run.js"),
            claims("/secre/run.js"),
            claims("//run.js"),
            Claims { host: None, ..claims(path) },
            Claims { host: Some("rebound.example:4711"), ..claims(path) },
            Claims { host: Some("127.0.0.1"), ..claims(path) },
            Claims { host: Some("127.0.0.1:4712"), ..claims(path) },
            Claims { origin: Some("http://evil.example"), ..claims(path) },
            Claims { origin: Some("null"), ..claims(path) },
            Claims { origin: Some("https://127.0.0.1:4711"), ..claims(path) },
            Claims { site: Some("cross-site"), ..claims(path) },
            Claims { site: Some("same-site"), ..claims(path) },
        ];
        for claims in refused {
            assert_eq!(guard().admit(claims), None, "{claims:?}");
        }
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let [a, b] = [(); 2].map(|()| Guard::new(1).unwrap().address());
        assert!(a != b && a.len() > 2 * BYTES);
    }
}
