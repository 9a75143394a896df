use crate::program::run;
use crate::silent::Silent;

#[test]
fn a_fixed_timeout_and_retries_are_kept_to() {
    let agent = Silent::new();
    let outcome = run(&["get", "-t", "0.1", "-r", "2", &agent.target(), "sysDescr.0"]);
    assert_eq!(outcome.code, Some(3));
    assert_eq!(outcome.output, "");
    let requests = agent.requests();
    assert_eq!(requests.len(), 3);
    // A new request-id each time: no two are alike.
    assert!(requests[0] != requests[1] && requests[1] != requests[2]);
    assert!(
        outcome.errors.starts_with("varbind: "),
        "{}",
        outcome.errors
    );
    assert!(
        outcome.errors.contains("3 attempts, at 0 s "),
        "{}",
        outcome.errors
    );
}

#[test]
fn a_set_repeats_the_same_message_and_says_that_it_may_have_happened() {
    let agent = Silent::new();
    let arguments = [
        "set",
        "-t",
        "0.1",
        "-r",
        "1",
        &agent.target(),
        "sysName.0",
        "s",
        "x",
    ];
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(3));
    assert!(
        outcome.errors.contains("may have carried out"),
        "{}",
        outcome.errors
    );
    let requests = agent.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0], requests[1]);
}

#[test]
fn a_walk_of_a_silent_agent_ends_and_says_what_was_asked() {
    let agent = Silent::new();
    let outcome = run(&["walk", "-t", "0.1", "-r", "0", &agent.target(), "ifTable"]);
    assert_eq!(outcome.code, Some(3));
    assert!(
        outcome.errors.contains("what follows IF-MIB::ifTable"),
        "{}",
        outcome.errors
    );
    assert!(
        outcome.errors.contains("0 objects came before"),
        "{}",
        outcome.errors
    );
}
