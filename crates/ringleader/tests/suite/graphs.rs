//! Algorithms for the processes of any graph, in every verb.

use crate::program::{json, run};
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("graphs");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

#[track_caller]
fn says(arguments: &str, code: i32, parts: &[&str]) -> String {
    let (found, said) = run(arguments);
    assert_eq!(found, code, "{arguments}: {said}");
    for part in parts {
        assert!(said.contains(part), "{arguments} does not say {part:?}: {said}");
    }
    said
}

/// The numbers of graphs are those of OEIS A001349, A000055, A126100 and A001187.
#[test]
fn one_verdict_over_all_graphs_names_the_graphs() {
    says(
        "check hsu-huang --graph all --size 4",
        0,
        &[
            "6 connected graphs of 4 processes, up to isomorphism: holds on all of them",
            "graph with the edges 0-3 1-2 1-3 2-3",
        ],
    );
    says(
        "check huang-chen --graph all --size 4",
        0,
        &["11 connected graphs of 4 processes with a root, up to isomorphism: holds"],
    );
    says(
        "check arora-gouda --graph all --size 3",
        0,
        &["4 connected graphs of 3 processes with numbered vertices: holds"],
    );
    says(
        "check tree-leader --graph trees --size 4",
        0,
        &["2 trees of 4 processes, up to isomorphism: holds on all of them"],
    );
    says(
        "check independent-set --graph all --size 4 --eventually inside[0]=1",
        1,
        &["38 connected graphs of 4 processes with numbered vertices: fails on 38"],
    );
    for name in ["best-offer", "local-detection"] {
        says(
            &format!("check {name} --graph all --size 3"),
            0,
            &["4 connected graphs of 3 processes with numbered vertices: holds"],
        );
        // The corpus has the path, the ring and the complete graph; every graph of 4 takes half a second.
        for (graph, edges) in
            [("star", "0 1\n0 2\n0 3\n"), ("paw", "0 1\n0 2\n1 2\n2 3\n"), ("diamond", "0 1\n0 2\n1 2\n1 3\n2 3\n")]
        {
            let path = file(graph);
            std::fs::write(&path, edges).expect("written");
            says(&format!("check {name} --graph {}", path.display()), 0, &["holds: from every configuration"]);
        }
    }
    let found = json("check hsu-huang --graph all --size 4 --scheduler distributed --json", 1);
    // Right on the two trees, wrong on every other graph (brute force).
    assert_eq!(found["graphs"]["failing"], 4);
    assert_eq!(found["graphs"]["told_apart_by"], serde_json::json!([]));
    let named = json("check independent-set --graph all --size 3 --json --eventually inside[0]=1", 1);
    assert_eq!(named["graphs"]["told_apart_by"], serde_json::json!(["identities"]));
    assert_eq!(named["graphs"]["count"], 4);
    let worst = json("check hsu-huang --graph all --size 5 --json", 0);
    assert_eq!(worst["graphs"]["count"], 21);
    assert_eq!(worst["steps"]["to_really_safe"]["worst"], 15.0, "the complete graph of 5 (brute force): {worst}");
    says("check independent-set --graph all --size 9", 2, &["at most 8 agents"]);
    says(
        "check arora-gouda --graph all --size 7",
        2,
        &["more than 100000 graphs of 7 processes with numbered vertices"],
    );
}

#[test]
fn an_algorithm_for_trees_runs_on_trees() {
    says("check tree-leader --size 4", 0, &["tree-leader: 4 processes, line\n", "holds"]);
    says("elect tree-centre --size 5 --seed 1", 0, &["5 processes, line"]);
    says("explore tree-centre --size 3 --graph star", 0, &[]);
    says("simulate tree-centre --size 2000 --runs 1 --seed 1", 0, &["line"]);
    for verb in ["check", "elect", "simulate", "explore", "draw"] {
        says(
            &format!("{verb} tree-leader --graph complete --size 4"),
            2,
            &["tree-leader is for trees, and the graph has the cycle 0-1-2-0: choose a tree, such as line"],
        );
    }
    says("check tree-leader --graph all --size 4", 2, &["tree-leader is for trees: use --graph trees"]);
}

#[test]
fn the_counterexample_on_the_worst_graph_is_replayed_and_drawn() {
    let (trace, picture) = (file("matching.trace"), file("matching.svg"));
    let check = format!("check hsu-huang --graph all --size 4 --scheduler distributed --save {}", trace.display());
    says(&check, 1, &["The failing graph with the fewest edges:", "hsu-huang: 4 processes, undirected ring 0-1-3-2"]);
    says(&format!("elect --replay {}", trace.display()), 0, &[]);
    says(&format!("draw --replay {} --output {}", trace.display(), picture.display()), 0, &["hsu-huang, 4 processes"]);
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    assert!(svg.contains(">pointer</text>") && svg.contains(">read by it</text>") && svg.contains("repeats for ever"));
}

#[test]
fn starts_by_a_condition() {
    says("check independent-set --graph star --size 4 --start inside[0]=1", 0, &["given starts"]);
    says("check independent-set --graph line --size 3 --scheduler distributed --start 0:3", 1, &[]);
}

/// Pointers are shown and read as the processes at which they point.
#[test]
fn pointers_name_processes() {
    let start = file("pointers.txt");
    let with = |pointer: &str| {
        let agents = format!("agent 0: p=2\nagent 1: p={pointer}\nagent 2: p=none\n");
        std::fs::write(&start, format!("ringleader configuration 1\nalgorithm hsu-huang\nsize 3\n{agents}"))
            .expect("a file");
        format!("check hsu-huang --graph star --size 3 --scheduler random --start {}", start.display())
    };
    says(&with("0"), 0, &["holds", "p="]);
    says(&with("2"), 2, &["p must be one of none, 0, not \"2\""]);
    let trace = file("pointers.trace");
    let check = format!("check hsu-huang --graph complete --size 3 --scheduler distributed --save {}", trace.display());
    says(&check, 1, &["p=none"]);
    says(&format!("elect --replay {}", trace.display()), 0, &[]);
    let written = std::fs::read_to_string(&trace).expect("a trace");
    // Process 0 has no port to itself: its pointers are 1, 2 and none.
    assert!(written.contains("p=none") && !written.contains("agent 0: p=0"), "{written}");
}

#[test]
fn runs_on_graphs() {
    let said = says("elect tree-leader --graph line --size 5 --seed 3", 0, &["5 processes, line", "reached", "healed"]);
    assert_eq!(said, says("elect tree-leader --graph line --size 5 --seed 3", 0, &[]), "the same seed, the same run");
    let simulated = "simulate independent-set --graph grid --size 400 --runs 4 --seed 1 --json";
    says(simulated, 0, &["\"not_reached\": 0", "\"runs\": 4", "\"graph\": \"grid\""]);
    says("simulate tree-leader --graph random-tree --size 8,16,32,64 --runs 20 --seed 1", 0, &["64"]);
    says("simulate tree-leader --size 5 --scheduler alternating --runs 5 --seed 1 --count-rounds", 0, &["rounds"]);
    says("elect unison --graph grid --size 6 --scheduler alternating --seed 1", 0, &["reached"]);
    says("simulate independent-set --size 5000 --runs 1", 2, &["12497500 edges", "--graph random-tree"]);
    says("simulate yokota-ring --graph star --size 5", 2, &["directed ring"]);
    says("simulate dijkstra-k-state --graph star --size 5", 2, &["--graph is not for dijkstra-k-state"]);
}

#[test]
fn configurations_and_pictures_of_graphs() {
    let explored = json("explore independent-set --graph star --size 4 --json", 0);
    assert_eq!((&explored["configurations"], &explored["really_safe"]), (&16.into(), &2.into()));
    says("explore independent-set --graph star --size 4 --scheduler alternating", 2, &["alternating"]);
    says("explore franklin --graph star --size 4", 2, &["--graph is not for franklin"]);
    let picture = file("grid.svg");
    says(
        &format!("draw huang-chen --graph grid:2x3 --size 6 --seed 1 --output {}", picture.display()),
        0,
        &["goal reached"],
    );
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    assert!(svg.contains(">step 0</text>") && svg.contains(">pointer</text>"));
    says("draw independent-set --graph line --size 300", 2, &["at most 200"]);
    let page = file("run.html");
    says(&format!("elect tree-leader --graph line --size 4 --seed 1 --html {}", page.display()), 0, &[]);
    let page = std::fs::read_to_string(&page).expect("a page");
    assert!(page.contains("\"neighbours\":[[1],[0,2],[1,3],[2]]"), "the page has no graph");
}

/// Dijkstra's K-state ring, brute-forced: K = 2n - 2 fails, K = 2n - 1 holds.
#[test]
fn read_write_atomicity() {
    let check = "check dijkstra-k-state --size 3 --atomicity read-write --scheduler unfair --k";
    says(&format!("{check} 4"), 1, &["fails", "left.x="]);
    says(&format!("{check} 5"), 0, &["holds", "15625 configurations"]);
    says("check independent-set --graph line --size 3 --atomicity read-write", 1, &["fails"]);
    says("simulate dijkstra-k-state --size 5 --k 9 --atomicity read-write --runs 5 --seed 1", 0, &[]);
    // Copies show ports, of which the neighbour may have fewer.
    says("check hsu-huang --graph line --size 3 --atomicity read-write", 0, &["process 0: p=1 copy.p[1]=2"]);
    says("check yokota-ring --size 3 --atomicity read-write", 2, &["processes that read their neighbours"]);
}

#[test]
fn a_name_with_sides_sets_the_size() {
    let found = json("check independent-set --graph grid:2x2 --json", 0);
    assert_eq!(found["size"], 4);
    says("check independent-set --graph grid:2x2 --size 5", 2, &["--size is 5, but the graph has 4 agents"]);
    says("elect independent-set --graph grid:2x3 --seed 1 --json", 0, &[r#""size":6"#]);
    says("elect independent-set --graph trees --size 4", 2, &["--graph trees is for `check`"]);
}

/// The root of `huang-chen` is process 0: the agent with the least number of the file, a leaf of this star.
#[test]
fn numbers_in_a_file_keep_their_order() {
    let star = file("star.txt");
    std::fs::write(&star, "7 1\n7 2\n7 0\n").expect("written");
    let words = ["check", "huang-chen", "--graph", star.to_str().expect("a path"), "--json"];
    let found = crate::program::json_words(&words, 0);
    assert_eq!(found["graph"], "graph with the arcs 3->1 3->2 3->0");
}

/// 720 of the 46,656 colourings are proper; an orbit of the complete graph has up to 720 members.
#[test]
fn means_count_every_member_of_an_orbit() {
    let told = json("check colouring --size 6 --graph complete --scheduler unfair --within 0 --json", 0);
    assert!(told["classes"].as_u64().is_some_and(|classes| classes < 500), "{told}");
    let mean = &told["within"]["least"][0]["mean"];
    let bounds = ["low", "high"].map(|end| mean[end].as_f64().expect("a number"));
    let right = 720.0 / 46656.0;
    assert!(bounds[0] <= right && right <= bounds[1], "{mean}");
}
