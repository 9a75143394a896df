use std::time::{Duration, Instant};

use varbind_testkit::peers::is_installed;

use crate::process::{Home, ask};

const SYS_LOCATION: &str = ".1.3.6.1.2.1.1.6.0";

fn configuration(listen: &str, location: &str) -> String {
    format!("listen = [{listen}]\n[system]\nlocation = {location:?}")
}

#[test]
fn a_reload_takes_over_listeners_and_objects_and_drops_no_socket() {
    let home = Home::new(&configuration("\"udp:127.0.0.1:0\"", "here"));
    let mut agent = home.start(1);
    if !is_installed("snmpget") {
        return;
    }
    home.configure(&configuration(
        "\"udp:127.0.0.1:0\", \"tcp:127.0.0.1:0\"",
        "there",
    ));
    agent.signal("-HUP");
    agent.await_listeners(2);
    for address in &agent.addresses {
        let expected = format!("{SYS_LOCATION} = STRING: \"there\"");
        // The new listener answers before the objects are replaced.
        let deadline = Instant::now() + Duration::from_secs(30);
        while ask("snmpget", "public", address, &[SYS_LOCATION]) != expected {
            assert!(Instant::now() < deadline, "{address}");
        }
    }
    home.configure(&configuration("\"tcp:127.0.0.1:0\"", "there"));
    agent.signal("-HUP");
    let deadline = Instant::now() + Duration::from_secs(30);
    while !ask("snmpget", "public", &agent.addresses[0], &[SYS_LOCATION]).contains("Timeout") {
        assert!(
            Instant::now() < deadline,
            "the listener that was removed still answers"
        );
    }
}

#[test]
fn a_wrong_configuration_leaves_all_as_it_was() {
    let home = Home::new(&configuration("\"udp:127.0.0.1:0\"", "here"));
    let mut agent = home.start(1);
    if !is_installed("snmpget") {
        return;
    }
    home.configure(&configuration(
        "\"udp:127.0.0.1:0\", \"udp:192.0.2.1:0\"",
        "there",
    ));
    agent.signal("-HUP");
    agent.await_in_log("the old configuration stays in force", 1);
    home.configure("[system]\nlocation = 5");
    agent.signal("-HUP");
    agent.await_in_log("the old configuration stays in force", 2);
    let expected = format!("{SYS_LOCATION} = STRING: \"here\"");
    assert_eq!(agent.ask("snmpget", &[SYS_LOCATION]), expected);
    // It is still there to obey a right one.
    home.configure(&configuration(
        "\"udp:127.0.0.1:0\", \"tcp:127.0.0.1:0\"",
        "there",
    ));
    agent.signal("-HUP");
    agent.await_listeners(2);
}
