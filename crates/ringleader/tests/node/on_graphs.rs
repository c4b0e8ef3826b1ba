//! Nodes and clusters of algorithms for any graph.

#[cfg(unix)]
use crate::Daemon;
use crate::{Folder, complaint, ringleader};
#[cfg(unix)]
use std::path::PathBuf;

/// The tree and the settings of docs/trees.md, with addresses of this host; `changed` may change the two texts.
fn tree(folder: &Folder, changed: impl FnOnce(String, String) -> (String, String)) -> String {
    let page = include_str!("../../../../docs/trees.md");
    let fence = |kind: &str| {
        let (_, rest) = page.split_once(kind).unwrap();
        rest.split_once("```").unwrap().0.lines().map(|line| line.trim_start().to_string() + "\n").collect::<String>()
    };
    let (office, config, key) = (folder.file("office.txt"), folder.file("node.toml"), folder.file("cluster.key"));
    let mut settings = fence("```toml\n").replace("/etc/ringleader/office.txt", &office);
    settings = settings.replace("/etc/ringleader/cluster.key", &key).replace("127.0.0.1:7480", "127.0.0.1:0");
    for host in 1..6 {
        settings = settings.replace(&format!("10.0.0.{host}:7400"), &format!("127.0.0.1:{}", 7420 + host));
    }
    let (graph, settings) = changed(fence("```text\n"), settings);
    std::fs::write(&office, graph).unwrap();
    std::fs::write(&config, settings).unwrap();
    if !std::path::Path::new(&key).exists() {
        assert!(ringleader(&["node", "--new-key", &key], "").status.success());
    }
    config
}

#[test]
fn the_tree_of_the_documentation_is_sound_and_wrong_graphs_are_refused() {
    let folder = Folder::new("tree");
    let config = tree(&folder, |graph, settings| (graph, settings));
    for id in ["0", "1", "2", "3", "4"] {
        let output = ringleader(&["node", "--config", &config, "--id", id, "--check"], "");
        assert!(output.status.success(), "{output:?}");
    }
    let refused = |change: fn(String, String) -> (String, String), words: &str| {
        let config = tree(&folder, change);
        let said = complaint(&["node", "--config", &config, "--id", "1", "--check"]);
        assert!(said.contains(words), "{said}");
    };
    refused(|graph, settings| (graph + "1 5\n", settings), "between this node, 1, and 5, whose address is missing");
    refused(|graph, settings| (graph.replace("3 4\n", ""), settings), "peer 4 is not in the graph");
    refused(|graph, settings| (graph, format!("size = 4\n{settings}")), "size is 4, but the graph has 5 processes");
    refused(|graph, settings| (graph + "5 6\n", settings), "not connected");
    refused(
        |graph, settings| (graph + "2 4\n", settings),
        "tree-leader is for trees, and the graph has the cycle 1-2-4-3-1",
    );
    refused(|_, settings| ("0 1\n0 ?\n".into(), settings), "line 2");
    refused(|graph, settings| (graph, settings.replace("office.txt", "nowhere.txt")), "there is no such file");
}

/// A change of the graph needs a restart of all nodes, so a reload refuses it.
#[cfg(unix)]
#[test]
fn a_reload_with_another_graph_is_refused() {
    let folder = Folder::new("regraph");
    let own = |settings: String| format!("id = 1\n{settings}");
    let config = tree(&folder, |graph, settings| (graph, own(settings)));
    let daemon = Daemon::start(&config, PathBuf::from(folder.file("log")));
    daemon.logged("serving HTTP", 1);
    daemon.hang_up();
    daemon.logged("peers and keys reloaded", 1);
    tree(&folder, |_, settings| ("0 1\n1 2\n2 3\n3 4\n".into(), own(settings)));
    daemon.hang_up();
    let refusal = daemon.logged("not reloaded", 1);
    assert!(refusal.contains("the graph has changed"), "{refusal}");
}

#[test]
fn a_cluster_on_a_graph_heals_after_a_cut_link() {
    let cluster = |more: &[&str], script: &str| {
        let words = [&["cluster", "--heartbeat", "50ms", "--seed", "1", "--json", "--script", "-"], more].concat();
        let output = ringleader(&words, script);
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let tree = ["--algorithm", "tree-leader", "--graph", "binary-tree", "--nodes", "6"];
    let script = "settle 60s\ncut 0 1\ncorrupt all\nwait 500ms\njoin 1 0\nsettle 60s\nkill 0\nrestart 0\nsettle 60s\n";
    let (code, said) = cluster(&tree, script);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = cluster(&tree, "cut 0 5\n");
    assert!(code == Some(1) && said.contains("there is no link between node 0 and node 5"), "{said}");
    let (code, said) = cluster(&["--algorithm", "hsu-huang", "--graph", "grid:2x2", "--nodes", "4"], "settle 60s\n");
    assert!(code == Some(0) && said.contains("\"event\":\"settled\""), "{said}");
    let (code, said) = cluster(&["--algorithm", "yokota-ring", "--graph", "star"], "settle\n");
    assert!(code == Some(2) && said.contains("graph is for algorithms for any graph"), "{said}");
}
