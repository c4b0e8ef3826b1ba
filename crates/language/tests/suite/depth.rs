//! Long and deep expressions: long chains are read, deep trees are refused at their place, and no stack overflows.

use ringleader_erased::Parameters;
use ringleader_language::{Instance, Source, Terms, format};

/// Runs a function with the default stack of threads, which is smaller than the stack of the main thread.
fn on_a_small_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("no panic")
    })
}

/// A protocol with further lines, a guard, and a safe set.
fn protocol(lines: &str, guard: &str, safe: &str) -> String {
    format!(
        "protocol p\nmodel ring\nstate x, y : 0..3\nshow leader when x = 1\ngoal one leader\n{lines}safe = {safe}\n\
         first:\n  1: {guard} -> x := 0\n"
    )
}

/// Parses a text, formats it, builds it, and evaluates a step and a verdict. Returns the errors.
fn taken(text: &str) -> Result<(), String> {
    on_a_small_stack(|| {
        let laid_out = format("p.ring", text).map_err(|wrong| wrong.to_string())?;
        let protocol = Source::parse("p.ring", &laid_out).map_err(|wrong| wrong.to_string())?;
        let Instance::Ring(ring) = protocol.instance(&Parameters::new(3)).map_err(|refused| refused.to_string())?
        else {
            panic!("a ring")
        };
        let mut judge = ring.judge(3).expect("a judge");
        judge.judge(&[0, 1, 2]);
        protocol.mention_of_size(&Parameters::new(3));
        let terms = Terms::of(&protocol, &Parameters::new(3)).expect("terms");
        terms.condition("condition", "all i : x[i] = 0").expect("a condition");
        Ok(())
    })
}

fn chain(sign: &str, operand: &str, count: usize) -> String {
    vec![operand; count].join(&format!(" {sign} "))
}

#[test]
fn chains_of_three_thousand_operands_are_read() {
    let arguments = vec!["x"; 3000].join(", ");
    for (guard, safe) in [
        (chain("+", "1", 3000) + " = 3000", "one i : x[i] = 1".to_string()),
        (chain("+", "x", 3000) + " > 7", "one i : x[i] = 1".into()),
        (chain("-", "x", 3000) + " < 7", "one i : x[i] = 1".into()),
        (chain("and", "x != left.y", 3000), "one i : x[i] = 1".into()),
        (chain("or", "x = left.y", 3000), "one i : x[i] = 1".into()),
        (chain("*", "1", 3000) + " = x", "one i : x[i] = 1".into()),
        (format!("min({arguments}) > left.y"), "one i : x[i] = 1".into()),
        ("x = 2".into(), format!("all i : {} > 7", chain("+", "x[i]", 3000))),
        ("x = 2".into(), chain("and", "(some i : x[i] > 1)", 3000)),
        ("x = 2".into(), format!("all i : {}", chain("or", "x[i] != y[i + 1]", 3000))),
    ] {
        taken(&protocol("", &guard, &safe)).unwrap_or_else(|wrong| panic!("{:.40}: {:.2000}", guard + &safe, wrong));
    }
}

#[test]
fn long_chains_have_the_value_of_short_ones() {
    let terms = Terms::new(1, &[], &["b"], &[], &[]);
    let holds = |text: &str| {
        let condition = terms.condition("condition", text).unwrap_or_else(|wrong| panic!("{wrong}"));
        condition.holds(&[condition.pack(&[1])], &|_| false)
    };
    for length in [2, 15, 16, 17, 18, 33, 100, 1001] {
        let (mut text, mut value) = ("9".to_string(), 9i64);
        for at in 1..length {
            let minus = at % 3 == 0 || at % 7 == 2;
            text += if minus { " - " } else { " + " };
            // A variable, so that nothing is folded.
            text += &format!("{at} * b[0]");
            value += if minus { -at } else { at };
        }
        let value = if value < 0 { format!("0 - {}", -value) } else { value.to_string() };
        assert!(holds(&format!("{text} = {value}")), "{text} = {value}");
        assert!(!holds(&format!("{text} = {value} + 1")), "{text}");
    }
    let halves = chain("*", "b[0]", 20);
    assert!(holds(&format!("1000 / 7 * {halves} / 2 * {halves} mod 50 = 21")));
}

#[test]
fn deep_trees_are_refused_at_their_place() {
    let many = 10_000;
    let nested = |open: &str, inner: &str, close: &str| open.repeat(many) + inner + &close.repeat(many);
    let lets = |first: &str, next: &dyn Fn(usize) -> String| {
        (1..3000).fold(format!("let f0 = {first}\n"), |lines, at| lines + &next(at) + "\n")
    };
    let one = "one i : x[i] = 1";
    let calls = (1..3000).fold("let g0(i) = x[i] = 1\n".to_string(), |lines, at| {
        lines + &format!("let g{at}(i) = g{}(i + 1)\n", at - 1)
    });
    let sets = (1..3000).fold("closed s0 = one i : x[i] = 1\n".to_string(), |lines, at| {
        lines + &format!("closed s{at} = s{} and (some i : x[i] = {})\n", at - 1, at % 5)
    });
    for (name, lines, guard, safe) in [
        ("brackets", String::new(), nested("(", "x", ")") + " = 1", one),
        ("not", String::new(), nested("not ", "x = 1", ""), one),
        ("implications", String::new(), nested("x = 1 => ", "x = 1", ""), one),
        ("choices", String::new(), nested("if x = 1 then 1 else ", "2", "") + " = 1", one),
        ("conditions", String::new(), nested("if (", "x = 1", ") then x = 2 else x = 3"), one),
        ("draws", String::new(), nested("draw ", "1", "..2") + " = 1", one),
        ("divisions", String::new(), chain("/", "x", many) + " = 1", one),
        ("variables", String::new(), nested("x", "", ".x") + " = 1", one),
        ("indices", String::new(), nested("x", "", "[0]") + " = 1", one),
        ("calls", String::new(), nested("min(1, ", "x", ")") + " = 1", one),
        ("names", lets("x", &|at| format!("let f{at} = f{} + left.x", at - 1)), "f2999 = 1".into(), one),
        ("names of names", lets("x", &|at| format!("let f{at} = f{}", at - 1)), "f2999 = 1".into(), one),
        ("named calls", calls, "x = 1".into(), "some i : g2999(i)"),
        ("sets", sets, "x = 1".into(), "s2999"),
    ] {
        let wrong = taken(&protocol(&lines, &guard, safe)).expect_err(name);
        assert!(wrong.contains("nested too deeply") && wrong.contains("--> p.ring:"), "{name}: {wrong:.500}");
    }
    for quantifiers in [nested("all i in 0..1 : ", "x[0] = 1", ""), nested("all i in ", "0", "..1 : x[0] = 1")] {
        let wrong = taken(&protocol("", "x = 1", &quantifiers)).expect_err("quantifiers");
        assert!(wrong.contains("too deeply"), "{wrong:.500}");
    }
}

/// The deepest accepted trees also fit into the smallest stack.
#[test]
fn the_deepest_accepted_trees_fit_the_stack() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| open.repeat(depth) + inner + &close.repeat(depth);
    let one = "one i : x[i] = 1";
    let lets = (1..197).fold("let f0 = x\n".to_string(), |lines, at| {
        lines
            + &format!(
                "let f{at} = {}\n",
                if at % 2 == 0 { format!("f{} + left.x", at - 1) } else { format!("left.x - f{}", at - 1) }
            )
    });
    let choices = (1..95).fold("let f0 = x\n".to_string(), |lines, at| {
        lines + &format!("let f{at} = if left.y = {at} then {at} else f{}\n", at - 1)
    });
    for (name, lines, guard, safe) in [
        ("brackets", String::new(), nested("(left.x + ", "x", ")", 97) + " = 1", one.to_string()),
        ("not", String::new(), nested("not ", "x = 1", "", 97), one.into()),
        ("implications", String::new(), nested("x = 1 => ", "x = left.y", "", 97), one.into()),
        ("choices", String::new(), nested("if x = left.y then 1 else ", "2", "", 97) + " = 1", one.into()),
        ("divisions", String::new(), chain("/", "(x + 1)", 190) + " = 1", one.into()),
        ("names", lets, "f196 = 1".into(), one.into()),
        ("named choices", choices, "f94 = 1".into(), one.into()),
        ("sets", String::new(), "x = 1".into(), format!("all i : {}", nested("x[i] = 1 => (", "x[i] = y[i]", ")", 45))),
        (
            "sums in sets",
            String::new(),
            "x = 1".into(),
            format!("all i : {} = 2", nested("(x[i] + ", "y[i + 1]", ")", 90)),
        ),
    ] {
        taken(&protocol(&lines, &guard, &safe)).unwrap_or_else(|wrong| panic!("{name}: {wrong:.2000}"));
    }
}

/// The time to read a guard grows with its length, and does not double with each condition.
#[test]
fn long_guards_are_read_quickly() {
    let parts: Vec<_> = (0..60).map(|at| format!("x != {at} and y + {at} != left.y")).collect();
    taken(&protocol("", &parts.join(" and "), "one i : x[i] = 1")).unwrap_or_else(|wrong| panic!("{wrong}"));
    let inside = (0..45).fold("x".to_string(), |inner, _| format!("(if {inner} = 1 then 1 else left.x)"));
    taken(&protocol("", &(inside + " = 1"), "one i : x[i] = 1")).unwrap_or_else(|wrong| panic!("{wrong}"));
}
