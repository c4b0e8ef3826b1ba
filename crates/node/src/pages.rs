//! The read-only pages of a node, for load balancers, probes and Prometheus.

use crate::http::{HttpServer, Request, Response, ServerSettings};
use crate::metrics::{leadership_json, prometheus};
use crate::observer::Observer;
use crate::status_page::status_json;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::time::Duration;

/// The limits of a node's servers.
pub(crate) const SETTINGS: ServerSettings = ServerSettings {
    head: 4096,
    body: 4096,
    connections: 32,
    read_timeout: Duration::from_secs(2),
    write_timeout: Duration::from_secs(2),
    stack: 256 << 10,
    headers: "Cache-Control: no-store\r\n",
};

/// Serves the pages of the observed node until the server is dropped. A request must name the node by an address, as `localhost`, or by one of
/// these names: a page of another site cannot read them under a name of its own.
pub fn serve(listen: SocketAddr, observer: Observer, names: Vec<String>) -> std::io::Result<HttpServer> {
    let answer = move |request: &Request| match is_for(request, &names) {
        true => page(request, &observer),
        false => Response::text(
            "421 Misdirected Request",
            "this node is not known by the name in the header Host: use an address, or give the name in http-name\n",
        ),
    };
    HttpServer::start(TcpListener::bind(listen)?, SETTINGS, answer)
}

/// Whether the request names this node. A request of HTTP/1.0 names none; browsers do not send it.
fn is_for(request: &Request, names: &[String]) -> bool {
    let Some(host) = request.header("Host") else { return true };
    if host.parse::<SocketAddr>().is_ok() {
        return true;
    }
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let bare = if host.ends_with(']') { host } else { name };
    let address = bare.trim_start_matches('[').trim_end_matches(']');
    let known = |known: &String| known.trim_end_matches('.').eq_ignore_ascii_case(name.trim_end_matches('.'));
    address.parse::<IpAddr>().is_ok() || name.eq_ignore_ascii_case("localhost") || names.iter().any(known)
}

/// The page of the node that a request names.
pub(crate) fn page(request: &Request, observer: &Observer) -> Response {
    if !["GET", "HEAD"].contains(&request.method.as_str()) {
        return Response::text("405 Method Not Allowed", "only GET and HEAD are supported\n");
    }
    match request.path.as_str() {
        "/leader" => Response::new("200 OK", "application/json", leadership_json(observer)),
        "/status" => Response::new("200 OK", "application/json", status_json(observer)),
        "/leader/self" if observer.leads() => Response::text("200 OK", "leader\n"),
        "/leader/self" => Response::text("503 Service Unavailable", "not the leader\n"),
        "/healthz" if observer.healthy() => Response::text("200 OK", "ok\n"),
        "/healthz" => Response::text("503 Service Unavailable", "the loop is stalled\n"),
        "/metrics" => Response::new("200 OK", "text/plain; version=0.0.4", prometheus(observer)),
        path if !path.starts_with('/') => Response::text("400 Bad Request", "the path must begin with /\n"),
        _ => Response::text("404 Not Found", "the pages are /leader, /leader/self, /status, /healthz and /metrics\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_this_node() {
        let names = ["a.example.org".to_string()];
        let request = |host: &str| Request { headers: vec![("host".into(), host.into())], ..Request::default() };
        assert!(is_for(&Request::default(), &names));
        for host in
            ["127.0.0.1:7480", "10.0.0.1", "[::1]:7480", "[::1]", "localhost", "localhost:7480", "A.example.org:7480"]
        {
            assert!(is_for(&request(host), &names), "{host}");
        }
        for host in
            ["rebound.example:7480", "rebound.example", "a.example.org.evil", "", "127.0.0.1.evil:80", "[evil]:1"]
        {
            assert!(!is_for(&request(host), &names), "{host}");
        }
    }
}
