//! The text form of message traces: errors say where and what, and no input makes it panic.

use proptest::prelude::*;
use ringleader_model::message_trace::MessageTrace;

const START: &str = "ringleader message trace 1\n# why\nalgorithm x\nsize 2\n";

fn refusal(rest: &str) -> String {
    MessageTrace::parse(&format!("{START}{rest}")).expect_err("it is wrong").to_string()
}

#[test]
fn errors_say_where_and_what() {
    assert_eq!(refusal("step 2"), "line 5, column 6: expected a process in 0..1, found \"2\"");
    assert_eq!(refusal("step"), "line 5, column 5: expected a process in 0..1, but the line ends");
    assert_eq!(refusal("receive 0 up 0"), "line 5, column 11: expected left, right or a port, found \"up\"");
    assert_eq!(refusal("receive 0 left"), "line 5, column 15: expected an index, but the line ends");
    assert!(refusal("step 0 coin").contains("expected the side"));
    assert!(refusal("step 0 coin x").contains("found \"x\""));
    assert!(refusal("channels tube").contains("bag"));
    assert!(refusal("size 3").starts_with("line 5"));
    assert!(MessageTrace::parse("").expect_err("it is empty").to_string().contains("empty"));
    assert!(!MessageTrace::detect("ringleader trace 1") && MessageTrace::detect(START));
}

#[test]
fn traces_round_trip() {
    let text =
        format!("{START}parameter ids 3\nchannels fifo\nstep 0 coin 2 0\nreceive 1 left 0\nreceive 0 right 1 coin 1\n");
    let trace = MessageTrace::parse(&text).expect("it is right");
    assert_eq!(trace.print(), text.replace("# why\n", ""));
    assert_eq!(
        MessageTrace::parse(&trace.print()),
        Ok(MessageTrace {
            steps: {
                let mut steps = trace.steps.clone();
                steps.iter_mut().for_each(|step| step.line -= 1);
                steps
            },
            ..trace
        })
    );
}

proptest! {
    #[test]
    fn no_input_panics(rest in "((step|receive|channels|size|coin|left|right|[0-9]{1,3}|[a-z]{0,4})[ \n]){0,30}") {
        if let Ok(trace) = MessageTrace::parse(&format!("{START}{rest}")) {
            let again = MessageTrace::parse(&trace.print());
            prop_assert_eq!(again.expect("it was printed").print(), trace.print());
        }
    }
}
