//! The read-only pages of a node, for load balancers, probes and Prometheus.

use crate::http::{HttpServer, Request, Response, ServerSettings};
use crate::metrics::{leadership_json, prometheus};
use crate::observer::Observer;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

const SETTINGS: ServerSettings = ServerSettings {
    head: 4096,
    body: 4096,
    connections: 32,
    read_timeout: Duration::from_secs(2),
    write_timeout: Duration::from_secs(2),
    stack: 256 << 10,
    headers: "Cache-Control: no-store\r\n",
};

/// Serves the pages of the observed node until the server is dropped.
pub fn serve(listen: SocketAddr, observer: Observer) -> std::io::Result<HttpServer> {
    HttpServer::start(TcpListener::bind(listen)?, SETTINGS, move |request| page(request, &observer))
}

fn page(request: &Request, observer: &Observer) -> Response {
    if !["GET", "HEAD"].contains(&request.method.as_str()) {
        return Response::text("405 Method Not Allowed", "only GET and HEAD are supported\n");
    }
    match request.path.as_str() {
        "/leader" => Response::new("200 OK", "application/json", leadership_json(observer)),
        "/leader/self" if observer.leads() => Response::text("200 OK", "leader\n"),
        "/leader/self" => Response::text("503 Service Unavailable", "not the leader\n"),
        "/healthz" if observer.healthy() => Response::text("200 OK", "ok\n"),
        "/healthz" => Response::text("503 Service Unavailable", "the loop is stalled\n"),
        "/metrics" => Response::new("200 OK", "text/plain; version=0.0.4", prometheus(observer)),
        path if !path.starts_with('/') => Response::text("400 Bad Request", "the path must begin with /\n"),
        _ => Response::text("404 Not Found", "the pages are /leader, /leader/self, /healthz and /metrics\n"),
    }
}
