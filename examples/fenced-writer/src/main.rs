//! A writer to PostgreSQL that is fenced by its token: the database refuses the write of a leader after the first write of the next one.
//!
//! Once, the tables: `psql -f docs/examples/fencing/fence.sql`. Then in three terminals, with 0, 1 and 2 for the identity:
//!
//! ```sh
//! cargo run -- --first-start 0 state0 "host=127.0.0.1 user=postgres" 127.0.0.1:7500 127.0.0.1:7501 127.0.0.1:7502
//! ```
//!
//! `--first-start` makes the state file: leave it out in later starts. A majority confirms the leader and gives it a token, greater than all tokens before.
//! The leader takes its token before the work and writes with that token after it. If the process was paused meanwhile, another leader may have
//! written with a greater token: the database refuses the late write. Stop the leader's process for some seconds (`kill -STOP`, `kill -CONT`) to see it.

use postgres::error::SqlState;
use postgres::{Client, NoTls};
use ringleader::node::{Config, Guard, Node, new_state};
use std::path::PathBuf;
use std::time::Duration;

const USAGE: &str =
    "give [--first-start], the identity of this node, its state file, the database, and the addresses of all nodes";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let first_start = arguments.first().is_some_and(|argument| argument == "--first-start");
    let [id, state, database, addresses @ ..] = &arguments.split_off(first_start.into())[..] else {
        return Err(USAGE.into());
    };
    let (id, state): (usize, PathBuf) = (id.parse()?, state.into());
    let own = addresses.get(id).ok_or("there is no address for this identity")?;
    let mut config = Config::new(id, own.parse()?).heartbeat(Duration::from_millis(200));
    config.peers = addresses.iter().cloned().enumerate().collect();
    config.guard = Some(Guard::for_heartbeat(config.tempo.heartbeat));
    if first_start {
        new_state(&state, &config.cluster, id, 0, Some(config.list()?))?;
    }
    config.state = Some(state);
    let mut database = Client::connect(database, NoTls)?;
    // Without a key the nodes must be on loopback: `config.keys = read_keys("cluster.key".as_ref())?` for real hosts.
    let node = Node::start(config)?;
    loop {
        let token = node.leadership().confirmation.and_then(|lease| lease.token);
        std::thread::sleep(Duration::from_millis(300)); // the work
        let Some(token) = token else { continue };
        match database.execute("select write_as($1, $2)", &[&i64::try_from(token)?, &i32::try_from(id)?]) {
            Ok(_) => println!("node {id} has written with token {token}"),
            Err(error) => match error.as_db_error() {
                Some(refusal) if *refusal.code() == SqlState::RAISE_EXCEPTION => {
                    println!("node {id}: {}", refusal.message());
                }
                // A writer without its database does not lead: the program ends, and its node hands over.
                _ => return Err(error.into()),
            },
        }
    }
}
