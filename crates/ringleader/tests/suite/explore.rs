//! `explore` and `check` on algorithms that pass messages, from the outside.

use crate::exported::{drn, extremes};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn ringleader(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ringleader")).args(arguments.split_whitespace()).output().expect("it runs")
}

fn json(arguments: &str, code: i32) -> Value {
    let output = ringleader(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn refusal(arguments: &str) -> String {
    let output = ringleader(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    String::from_utf8(output.stderr).expect("text")
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn counts_are_of_the_full_state_space() {
    let full = json("explore franklin --size 3 --json", 0);
    assert_eq!(
        (&full["states"], &full["transitions"], &full["stored"]),
        (&15_445.into(), &43_968.into(), &15_445.into())
    );
    let turned = json("explore franklin --size 3 --reduce rotation --json", 0);
    assert_eq!((&turned["states"], &turned["transitions"]), (&full["states"], &full["transitions"]));
    assert!(turned["stored"].as_u64() < full["stored"].as_u64());
    let reduced =
        json("explore franklin --size 3 --reading left-first --reduce confluence --minimize branching --json", 0);
    assert_eq!((&reduced["stored"], reduced.get("states")), (&1_819.into(), None));
    assert_eq!((&reduced["quotient"]["states"], &reduced["quotient"]["transitions"]), (&2.into(), &1.into()));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut results =
        [1, 2, 3].map(|threads| json(&format!("explore franklin --size 3 --threads {threads} --json"), 0));
    for result in &mut results {
        for varying in ["seconds", "peak_bytes"] {
            result.as_object_mut().expect("an object").remove(varying);
        }
    }
    assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
}

#[test]
fn the_compact_set_holds_the_same_states() {
    let rotation = "explore franklin --size 4 --reduce rotation --verify --json";
    let [plain, compact, other] =
        ["plain", "compact", "compact --hash-seed 9"].map(|set| json(&format!("{rotation} --set {set}"), 0));
    assert_eq!(
        (&plain["set"], &compact["set"], &compact["invariant"]),
        (&"plain".into(), &"compact".into(), &25.into())
    );
    for name in ["states", "transitions", "deadlocks", "stored", "depth", "invariant", "verified"] {
        assert_eq!((&compact[name], &other[name]), (&plain[name], &plain[name]), "{name}");
    }
    assert_eq!(compact["verified"]["sound"], true);
}

#[test]
fn impossible_requests_are_refused_with_a_reason() {
    let plain = refusal("explore franklin --size 7 --reduce rotation --memory 14 --set plain");
    assert!(plain.contains("will not fit"), "{plain}");
    let too_large = refusal("explore franklin --size 7 --memory 2");
    assert!(too_large.contains("will not fit") && too_large.contains("--reduce"), "{too_large}");
    assert!(refusal("explore itai-rodeh --size 2").contains("infinitely many states: bound its rounds"));
    assert!(refusal("check itai-rodeh --size 2").contains("--rounds 3"));
    assert!(refusal("explore franklin --size 3 --minimize strong --memory 0.002").contains("omit --minimize"));
    assert!(refusal("check franklin --size 4 --reading both --within 9 --memory 0.01").contains("exceeds the limit"));
    assert!(refusal("explore robust-s1 --size 4").contains("runs on clocks and never ends"));
    assert!(refusal("explore yokota-ring --size 3 --minimize strong").contains("it passes no messages"));
    assert!(refusal("explore yokota-ring --size 6").contains("2.2e13 configurations"));
    assert!(refusal("explore yokota-ring --size 4 --memory 0.1").contains("GiB may be used"));
    assert!(refusal("explore token-circulation --size 3 --reduce rotation").contains("given values differ"));
    assert!(
        refusal("explore dijkstra-k-state --size 3 --scheduler unfair --reduce rotation").contains("not identical")
    );
    let named = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("named.ring");
    let text = "protocol named\nmodel ring\nstate a : bit\ngoal a[0] = 1 \"one\"\nsafe = a[0] = 1\nfirst:\n  1: a = 0 -> a := 1\n";
    std::fs::write(&named, text).expect("written");
    let named = format!("explore {} --size 3 --reduce rotation", named.display());
    assert!(refusal(&named).contains("a set of the algorithm names an agent by its place"));
    assert!(
        refusal("explore fich-johnen --size 3 --scheduler fair").contains("a plain Markov decision process has none")
    );
    assert!(refusal("explore yokota-ring --size 2 --scheduler distributed").contains("is for rings of processes"));
    assert!(refusal("explore herman --size 3 --reduce rotation").contains("random and unfair, not for synchronous"));
    for partners in ["explore herman --size 3", "explore random-colouring --graph ring --size 4"] {
        assert!(refusal(&format!("{partners} --scheduler random-partner")).contains("is for population protocols"));
    }
    assert!(refusal("explore franklin --size 3 --scheduler random").contains("covers every scheduler"));
    assert!(refusal("explore fokkink-pang --size 3 --reading both").contains("--reading is for franklin"));
    assert!(
        refusal("explore chang-roberts --size 4 --reduce rotation").contains("the processes of this algorithm differ")
    );
    assert!(refusal("explore franklin --size 3 --export m.txt").contains(".drn"));
    let no_quotient = refusal("explore franklin --size 2 --minimize strong --export m.drn");
    assert!(no_quotient.contains("use .aut or .dot"), "{no_quotient}");
    assert!(refusal("explore franklin --size 3 --memory nan").contains("positive"));
    assert!(refusal("check franklin --size 3 --scheduler locally-fair").contains("covers every scheduler"));
    let against = refusal("check fich-johnen --size 3 --within 5 --against variant=b");
    assert!(against.contains("--against is for algorithms that pass messages"), "{against}");
    let verdict = json("check franklin --size 4 --reading both --memory 0.01 --json", 0);
    assert!(verdict["not_computed"].is_string() && verdict["probability"].is_null(), "{verdict}");
    assert!(refusal("check franklin --size 3 --within 5 --against b").contains("NAME=VALUE"));
}

#[test]
fn a_flaw_is_found_saved_and_replayed() {
    let path = scratch("flaw.trace");
    let verdict = json(&format!("check franklin-no-bit --size 3 --ids 3 --save {} --json", path.display()), 1);
    assert_eq!(verdict["holds"], false);
    assert!(verdict["probability"]["min"]["high"].as_f64() < Some(1.0));
    let trace = std::fs::read_to_string(&path).expect("it was written");
    assert_eq!(verdict["trace"], trace);
    let played = ringleader(&format!("elect --replay {}", path.display()));
    assert_eq!(played.status.code(), Some(0));
    assert!(
        String::from_utf8_lossy(&played.stdout)
            .ends_with("The run ends here, without a leader: no process can take another step.\n")
    );
    // A step that the algorithm does not allow is refused, with its line.
    std::fs::write(&path, trace.replace("receive", "receive 0 left 0\nreceive")).expect("it can be written");
    assert!(refusal(&format!("elect --replay {}", path.display())).contains("line "));
    assert_eq!(json("check franklin-no-bit --size 3 --ids 3 --channels fifo --json", 0)["holds"], true);
}

/// Herman's ring of three: from three tokens, 1 - 4^-t; six of the eight configurations have one token.
#[test]
fn probabilities_within_steps_from_the_worst_start_and_on_average() {
    let (csv, svg) = (scratch("herman.csv"), scratch("herman.svg"));
    let files = format!("--csv {} --plot {}", csv.display(), svg.display());
    let told = ringleader(&format!("check herman --size 3 --within 4 --quantile 0.99 --start clean {files}"));
    let text = String::from_utf8_lossy(&told.stdout);
    let lines = [
        "      t  worst start    mean over all  from clean",
        "      1  0.750000       0.937500       0.750000",
        "  within 4 steps from every start",
        "  within 3 steps from a start that is chosen uniformly at random",
    ];
    assert!(lines.iter().all(|line| text.contains(line)), "{text}");
    let rows = std::fs::read_to_string(csv).expect("it was written");
    assert!(rows.starts_with("t,worst start,mean over all,from clean\n0,0,0.75,0\n1,0.75,0.9375,0.75\n"), "{rows}");
    assert!(std::fs::read_to_string(svg).expect("it was written").contains("a really safe configuration within t"));
    let within = &json("check herman --size 3 --quantile 0.99 --json", 0)["within"];
    assert_eq!((&within["quantile"]["worst"]["low"], &within["quantile"]["worst"]["high"]), (&4.into(), &4.into()));
    assert_eq!(within["least"].as_array().map(Vec::len), Some(5));
    // A daemon that chooses: the least and the greatest. Without coins, both are 0 or 1 from every start.
    let within =
        &json("check dijkstra-k-state --size 3 --scheduler unfair --within 9 --quantile 1 --json", 0)["within"];
    let steps = json("check dijkstra-k-state --size 3 --scheduler unfair --json", 0)["steps"].clone();
    assert_eq!(within["quantile"]["worst"]["high"], steps["to_really_safe"]["worst"]);
    assert_eq!(within["greatest"][9]["worst"]["low"], 1.0);
    let franklin = json("check franklin --size 2 --reading both --within 40 --quantile 0.9 --json", 0);
    let curve = &franklin["within"][0];
    let uniform = curve["quantile"]["min_uniform_max"][1].as_u64().expect("it is reached") as usize;
    let at = |t: usize| curve["min_uniform_max"][t][1].as_f64();
    assert!(at(uniform) >= Some(0.9) && at(uniform - 1) < Some(0.9), "{curve}");
    for (line, error) in [
        ("check herman --size 3 --csv x.csv", "--csv needs --within T or --quantile P"),
        ("check herman --size 3 --quantile 1.5", "a probability, greater than 0 and at most 1"),
        ("check herman --size 3 --within 3 --scheduler fair", "fairness bounds no finite part"),
        ("check herman --size 3 --within 3 --invariant true", "about the goal"),
        ("check franklin --size 2 --quantile 0.9", "--quantile needs --within T here"),
    ] {
        assert!(refusal(line).contains(error), "{line}: {}", refusal(line));
    }
}

/// Exact majority promises nothing from weak agents, or without a majority.
#[test]
fn executions_from_given_starts() {
    let majority = format!("{}/../../docs/examples/starts/exact-majority.ring", env!("CARGO_MANIFEST_DIR"));
    let own = json(&format!("check {majority} --size 5 --json"), 0);
    assert_eq!((&own["verdict"], &own["from_starts"]["count"]), (&"holds".into(), &32.into()));
    assert_eq!(own["symmetry"], "permutation");
    assert_eq!(json(&format!("check {majority} --size 5 --start arbitrary --json"), 1)["verdict"], "fails");
    // Ten of the starts have three strong agents of opinion A.
    let counts = json(&format!("check {majority} --size 5 --start A:3,B:2 --json"), 0);
    assert_eq!(counts["from_starts"]["count"], 10);
    let twelve = json(&format!("check {majority} --size 12 --json"), 0);
    assert!(twelve["classes"].as_u64() <= Some(455), "{}", twelve["classes"]);
    let told = ringleader(&format!("check {majority} --size 4"));
    let text = String::from_utf8_lossy(&told.stdout);
    for line in ["reached from 10 starts", "from the 10 given starts", "not a claim of self-stabilization"] {
        assert!(text.contains(line), "{text}");
    }
    for (start, error) in [
        ("A:3,B:4", "--start counts 7 agents, not 5"),
        ("A:3,C:2", "no local state is `C`"),
        ("nonsense", "nonsense"),
        ("x[0]=A,x[1]=B", "--start"),
    ] {
        let refused = refusal(&format!("check {majority} --size 5 --start {start}"));
        assert!(refused.contains(error), "{start}: {refused}");
    }
    let none = refusal(&format!("check {majority} --size 4 --start A:2,B:2 --start A:3,B:1"));
    assert!(none.contains("two conditions on the starts"), "{none}");
}

#[test]
fn two_curves_are_written_side_by_side() {
    let (csv, svg) = (scratch("curves.csv"), scratch("curves.svg"));
    let verdict = json(
        &format!(
            "check franklin --size 2 --reading both --within 40 --against variant=b --csv {} --plot {} --json",
            csv.display(),
            svg.display()
        ),
        0,
    );
    assert_eq!(verdict["within"][0]["min_uniform_max"][40][1], 0.9375);
    let uniform = &verdict["expected_steps"]["uniform"];
    assert!(uniform["low"].as_f64() <= Some(23.25) && uniform["high"].as_f64() >= Some(23.25));
    let text = std::fs::read_to_string(csv).expect("it was written");
    assert_eq!(text.lines().count(), 42);
    assert!(text.starts_with(
        "t,variant=a min,variant=a uniform,variant=a max,variant=b min,variant=b uniform,variant=b max\n"
    ));
    assert!(text.lines().all(|line| line.split(',').count() == 7));
    let picture = std::fs::read_to_string(svg).expect("it was written");
    let curves = picture.lines().filter(|line| line.starts_with("<polyline") && line.matches(',').count() == 41);
    assert_eq!(curves.count(), 6, "least, uniform and greatest of both variants");
}

#[test]
fn exports_have_the_counted_states() {
    let paths = ["m.aut", "m.drn", "m.tra", "m.dot", "m.prism"].map(scratch);
    let flags: String = paths.iter().map(|path| format!(" --export {}", path.display())).collect();
    json(&format!("explore franklin --size 2 --json{flags}"), 0);
    let read = |name: &str| std::fs::read_to_string(scratch(name)).expect("it was written");
    assert!(read("m.aut").starts_with("des (0,1368,657)\n"));
    assert_eq!(read("m.aut").lines().count(), 1_369);
    assert!(read("m.drn").contains("@nr_states\n657\n"));
    assert!(read("m.tra").starts_with("657 1190 "));
    assert_eq!(read("m.sta").lines().count(), 658);
    assert!(read("m.lab").contains("\n0: 0\n") && read("m.prism").starts_with("mdp"));
    let minimal = scratch("minimal.aut");
    json(&format!("explore franklin --size 2 --minimize branching --json --export {}", minimal.display()), 0);
    assert_eq!(read("minimal.aut"), "des (0,1,2)\n(0,\"leader\",1)\n");
}

#[test]
fn an_export_that_a_reduction_does_not_preserve_is_refused() {
    let export = |reduction: &str, file: &str| {
        let path = scratch(file);
        let flags = "explore franklin --size 3 --reading left-first --json --reduce";
        json(&format!("{flags} {reduction} --export {}", path.display()), 0);
        std::fs::read_to_string(path).expect("it was written")
    };
    for (reduction, kept) in [("none", true), ("rotation", true), ("confluence", false), ("rotation,confluence", false)]
    {
        let drn = export(reduction, "kept.drn");
        assert_eq!(drn.contains("@reward_models\nsteps messages\n"), kept, "{reduction}");
        assert_eq!(drn.lines().any(|line| line.starts_with("\taction") && line.contains('[')), kept, "{reduction}");
        assert_eq!(export(reduction, "kept.prism").contains("rewards"), kept, "{reduction}");
    }
    // Turned around, any process may be the one that moves.
    assert!(export("none", "names.drn").contains("\taction p2_steps"));
    assert!(!export("rotation", "names.drn").contains("\taction p"));
}

#[test]
fn exports_describe_states_and_the_moving_process() {
    let paths = ["said.drn", "said.tra", "said.dot"].map(scratch);
    let flags: String = paths.iter().map(|path| format!(" --export {}", path.display())).collect();
    json(&format!("explore franklin --size 2 --json{flags}"), 0);
    let read = |name: &str| std::fs::read_to_string(scratch(name)).expect("it was written");
    assert!(read("said.drn").contains("\n//[p0: mode=start bit=1 id=0"));
    assert!(read("said.tra").lines().nth(1).is_some_and(|line| line.ends_with(" 0.5 p0_steps")));
    assert!(read("said.sta").starts_with("(s,p0_mode,p0_bit,p0_id,"));
    assert!(read("said.dot").contains("[label=\"p0_steps 0.5\"]") && read("said.dot").contains("_from_left"));
}

#[test]
fn expected_steps_of_an_exported_configuration_graph_are_those_that_check_computes() {
    for (reduction, states) in [("none", 512), ("rotation", 176)] {
        let path = scratch("ring.drn");
        let flags = "explore fischer-jiang-ring --size 3 --json --reduce";
        let counted = json(&format!("{flags} {reduction} --export {}", path.display()), 0);
        assert_eq!([&counted["configurations"], &counted["really_safe"], &counted["stored"]], [512, 126, states]);
        let chain = drn(&path);
        assert_eq!(chain.len(), states);
        let [worst, _] = extremes(&chain, "really_safe");
        assert!((worst - 19.0).abs() < 1e-9, "{reduction}: {worst}");
    }
}

/// A star of five has 24 automorphisms.
#[test]
fn orbits_of_a_graph_have_the_counts_and_times_of_its_configurations() {
    let path = scratch("star.drn");
    let names = ["configurations", "transitions", "correct", "own_safe", "really_safe"];
    let [(all, slow), (orbits, fast)] = ["none", "automorphism"].map(|reduction| {
        let flags = "explore huang-chen --size 5 --graph star --scheduler random --json --reduce";
        let counted = json(&format!("{flags} {reduction} --export {}", path.display()), 0);
        (counted, extremes(&drn(&path), "really_safe")[0])
    });
    assert_eq!(names.map(|name| &all[name]), names.map(|name| &orbits[name]));
    assert!((slow - fast).abs() < 1e-9, "{slow} {fast}");
    assert_eq!((&all["automorphism"], &orbits["automorphism"]), (&false.into(), &true.into()));
    assert!(orbits["stored"].as_u64() < all["stored"].as_u64().map(|stored| stored / 4), "{orbits}");
    for (line, reason) in [
        ("explore huang-chen --size 5 --graph star --reduce rotation", "use --reduce automorphism"),
        ("explore huang-chen --size 4 --graph line --reduce automorphism --scheduler random", "no automorphism"),
        ("explore huang-chen --size 4 --graph star --reduce automorphism --scheduler distributed", "random and unfair"),
        (
            "explore independent-set --size 4 --graph ring --reduce automorphism --start inside[0]=1",
            "here: the start names an agent by its place",
        ),
        ("explore herman --size 3 --reduce automorphism", "read their neighbours in a graph"),
        ("explore franklin --size 3 --reduce automorphism", "its processes form a ring"),
    ] {
        let told = refusal(line);
        assert!(told.contains(reason), "{line}: {told}");
    }
}

#[test]
fn configuration_graphs_have_every_configuration_as_a_start() {
    let paths = ["c.aut", "c.tra", "c.dot", "c.prism"].map(scratch);
    let flags: String = paths.iter().map(|path| format!(" --export {}", path.display())).collect();
    json(&format!("explore gouda-haddix --size 3 --scheduler unfair --json{flags}"), 0);
    let read = |name: &str| std::fs::read_to_string(scratch(name)).expect("it was written");
    let states = read("c.sta").lines().count() - 1;
    assert!(read("c.aut").starts_with(&format!("des ({states},")));
    assert_eq!(read("c.aut").matches("\"start\"").count(), states);
    assert!(read("c.aut").contains("\"p2_step\"") && read("c.tra").contains(" p2_step\n"));
    assert!(read("c.prism").starts_with("mdp") && read("c.prism").contains("\ninit true endinit"));
    assert!(read("c.dot").contains("style=filled") && !read("c.dot").contains("peripheries"));
}

/// A text protocol, checked with three processes.
fn own(name: &str, text: &str, code: i32) -> Value {
    let file = scratch(&format!("{name}.ring"));
    std::fs::write(&file, format!("protocol {name}\nmodel messages on unidirectional-ring\n{text}")).expect("written");
    json(&format!("check {} --size 3 --json", file.display()), code)
}

fn broken(checked: &Value) -> Vec<&str> {
    let properties = checked["properties"].as_array().expect("properties").iter();
    properties.filter(|p| p["holds"] == false).map(|p| p["name"].as_str().expect("a name")).collect()
}

/// Neither an algorithm that passes messages around for ever nor one whose leaders resign elects.
#[test]
fn an_election_stays_possible_and_is_final() {
    let modes = "state mode : {start, active, leader} = start\nmessage m\nshow leader when mode = leader\n";
    let never = format!(
        "{modes}on step when mode = start: mode := active; send right m\non m when mode = active: send onward m\n"
    );
    let never = own("never", &never, 1);
    assert_eq!(broken(&never), ["a leader can be elected from every reachable state"]);
    assert_eq!((&never["verdict"], &never["probability"]["max"]["high"]), (&"fails".into(), &0.0.into()));
    let resign = format!(
        "identities\n{modes}on step when mode = start:\n  1: identity = 1 -> mode := leader\n  2: else -> mode := active\n\
         on step when mode = leader: mode := active; send right m\non m when mode = active: mode := leader\n"
    );
    let resign = own("resign", &resign, 1);
    assert_eq!(broken(&resign), ["a leader stays leader for ever"]);
    // The steps until the first election are known, whatever comes after it.
    let least = &resign["expected_steps"]["min"];
    let bound = |name: &str| least[name].as_f64().expect("a number");
    assert!(bound("low") <= 1.0 && bound("high") >= 1.0 && bound("high") < 1.000001, "{least}");
    // Where runs were not followed further, an election may still come.
    let bounded = json("check itai-rodeh --size 2 --rounds 2 --json", 0);
    assert!(broken(&bounded).is_empty() && bounded["undecided"].as_u64() > Some(0));
    let sound = json("check chang-roberts --size 3 --identities ascending --json", 0);
    assert!(broken(&sound).is_empty() && sound["properties"].to_string().contains("a leader stays leader for ever"));
}
