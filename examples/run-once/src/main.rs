//! A job that runs once in a cluster: every host runs this program with the same timetable, and only the confirmed leader works.
//!
//! In three terminals, with 0, 1 and 2 for the identity:
//!
//! ```sh
//! cargo run -- 0 127.0.0.1:7500 127.0.0.1:7501 127.0.0.1:7502
//! ```
//!
//! A majority confirms the leader, so two hosts never work at the same time. The clocks of hosts differ: after a failover the next leader may
//! run the job of a second that is over on its predecessor. Where that does harm, store the number of the job under the fencing token
//! (`Config::state`), in a table such as that of `docs/examples/fencing/fence.sql`.

use ringleader::node::{Config, Guard, Node};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let id: usize =
        arguments.next().ok_or("give the identity of this node, then the addresses of all nodes")?.parse()?;
    let addresses: Vec<String> = arguments.collect();
    let own = addresses.get(id).ok_or("there is no address for this identity")?;
    let mut config = Config::new(id, own.parse()?).heartbeat(Duration::from_millis(200));
    config.peers = addresses.into_iter().enumerate().collect();
    config.guard = Some(Guard::for_heartbeat(config.tempo.heartbeat));
    // Without a key the nodes must be on loopback: `config.keys = read_keys("cluster.key".as_ref())?` for real hosts.
    let node = Node::start(config)?;
    node.on_change(move |now| eprintln!("node {id} is {}", now.state))?;
    loop {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let job = now.as_secs() + 1;
        std::thread::sleep(Duration::from_secs(job) - now);
        if node.is_confirmed() {
            println!("job {job} on node {id}");
        }
    }
}
