//! Every error in a text is reported at its place, with the repair.

use ringleader_erased::Parameters;
use ringleader_language::{Severity, Source};

const HEAD: &str = "protocol p\nmodel population on directed-ring\nparameter k = 3\nstate x : 0..k\nstate b, leader : bit\n\
                    state colour : {red, green}\nshow leader when leader\ngoal one leader\n";

/// The errors of a text, each as `line: message (help)`.
fn errors(text: &str) -> Vec<String> {
    let wrong = Source::parse("p.ring", text).expect_err("something is wrong");
    let errors = wrong.iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| format!("{}: {} ({})", wrong.place(d).0, d.message, d.help.as_deref().unwrap_or(""))).collect()
}

/// The errors below the head, whose last line is 8.
fn below(text: &str) -> Vec<String> {
    errors(&format!("{HEAD}{text}"))
}

#[track_caller]
fn says(found: &[String], parts: &[&str]) {
    let said = found.iter().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(said, "{parts:?} not in {found:#?}");
}

#[test]
fn names() {
    let found =
        below("first:\n  1: l.leader and r.laeder -> r.b := 0\n  2: l.q = 1 -> l.x := z\n  3: leader -> skip\n");
    says(&found, &["10: ", "no variable `laeder`", "did you mean `leader`"]);
    says(&found, &["11: ", "no variable `q`"]);
    says(&found, &["11: ", "unknown name `z`"]);
    says(&found, &["12: ", "unknown name `leader`", "`l.leader` or `r.leader`"]);
}

#[test]
fn types() {
    let found = below(
        "first:\n  1: l.x -> skip\n  2: l.colour = 1 -> skip\n  3: l.colour = blue -> skip\n  4: l.b -> l.colour := 2\n  \
         5: l.b -> l.x := l.b = 1\n  6: l.b -> l.x, l.b := 1\n  7: l.b = l.colour -> skip\n",
    );
    says(&found, &["10: ", "a condition is needed", "a number"]);
    says(&found, &["11: ", "the same enumeration"]);
    says(&found, &["12: ", "unknown name `blue`"]);
    says(&found, &["13: ", "a word is needed", "red, green"]);
    says(&found, &["14: ", "a number is needed", "if .. then 1 else 0"]);
    says(&found, &["15: ", "2 variables on the left of `:=`, but 1 values on the right"]);
    says(&found, &["16: ", "but the other side is"]);
}

#[test]
fn values_outside_a_domain_are_reported_with_an_example() {
    says(&below("first:\n  4: l.b -> l.x := r.x + 1\n"), &["10: rule 4 writes x = 4, which is outside 0..3"]);
    says(&below("first:\n  4: l.x > 0 -> l.x := l.x - 2\n"), &["writes x = -1, which is outside 0..3"]);
    says(&below("first:\n  4: l.b -> l.x := 6 / r.x\n"), &["a divisor is 0, but it must be at least 1"]);
    says(&below("first:\n  4: l.b -> l.b := 2\n"), &["writes b = 2, which is outside 0..1"]);
    says(&below("first:\n  4: l.b -> l.x := draw l.x..2\n"), &["the last value to draw, minus the first one, is -"]);
    let protocol =
        format!("{HEAD}first:\n  4: l.x < k -> l.x := l.x + 1\n  5: l.b -> l.x := (r.x + l.x) mod (k + 1)\n");
    assert!(Source::parse("p.ring", &protocol).is_ok());
}

#[test]
fn missing_and_overlapping_cases() {
    let found = below("exactly one:\n  1: l.x = 0 -> skip\n  2: l.x in 2..k -> skip\n");
    says(&found, &["no rule applies; exactly one must apply", "l.x = 1"]);
    let found = below("exactly one:\n  1: l.x <= 1 -> skip\n  2: l.x >= 1 -> skip\n");
    says(&found, &["more than one rule applies", "l.x = 1"]);
}

#[test]
fn warnings() {
    let text = format!(
        "{HEAD}let never = 3\nfirst:\n  1: l.b -> r.b := 0\n  2: l.b and r.b -> r.b := 0\n  3: -> skip\n  4: r.b -> skip\n"
    );
    let protocol = Source::parse("p.ring", &text).unwrap();
    let said: Vec<_> =
        protocol.warnings().iter().map(|d| format!("{}: {}", protocol.warnings().place(d).0, d.message)).collect();
    says(&said, &["9: the expression `never` is never read"]);
    says(&said, &["6: the variable `colour` is never read"]);
    says(&said, &["12: this rule is never enabled (tried n = 2, 3, 4)"]);
    says(&said, &["13: the rules below this rule are never applied"]);
    says(&said, &["14: this rule is never enabled"]);
}

#[test]
fn items_of_another_model_are_refused() {
    says(&below("first:\n  1: l.hears -> skip\n"), &["this protocol has no oracle", "oracle leader-detector"]);
    says(&below("reads both\nfirst:\n  1: l.b -> skip\n"), &["`reads` is only for rings"]);
    let ring = "protocol p\nmodel ring\nstate x : bit\ngoal one token\nshow token when x\nfirst:\n  1: right.x -> left.x := 1\n";
    let found = errors(ring);
    says(&found, &["7: this process reads only its left neighbour", "reads both"]);
    says(&found, &["7: a process can write only its own variables"]);
    says(&below("first:\n  1: (all i : b[i]) -> skip\n"), &["a rule can read only the agents that take part"]);
    says(&below("first:\n  1: coin = 1 -> skip\n"), &["a guard cannot toss a coin", "let c = coin"]);
}

#[test]
fn missing_items_are_reported() {
    says(&errors(""), &["no name"]);
    let found = errors("protocol p\n");
    says(&found, &["no `model` line"]);
    says(&found, &["declares no variables"]);
    let found = errors("protocol p\nmodel population on torus\nstate x : bit\n");
    says(&found, &["2: `torus` is not one of directed-ring"]);
    says(&found, &["no goal"]);
    says(&found, &["no rules"]);
}

#[test]
fn an_error_in_one_line_hides_no_error_in_the_next() {
    let found = below("frist:\nfirst:\n  1: l.b := -> 3\n  2: l.b ( -> skip\n  3: l.q -> skip\nsupports n >\n");
    says(&found, &["9: no item begins with `frist`", "did you mean `first`"]);
    says(&found, &["11: expected a value"]);
    says(&found, &["12: "]);
    says(&found, &["13: an agent has no variable `q`"]);
    says(&found, &["14: expected a value, found the end of the line"]);
}

#[test]
fn messages() {
    let head =
        "protocol p\nmodel messages on unidirectional-ring\nstate mode : {a, b}\nmessage m(hop : 1..n)\nmessage w\n";
    let found = errors(&format!(
        "{head}on step: send left m(1)\non m when mode = a: send onward m(m.hop + 1, 2)\non q: skip\n"
    ));
    says(&found, &["6: a process that can always step never terminates"]);
    says(&found, &["6: on a unidirectional ring, messages go to the right only"]);
    says(&found, &["7: `m` has 1 fields, but this sends 2", "m(hop)"]);
    says(&found, &["8: unknown message `q`"]);
    says(&found, &["5: no handler receives `w`"]);
    let found = errors(&format!(
        "{head}on step when mode = a: mode := b; send right m(1)\non m: send onward m(m.hop + 1)\non w: skip\n"
    ));
    says(&found, &["7: a rule writes the message's hop = 3, which is outside 1..2"]);
}

#[test]
fn large_sizes_without_a_proof_are_refused_with_advice() {
    let text = "protocol p\nmodel population on complete\nstate x, y : 0..n\nstate leader : bit\nshow leader when leader\n\
                goal one leader\nfirst:\n  1: l.x + r.x <= n and l.y < r.y -> l.y := l.x + r.x; l.leader := 1\n  \
                2: l.x * r.x <= n -> l.x := l.x * r.x - (l.x * r.x - 1) - 1 + l.y\n";
    let protocol = Source::parse("p.ring", text).unwrap();
    assert!(protocol.instance(&Parameters::new(5)).is_ok());
    let refused = protocol.instance(&Parameters::new(10_000)).unwrap_err().to_string();
    assert!(refused.contains("cannot show that every value stays in its domain"), "{refused}");
}

#[test]
fn texts_beyond_the_limits_are_refused() {
    let deep = format!("{HEAD}first:\n  1: {}l.b{} -> skip\n", "(".repeat(50_000), ")".repeat(50_000));
    says(&errors(&deep), &["nested too deeply"]);
    let deep = format!("{HEAD}first:\n  1: {} l.b -> skip\n", "not ".repeat(50_000));
    says(&errors(&deep), &["nested too deeply"]);
    let doubled: String = (1..40).map(|i| format!("let a{i}(i) = a{0}(i) + a{0}(i)\n", i - 1)).collect();
    let text = format!("{HEAD}let a0(i) = i.x\n{doubled}first:\n  1: a39(l) > 3 -> skip\n");
    says(&errors(&text), &["too large"]);
    let text = format!("{HEAD}first:\n  1: l.b -> skip\nsafe = all i in 0..2^30 : all j in 0..9999 : b[i + j]\n");
    says(&errors(&text), &["11: a quantifier's range has more than 64 values"]);
    let text = format!("{HEAD}state y, z : 0..2^32\nfirst:\n  1: l.b -> l.y := r.z\n");
    says(&errors(&text), &["more than 64 bits"]);
}

#[test]
fn two_values_at_once() {
    let found = below("at once:\n  1: l.b -> r.x := 0\n  2: l.leader -> r.x := 1\n");
    says(&found, &["11: rule 2 assigns a second value to x in the same step", "exclude this case with a guard"]);
    says(
        &below("at once:\n  1: l.b -> r.x := 0; r.x := 1\n"),
        &["10: rule 1 assigns a second value to x in the same step"],
    );
    says(&below("at once:\n  1: l.b -> r.x, r.x := 0, 1\n"), &["assigns a second value to x in the same step"]);
    let apart = format!("{HEAD}at once:\n  1: l.b -> r.x := 0; l.x := 1\n  2: not l.b -> r.x := 1\n");
    assert!(Source::parse("p.ring", &apart).is_ok(), "never both");
    // With `in order`, two assignments are permitted.
    let after = format!("{HEAD}in order:\n  1: l.b -> r.x := 0\n  2: l.leader -> r.x := 1\n");
    assert!(Source::parse("p.ring", &after).is_ok());
}

#[test]
fn a_named_expression_cannot_read_the_right_neighbour_without_reads_both() {
    let head = "protocol p\nmodel ring\nstate x : bit\ngoal one token\nshow token when x\n";
    let found = errors(&format!("{head}let high(i) = i.x\nfirst:\n  1: high(right) -> x := 0\n"));
    says(&found, &["this process reads only its left neighbour", "reads both"]);
    let found = errors(&format!("{head}let high = right.x\nfirst:\n  1: high -> x := 0\n"));
    says(&found, &["6: this process reads only its left neighbour"]);
}

#[test]
fn laws_of_growth() {
    let law =
        |line: &str| Source::parse("p.ring", &format!("{HEAD}{line}\nfirst:\n  1: l.b and l.x = r.x -> r.b := 0\n"));
    let found = law("law n^2 * n \"Table 1\"").unwrap().card().law.expect("a law");
    assert_eq!((found.claim, found.size, found.bound, found.source), ("n^2 * n", 3, 0, "Table 1"));
    let bounded =
        law("parameter bound = n \"N\"\nsupports n <= bound\nlaw (n * bound)^2").unwrap().card().law.expect("a law");
    assert_eq!((bounded.size, bounded.bound), (2, 2));
    let found = law("law n * log(n)").unwrap().card().law.expect("a law");
    assert_eq!((found.size, found.logs, found.bound, found.claim), (1, 1, 0, "n * log(n)"));
    assert!((found.at(8.0, 1.0) - 8.0 * 8_f64.ln()).abs() < 1e-12);
    for line in ["law n + 1", "law k^2", "law n * bound", "law n^n", "law 3 * n", "law log(2)", "law log(n, n)"] {
        let wrong = law(line).expect_err(line).to_string();
        assert!(wrong.contains("cannot compare step counts with this law"), "{wrong}");
    }
}

#[test]
fn numbers_that_grow_too_large() {
    for value in ["2^63 mod 4", "2^64 mod 4", "(2^32 * 2^32) mod 4", "2^200 mod 4", "(l.x + 2^62) mod 4"] {
        says(&below(&format!("first:\n  1: l.b -> l.x := {value}\n")), &["10: this value can exceed 2^60"]);
    }
    says(&below("safe = (count i : b[i]) * 2^60 < 3\nfirst:\n  1: l.b -> l.x := 0\n"), &["9: this value can exceed"]);
    let ring =
        "protocol p\nmodel ring\nparameter k = 2^64 mod 4\nstate x : 0..k\nshow token when x = 0\ngoal one token\n";
    says(&errors(&format!("{ring}first:\n  1: x != left.x -> x := left.x\n")), &["k: this value can exceed 2^60"]);
    let fine = format!("{HEAD}first:\n  1: l.b -> l.x := (2^40 * 2^19 + l.x) mod 4\n");
    assert!(Source::parse("p.ring", &fine).is_ok());
}

#[test]
fn spellings_of_other_languages_get_advice() {
    says(&below("safe = (sum i : x[i]) = 3\nfirst:\n  1: l.b -> l.x := 0\n"), &["9: ", "`count i : P`"]);
    says(&below("first:\n  1: l.b => l.x := 0\n"), &["10: ", "needs an arrow between", "write `->`"]);
    says(&below("goal one leeder\n"), &["9: expected `one leader` or `one token`", "`goal one leader`"]);
    says(
        &below("first:\n  1: l.b -> l.x := l.x + 1 mod (k + 1)\n"),
        &["10: rule 1 writes x = 4", "write `(x + 1) mod k`"],
    );
    let modulo = format!("{HEAD}first:\n  1: l.b -> l.x := (l.x + 1) % (k + 1)\n");
    assert!(Source::parse("p.ring", &modulo).is_ok(), "% is read as mod");
}

/// A refused size shows the reason of the failed requirement, not a consequence of it.
#[test]
fn a_refusal_shows_the_reason_of_the_requirement() {
    let text = "protocol p\nmodel ring\nrequire n >= 4 \"four at least\"\nparameter k : 2..9 = n - 2\nstate x : 0..k\n\
                show token when x = 0\ngoal one token\nfirst:\n  1: x != left.x -> x := left.x\n";
    let protocol = Source::parse("p.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let refusal = protocol.instance(&Parameters::new(3)).expect_err("too small").to_string();
    assert!(refusal.contains("four at least"), "{refusal}");
}

/// On a ring, indices go around; on other graphs, there is no agent beyond the last.
#[test]
fn indices_without_an_agent_are_refused() {
    let rules = "safe = leader[7]\nfirst:\n  1: l.b -> l.x := 0\n";
    assert!(Source::parse("p.ring", &format!("{HEAD}{rules}")).is_ok(), "a ring");
    let complete = format!("{HEAD}{rules}").replace("directed-ring", "complete");
    says(&errors(&complete), &["9: there is no such agent", "on rings only"]);
    let next = complete.replace("leader[7]", "all i : leader[i] = leader[i + 1]");
    says(&errors(&next), &["9: this index may lie outside 0..n - 1", "all i in 0..n - 2"]);
    let bounded = complete.replace("leader[7]", "all i in 0..n - 2 : leader[i] = leader[i + 1]");
    assert!(Source::parse("p.ring", &bounded).is_ok(), "every index has an agent");
}

/// Infinity is larger than every number and is not a number.
#[test]
fn infinity_is_refused_where_a_number_is_needed() {
    let rule = "first:\n  1: l.b -> r.b := 0\n";
    let first = "let first = least i : leader[i]\nlet d(i) = least d : leader[i - d]\n";
    for wrong in [
        "x[first] = 0",
        "first mod 2 = 0",
        "first < n or first / 2 = 0",
        "some i : x[i + 1 - d(i)] = 0 and d(i) < infinity",
        "(some i : leader[i]) or x[first] = 0",
        "all i : d(i) <= infinity => x[i - d(i)] = 0",
        "if first = infinity then x[first] = 0 else b[0] = 1",
        "(some i : b[i]) and x[first] = 0",
        "infinity + 1 != infinity",
        "infinity - 1 < infinity",
        "first + 1 <= first",
        "first - d(0) = 0",
        "x[0] < infinity * 2",
        "first * 0 = 0",
        "2 ^ first > 3",
        "log2(first) = 2",
        "first + 1 in 0..first",
        "3 - first < 5 - d(0)",
        "all j in first..n : b[j]",
        "4 - first < 3 => x[4 - first] = 0",
        "x[max(first, 1)] = 0",
        "x[if first < 2 then 0 else first] = 0",
    ] {
        says(&below(&format!("{first}safe = {wrong}\n{rule}")), &["11: ", "can be infinity (", "< infinity"]);
    }
    for right in [
        "first < infinity and x[first] = 0",
        "first != infinity => first mod 2 = 0",
        "(some i : leader[i]) and x[first] = 0",
        "(one i : leader[i]) => x[first] = 0",
        "first = infinity or x[first] = 0",
        "if d(2) = infinity then b[0] = 1 else x[2 - d(2)] = 0",
        "all i : d(i) < 2 => x[i - d(i)] = 0",
        "not (d(1) >= infinity) and x[min(d(1), 3)] = d(0)",
        "x[min(first, 1)] = 0 and first + 1 > 0",
        "all i : x[i] <= n - d(i)",
        "first + 1 in 1..n and x[first] = 0",
        "first = d(0) or first < d(1)",
        "3 - first < first + 1",
        "x[if first < infinity then first else 0] = 0",
        "x[max(3 - first, 0)] = 0 or x[min(first + 1, 2)] = 1",
        "all j in 0..first + 1 : b[j]",
    ] {
        let text = format!("{HEAD}{first}safe = {right}\n{rule}");
        Source::parse("p.ring", &text).unwrap_or_else(|wrong| panic!("{right}: {wrong}"));
    }
}

/// The warnings of a text that can be used, each as `line: message`.
fn warned(text: &str) -> Vec<String> {
    let protocol = Source::parse("p.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let warnings = protocol.warnings();
    warnings.iter().map(|d| format!("{}: {}", warnings.place(d).0, d.message)).collect()
}

#[test]
fn a_mark_that_differs_from_its_variable_is_a_warning() {
    let text = |when: &str| {
        format!(
            "protocol p\nmodel population on complete\nstate leader, x : bit\nshow leader when {when}\ngoal one leader\n\
             first:\n  1: l.leader and r.leader and l.x -> r.leader, r.x := 0, 0\n"
        )
    };
    for same in ["leader", "leader = 1", "leader != 0", "leader > 0"] {
        assert_eq!(warned(&text(same)), [""; 0], "{same}");
    }
    for other in ["leader = 0", "not leader", "leader and x", "x"] {
        says(&warned(&text(other)), &["4: `leader` is also a variable"]);
    }
}

#[test]
fn an_empty_domain_is_reported_at_its_place() {
    let text = "protocol p\nmodel population on complete\nstate leader : bit\nstate x : 3..1\nshow leader when leader\n\
                goal one leader\nfirst:\n  1: l.leader and r.leader -> r.leader, r.x := 0, l.x\n";
    says(&errors(text), &["4: no size up to 16 can be built: the domain 3..1 of x is empty"]);
    says(&errors(&text.replace("3..1", "n..1")), &["4: ", "the domain 2..1 of x is empty"]);
}

#[test]
fn division_by_zero_and_large_ranges_are_reported_at_their_place() {
    let rule = "first:\n  1: l.b -> l.x := 0\n";
    says(&below(&format!("safe = (one i : b[i])\n  and 4 / x[0] = 1\n{rule}")), &["10: the divisor here can be 0"]);
    says(&below(&format!("safe = b[0] or 7 mod x[1] = 1\n{rule}")), &["9: the divisor here can be 0"]);
    let wide = format!("let many(i) = all j in 0..99 : b[i + j]\nsafe = b[0] or many(1)\n{rule}");
    says(&below(&wide), &["9: a quantifier's range has more than 64 values"]);
    let fine = format!("{HEAD}safe = x[0] = 0 or 4 / x[0] = 1\n{rule}");
    assert!(Source::parse("p.ring", &fine).is_ok());
}

#[test]
fn unused_named_expressions_are_checked() {
    let rule = "first:\n  1: l.b and l.colour = red -> l.x := k\nsafe = some i : x[i] = 0\n";
    says(&below(&format!("let y = nonsense[i]\n{rule}")), &["9: an agent has no variable `nonsense`"]);
    says(&below(&format!("let f(i) = f(i)\n{rule}")), &["9: unknown name `f(..)`"]);
    says(&below(&format!("let h(i, i) = x[i] = 0\n{rule}")), &["9: `h` has two parameters called `i`"]);
    says(&below(&format!("let g = x + colour\n{rule}")), &["9: "]);
    for fine in [
        "y = x + 1",
        "y = l.x + r.x",
        "y(i) = x[i] = 0",
        "y(a) = a.x = 0",
        "y = count i : b[i]",
        "y = k + n",
        "y = x[0]",
    ] {
        let name = "y";
        assert_eq!(
            warned(&format!("{HEAD}let {fine}\n{rule}")),
            [format!("9: the expression `{name}` is never read")],
            "{fine}"
        );
    }
}

/// An unknown one-letter name gets no suggestion of another letter.
#[test]
fn an_index_without_a_quantifier_is_unknown() {
    let found = below("safe = x[i] = 0\nfirst:\n  1: l.b -> l.x := 0\n");
    says(&found, &["9: unknown name `i`", "a quantifier introduces an agent: `all i : ..`"]);
    assert!(!found.iter().any(|line| line.contains("did you mean")), "{found:?}");
}
