use varbind_testkit::peers::is_installed;

use crate::process::{Home, ask};

const SYS_UP_TIME: &str = ".1.3.6.1.2.1.1.3.0";

#[test]
fn each_transport_answers_and_the_addresses_are_printed() {
    let home = Home::new(
        r#"listen = ["udp:127.0.0.1:0", "tcp:127.0.0.1:0", "udp:[::1]:0", "tcp:[::1]:0"]"#,
    );
    let agent = home.start(4);
    if !is_installed("snmpget") {
        return;
    }
    for address in &agent.addresses {
        let answer = ask("snmpget", "public", address, &[SYS_UP_TIME]);
        assert!(
            answer.starts_with(".1.3.6.1.2.1.1.3.0 = Timeticks: ("),
            "{address}: {answer}"
        );
    }
    let refused = ask("snmpget", "private", &agent.addresses[0], &[SYS_UP_TIME]);
    assert!(refused.contains("Timeout"), "{refused}");
    agent.signal("-TERM");
    assert_eq!(agent.wait().code(), Some(0));
}

#[test]
fn an_interrupt_ends_the_agent_in_order() {
    let agent = Home::new(r#"listen = ["udp:127.0.0.1:0"]"#).start(1);
    agent.signal("-INT");
    assert_eq!(agent.wait().code(), Some(0));
}

#[test]
fn an_address_in_use_is_an_error_that_says_what_to_do() {
    let agent = Home::new(r#"listen = ["udp:127.0.0.1:0"]"#).start(1);
    let listen = format!("listen = [{:?}]", agent.addresses[0]);
    let output = Home::new(&listen).fail();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.contains(&agent.addresses[0]) && text.contains("--listen"),
        "{text}"
    );
}

#[test]
fn a_wrong_configuration_is_an_error_that_names_the_line() {
    let home = Home::new("[system]\nlocaton = \"here\"");
    let output = home.fail();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.contains("agent.toml, line 3: unknown key locaton; did you mean location?"),
        "{text}"
    );
}

#[test]
fn a_source_that_is_not_allowed_is_logged_once_with_what_to_write() {
    if !is_installed("snmpget") {
        return;
    }
    let home = Home::new(
        r#"
        listen = ["udp:127.0.0.1:0"]
        [[community]]
        name = "public"
        sources = ["192.0.2.0/24"]
        "#,
    );
    let agent = home.start(1);
    for _ in 0..2 {
        let refused = agent.ask("snmpget", &[SYS_UP_TIME]);
        assert!(refused.contains("Timeout"), "{refused}");
    }
    let log = agent.await_log("127.0.0.1: requests are refused");
    assert!(
        log.contains("WARN 127.0.0.1") && log.contains("add \"127.0.0.1\" to `sources`"),
        "{log}"
    );
    assert_eq!(log.matches("requests are refused").count(), 1, "{log}");
}
