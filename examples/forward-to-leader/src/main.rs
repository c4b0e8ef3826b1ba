//! A web service in which the leader answers: every node accepts requests, and a follower forwards them to the leader.
//!
//! In two terminals, with 0 and 1 for the identity, and a request to the follower in a third:
//!
//! ```sh
//! cargo run -- 0 127.0.0.1:7500 127.0.0.1:7501
//! curl http://127.0.0.1:7501/
//! ```
//!
//! A node elects over UDP and serves over TCP, both at its address. Without the guard two nodes may answer at the same time during a partition.
//! Where that does harm, use three nodes and set `Config::guard`, as in `run-once`.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::{Authority, Scheme, Uri};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::get};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use ringleader::node::{Config, Leadership, Node, Role};
use std::sync::Arc;
use std::time::Duration;
use tokio::{net::TcpListener, sync::watch, time::timeout};

/// Marks a forwarded request: it is not forwarded again, so that two nodes that name each other send nothing in circles.
const FORWARDED: &str = "x-forwarded-to-leader";
/// The time after which a leader that does not answer is given up.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone)]
struct Cluster {
    leadership: watch::Receiver<Leadership>,
    addresses: Arc<[Authority]>,
    client: Client<HttpConnector, Body>,
}

impl Cluster {
    /// The leader's response to this request.
    async fn forward(&self, leader: usize, mut request: Request) -> Result<Response, (StatusCode, String)> {
        let mut parts = request.uri().clone().into_parts();
        parts.scheme = Some(Scheme::HTTP);
        parts.authority = self.addresses.get(leader).cloned();
        *request.uri_mut() =
            Uri::from_parts(parts).map_err(|error| (StatusCode::BAD_GATEWAY, format!("node {leader}: {error}\n")))?;
        request.headers_mut().insert(FORWARDED, HeaderValue::from_static("1"));
        match timeout(PATIENCE, self.client.request(request)).await {
            Ok(Ok(response)) => Ok(response.map(Body::new)),
            Ok(Err(error)) => Err((StatusCode::BAD_GATEWAY, format!("the leader, node {leader}: {error}\n"))),
            Err(_) => Err((StatusCode::GATEWAY_TIMEOUT, format!("the leader, node {leader}, does not answer\n"))),
        }
    }
}

/// Lets the leader's service answer, here or at the leader.
async fn by_the_leader(State(cluster): State<Cluster>, request: Request, next: Next) -> Response {
    let now = *cluster.leadership.borrow();
    match now.named() {
        _ if now.state == Role::Leader => next.run(request).await,
        Some(leader) if now.state == Role::Follower && !request.headers().contains_key(FORWARDED) => {
            cluster.forward(leader, request).await.into_response()
        }
        _ => {
            (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "1")], "no leader is known: try again\n").into_response()
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let id: usize =
        arguments.next().ok_or("give the identity of this node, then the addresses of all nodes")?.parse()?;
    let addresses: Vec<String> = arguments.collect();
    let own = addresses.get(id).ok_or("there is no address for this identity")?;
    let listener = TcpListener::bind(own).await?;
    let mut config = Config::new(id, own.parse()?).heartbeat(Duration::from_millis(200));
    config.peers = addresses.iter().cloned().enumerate().collect();
    // Without a key the nodes must be on loopback: `config.keys = read_keys("cluster.key".as_ref())?` for real hosts.
    let node = Node::start(config)?;
    let cluster = Cluster {
        leadership: node.subscribe()?,
        addresses: addresses.iter().map(|address| address.parse()).collect::<Result<_, _>>()?,
        client: Client::builder(TokioExecutor::new()).build_http(),
    };
    let service = Router::new()
        .route("/", get(move || async move { format!("answered by node {id}\n") }))
        .layer(from_fn_with_state(cluster, by_the_leader));
    let interrupted = async { drop(tokio::signal::ctrl_c().await) };
    axum::serve(listener, service).with_graceful_shutdown(interrupted).await?;
    node.stop(); // it hands over
    Ok(())
}
