//! Protocols in text for the processes of a graph.

use ringleader_check::replay::{Played, play};
use ringleader_check::{Monitor, Question, Report, Uncheckable};
use ringleader_erased::{GraphInstance, Instance, Number, Parameters};
use ringleader_language::Source;
use ringleader_model::text::Document;
use ringleader_model::trace::Assumptions;
use ringleader_model::{Graph, Odometer, Scheduler, Stabilizing};

fn instance(text: &str, graph: &Graph) -> GraphInstance {
    let protocol = Source::parse("t", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let parameters = Parameters::new(0).on(graph.clone());
    match protocol.instance(&parameters).unwrap_or_else(|refusal| panic!("{refusal}")) {
        Instance::Graph(instance) => instance,
        other => panic!("{other:?} is no graph of processes"),
    }
}

fn edges(list: &str) -> Graph {
    Graph::parse(&list.replace(", ", "\n")).expect("a graph")
}

fn checked(instance: &GraphInstance, scheduler: Scheduler) -> Report {
    let question = Question::new(scheduler);
    ringleader_check::graph(instance, &question, &Monitor::new(1)).unwrap_or_else(|stop| panic!("{stop}"))
}

/// The states of a process and its neighbours, given by the values of the only variable.
fn after(instance: &GraphInstance, process: usize, states: &[u64]) -> Vec<u64> {
    let mut all = vec![];
    Odometer::each(|coin| all.push(instance.try_act(process, states, coin).expect("it stays in its domain")));
    all.sort_unstable();
    all.dedup();
    all
}

const HEAD: &str = "protocol t\nmodel graph\nscheduler unfair\ngoal all i : x[i] = 0\n";

#[test]
fn a_process_reads_its_neighbours_by_quantifiers() {
    let star = edges("0 1, 0 2, 0 3");
    let at_centre = |value: &str, neighbours: [u64; 3]| {
        let text = format!("{HEAD}state x : 0..9\nfirst:\n  1: x = 9 -> x := {value}\n");
        let [a, b, c] = neighbours;
        after(&instance(&text, &star), 0, &[9, a, b, c])
    };
    let cases: [(&str, [u64; 3], u64); 10] = [
        ("min j : x[j]", [5, 2, 7], 2),
        ("max j : min(9, x[j] + 1)", [5, 2, 7], 8),
        ("if (count j : x[j] > 4) = 2 then 4 else 3", [5, 2, 7], 4),
        ("if (one j : x[j] = 2) then 1 else 0", [2, 2, 7], 0),
        ("if (all j : x[j] < 8) and (some j : x[j] = 7) then 1 else 0", [5, 2, 7], 1),
        ("min(9, least v in 0..degree : not (some j : x[j] = v))", [0, 1, 3], 2),
        ("degree + max_degree", [0, 0, 0], 6),
        ("if root then 8 else 7", [0, 0, 0], 8),
        // A variable that was written is read anew.
        ("0; x := min(9, count j : x[j] = x)", [0, 0, 5], 2),
        ("max j : if x[j] = (max k : x[k]) then 0 else x[j]", [5, 2, 7], 5),
    ];
    for (value, neighbours, expected) in cases {
        assert_eq!(at_centre(value, neighbours), [expected], "{value} of {neighbours:?}");
    }
    let text = format!("{HEAD}identities\nstate x : 0..9\nfirst:\n  1: -> x := identity + identity[0]\n");
    let text = text.replace("identity[0]", "(min j : identity[j])");
    assert_eq!(
        after(&instance(&text, &star), 2, &[0, 0]),
        [4],
        "process 2 has the identity 3, and process 0 the identity 1"
    );
}

#[test]
fn pointers_are_to_neighbours_only_and_the_scheduler_chooses_among_them() {
    let head = "protocol t\nmodel graph\nscheduler unfair\ngoal all i : p[i] = none\nstate p : neighbour or none\n";
    // The ports of a process are in the order of the edges.
    let triangle = edges("0 1, 0 2, 1 2");
    let chosen =
        |rule: &str, states: [u64; 3]| after(&instance(&format!("{head}any:\n  1: {rule}\n"), &triangle), 1, &states);
    // Process 1 has process 0 behind port 1 and process 2 behind port 2. Both see it through their ports 1 and 2.
    assert_eq!(chosen("for some j : p = none -> p := j", [0, 0, 0]), [1, 2]);
    assert_eq!(
        chosen("for some j : p = none and p[j] = me -> p := j", [0, 1, 0]),
        [1],
        "process 0 points at process 1"
    );
    assert_eq!(
        chosen("for some j : p = none and p[j] = me -> p := j", [0, 2, 2]),
        [2],
        "process 2 points at process 1"
    );
    assert_eq!(chosen("p != none and p[p] = me -> p := none", [2, 0, 2]), [0]);
    assert_eq!(chosen("p != none and p[p] != me -> p := none", [2, 0, 2]), [2]);
    // A path: the ends have one port, so 3 * 2 * 2 of 27 combinations are configurations.
    let path = instance(&format!("{head}any:\n  1: p != none -> p := none\n"), &edges("0 1, 0 2"));
    let report = checked(&path, Scheduler::Unfair);
    assert_eq!((report.configurations, report.holds), (12, true));
    let mut states = [Number(2), Number(2), Number(0)];
    path.restore(&mut states);
    assert_eq!(states, [Number(2), Number(1), Number(0)]);
    // Pointers that are `none` at the root only.
    let rooted = head.replace("or none\n", "or none when root\n").replace("all i : p[i] = none", "all i : 1 = 1");
    let rooted = instance(&format!("{rooted}any:\n  1: for some j : not root -> p := j\n"), &triangle);
    assert_eq!(checked(&rooted, Scheduler::Random).configurations, 4);
}

#[test]
fn none_is_not_assigned_to_a_pointer_without_it() {
    let text = |domain: &str| {
        format!(
            "protocol t\nmodel graph\nscheduler unfair\nstate p : {domain}\ngoal all i : 1 = 1 \"always\"\nany:\n  1: p[p] = me -> p := none\n"
        )
    };
    assert!(Source::parse("t.ring", &text("neighbour or none")).is_ok());
    let wrong = Source::parse("t.ring", &text("neighbour")).unwrap_err().to_string();
    assert!(wrong.contains("`p` always points at a neighbour, so it is never `none`"), "{wrong}");
    assert!(wrong.contains("declare it with `state p : neighbour or none`"), "{wrong}");
}

/// `x[p]` is the process's own variable where p is `none`: the value that the same step wrote.
#[test]
fn a_pointer_to_none_reads_what_the_step_has_written() {
    let pair = edges("0 1");
    let head = "protocol t\nmodel graph\nscheduler unfair\nstate x : bit\nstate p : neighbour or none\nlet y = 1 - x\n\
                goal all i : x[i] = 0 and p[i] = none\n";
    // The number of a state is x + 2 p: the neighbour has x = 0 and points at the process.
    let after = |rules: &str, own: u64| after(&instance(&format!("{head}{rules}"), &pair), 0, &[own, 2]);
    for (rules, none, some) in [
        ("first:\n  1: -> x := 1 - x; x := x[p]\n", [1, 0], [2, 2]),
        ("first:\n  1: -> p, x := none, x[p]\n", [0, 1], [0, 0]),
        ("in order:\n  1: -> x := 1 - x\n  2: -> x := x[p]\n", [1, 0], [2, 2]),
        ("in order:\n  1: x[p] = 0 -> x := 1\n  2: x[p] = 1 -> x := 0\n", [0, 0], [3, 3]),
        ("at once:\n  1: -> x := 1 - x[p]\n", [1, 0], [3, 3]),
        ("first:\n  1: -> x := 1 - x; x := y[p]\n", [0, 1], [3, 3]),
        ("in order:\n  1: x = 1 -> p := none\n  2: p[p] = me -> x := 0\n  3: p[p] != me -> x := 1\n", [1, 1], [2, 1]),
        ("in order:\n  1: x = 1 -> p := none\n  2: p[p] = none -> x := 0\n", [0, 0], [2, 0]),
    ] {
        let states = [0, 1, 2, 3].map(|own| after(rules, own));
        let expected = [none[0], none[1], some[0], some[1]].map(|state| vec![state]);
        assert_eq!(states, expected, "{rules}");
    }
}

/// In conditions on configurations, too, `p[p]` is the process's own pointer where p is `none`, so it is `none` and not `me`.
#[test]
fn nobody_points_back_where_a_pointer_is_none() {
    let text = "protocol t\nmodel graph\nscheduler unfair\nstate p : neighbour or none\nlet a = p[p] = me\n\
                let b = p[p] != me\nlet c = p[p] = none\ngoal all i : GOAL\nfirst:\n  1: n = 0 -> p := none\n";
    for (goal, correct) in [("a[i]", 1), ("b[i]", 3), ("c[i]", 3), ("a[i] or c[i]", 4), ("a[i] or b[i]", 4)] {
        let pair = instance(&text.replace("GOAL", goal), &edges("0 1"));
        let all = [[0, 0], [0, 1], [1, 0], [1, 1]];
        let found = all.iter().filter(|states| pair.correct(&states.map(Number))).count();
        assert_eq!(found, correct, "{goal}");
    }
}

#[test]
fn a_range_that_no_fault_leaves_is_kept() {
    let text = "protocol t\nmodel graph\nscheduler unfair\nstate x : 0..5\ngiven x = 0 when root\n\
                given x in 2..3 when not root\ngoal all i : x[i] < 3\nfirst:\n  1: x = 3 -> x := 2\n";
    let path = instance(text, &edges("0 1, 1 2"));
    let report = checked(&path, Scheduler::Unfair);
    assert_eq!((report.configurations, report.really_safe, report.holds), (4, 1, true));
    let leaves = text.replace("x := 2", "x := 4");
    let path = instance(&leaves, &edges("0 1, 1 2"));
    let stop = ringleader_check::graph(&path, &Question::new(Scheduler::Unfair), &Monitor::new(1)).unwrap_err();
    assert!(stop.to_string().contains("changes given variables to values that are not given"), "{stop}");
    let refused = |given: &str| {
        let text = text.replace("given x in 2..3 when not root", given);
        let protocol = Source::parse("t", &text).map_err(|wrong| wrong.to_string())?;
        let path = Parameters::new(0).on(edges("0 1, 1 2"));
        protocol.instance(&path).map(drop).map_err(|refusal| refusal.to_string())
    };
    for (given, says) in [
        ("given x in 2..1", "the `given` range of x is empty at agent 0: 2..1"),
        ("given x in 2..degree when not root", "the `given` range of x is empty at agent 1: 2..1"),
        ("given x in 2..x", "may be empty, since its ends depend on variables"),
    ] {
        let refusal = refused(given).expect_err(given);
        assert!(refusal.contains(says), "{given}: {refusal}");
    }
    assert_eq!(refused("given x in 2..degree when degree = 2"), Ok(()));
    assert_eq!(refused("given x in degree..max_degree"), Ok(()));
}

/// A pointer that always points somewhere.
#[test]
fn a_pointer_without_none_is_never_none() {
    let text = "protocol t\nmodel graph\nscheduler unfair\nstate q : neighbour\ngoal q[0] = q[0]\n\
                any:\n  1: for some j : q != j -> q := j\n";
    for (graph, configurations) in [("0 1", 1), ("0 1, 1 2", 2), ("0 1, 1 2, 0 2", 8), ("0 1, 0 2, 0 3", 3)] {
        assert_eq!(
            checked(&instance(text, &edges(graph)), Scheduler::Unfair).configurations,
            configurations,
            "{graph}"
        );
    }
}

#[test]
fn wrong_texts_are_refused_with_a_place_and_advice() {
    let text = |rule: &str| {
        format!(
            "protocol t\nmodel graph\nscheduler unfair\nstate x : 0..3\nstate p : neighbour or none\n\
                 let far = some j : x[j] = 0\ngoal all i : x[i] = 0 and p[i] = none\nany:\n  1: {rule}\n"
        )
    };
    assert!(Source::parse("t", &text("far and p = none -> x := 0")).is_ok());
    for (rule, says) in [
        ("some j : far[j] -> x := 0", "neighbour of a neighbour"),
        ("some j : x[p[j]] = 0 -> x := 0", "this is not a neighbour"),
        ("p = x -> x := 0", "this is a number, but the other side is a neighbour"),
        ("some j : p[j] = p -> x := 0", "but the other side is a neighbour of another process"),
        ("some j : p[j] = 1 -> x := 0", "this is a bit, but the other side is a neighbour"),
        ("p = me -> x := 0", "only a neighbour's pointer"),
        ("far -> p := 1", "a neighbour is needed here"),
        ("far -> x := me", "`me` is only for comparisons"),
        ("far -> x := least j : x[j] = 0", "neighbours have no order"),
        ("far -> x := min v in 0..2 : v", "the least of no values"),
        ("far -> x := (max j : x[j]) + 1", "writes x = 4"),
        ("x[0] = 1 -> x := 0", "this is not a neighbour"),
        ("p != none -> x[p] := 2", "a process can write only its own variables"),
        ("for some j : x = 0 -> x[j] := 2", "a process can write only its own variables"),
        ("for some j : x = 0 -> j.x := 2", "a process can write only its own variables"),
        ("some j : p[j] = p[p] -> x := 0", "the pointers of two processes cannot be compared"),
        ("some j : p[j] in none..none -> x := 0", "a neighbour's pointer has no ranges"),
        ("bottom -> x := 0", "unknown name `bottom`"),
    ] {
        let wrong = Source::parse("t", &text(rule)).expect_err(rule).to_string();
        assert!(wrong.contains(says), "{rule}: {wrong}");
    }
    let first = text("for some j : x = 1 -> p := j").replace("any:", "first:");
    assert!(Source::parse("t", &first).unwrap_err().to_string().contains("put the rule below `any:`"));
    for other in ["model ring", "model population on graph"] {
        let wrong = Source::parse("t", &text("far -> x := 0").replace("model graph", other)).unwrap_err().to_string();
        assert!(wrong.contains("`neighbour` is only for graphs of processes"), "{wrong}");
    }
}

#[test]
fn a_counterexample_can_be_replayed() {
    let text = "protocol t\nmodel graph\nscheduler unfair\nstate s : bit\nlet near = some j : s[j]\n\
                goal all i : s[i] != near[i]\nany:\n  1: not s and not near -> s := 1\n  2: s and near -> s := 0\n";
    let square = instance(text, &edges("0 1, 1 2, 2 3, 3 0"));
    assert!(checked(&square, Scheduler::LocallyCentral).holds);
    for scheduler in [Scheduler::Distributed, Scheduler::Synchronous] {
        let report = checked(&square, scheduler);
        let run = report.counterexample.expect("neighbours that step together fail");
        assert!(!run.cycle.is_empty());
        let start: Vec<Number> = run.start.iter().map(|&state| Number(state.into())).collect();
        let document = Document::new("t", &square, vec![], &start);
        let assumptions = Assumptions { scheduler: Some(scheduler), ..Assumptions::default() };
        let trace = run.trace(document, assumptions, |c| c.iter().map(|&state| square.text(state.into())).collect());
        let played = play(&Played::Graph(&square), &trace).expect("the rules have these steps");
        assert_eq!((played.broken, played.closes), (None, Some(true)));
    }
    let stop = ringleader_check::graph(&square, &Question::new(Scheduler::Alternating), &Monitor::new(1)).unwrap_err();
    assert_eq!(stop, Uncheckable::OnlyForChains(Scheduler::Alternating).into());
}

#[test]
fn marks_and_named_expressions_of_a_process_are_those_of_sets() {
    let text = "protocol t\nmodel graph\nscheduler unfair\nstate x : 0..2\nlet top = all j : x > x[j]\n\
                show leader when top\ngoal one leader\nfirst:\n  1: some j : x[j] = 2 and x = 2 -> x := 0\n";
    let path = instance(text, &edges("0 1, 1 2"));
    for (states, leaders) in [([0, 2, 1], 1), ([2, 0, 2], 2), ([1, 1, 1], 0), ([2, 1, 0], 1)] {
        let configuration = states.map(Number);
        let marked = (0..3).filter(|&i| path.marks_of(i, &path.read(i, &configuration)).leader()).count();
        assert_eq!((marked, path.correct(&configuration)), (leaders, leaders == 1), "{states:?}");
    }
}
