use std::fs;
use std::time::Duration;

use tempfile::TempDir;

use super::*;

fn folder(configuration: &str) -> (TempDir, SimulationSettings) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("switch.snmprec"),
        "1.3.6.1.2.1.1.5.0|4|sw\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("router.snmprec"),
        "1.3.6.1.2.1.1.5.0|4|r\n",
    )
    .unwrap();
    fs::write(folder.path().join("simulation.toml"), configuration).unwrap();
    let settings = SimulationSettings::of_folder(folder.path()).unwrap();
    (folder, settings)
}

fn load(configuration: &str) -> Result<Simulation, String> {
    let (_folder, settings) = folder(configuration);
    let loaded = Simulation::load(&settings);
    loaded
        .map(|(simulation, _)| simulation)
        .map_err(|error| error.to_string())
}

#[test]
fn every_key_is_read() {
    let simulation = load(
        r#"
        seed = 7
        listen = ["udp:0.0.0.0:11610"]
        communities = ["secret"]
        sources = ["192.0.2.0/24"]

        [[users]]
        name = "ops"
        authentication = { protocol = "SHA-256", password = "maple syrup" }
        privacy = { protocol = "AES", password = "apple sauce" }

        [[groups]]
        name = "switches"
        addresses = "127.1.0.0/16"
        devices = 1000
        recordings = ["sw*"]
        live = true
        counter-rate = [10, 1000]
        boots = 3
        sys-name = "sw{index}"
        serial-number = "FOC{serial}"
        values = { "sysLocation.0" = "rack {number} at {address}" }

        [groups.faults]
        share = 0.5
        latency = "20ms"
        jitter = "5ms"
        loss = 0.01
        duplicate = 0.02
        wrong-request-id = 0.03
        general-error = 0.04
        too-big = 0.05
        largest-response = 484
        mute = true
        wrong-order = true
        endless-loop = true
        restart-every = "1h"
        renumber-every = "10min"
        traps = { rate = 0.1, to = "127.0.0.1:1162", community = "trap" }

        [[groups]]
        recordings = ["router"]
        "#,
    )
    .unwrap();
    assert_eq!(simulation.fleet.count(), 1001);
    assert_eq!(simulation.fleet.seed(), 7);
    let [switches, named] = simulation.fleet.groups() else {
        panic!("{:?}", simulation.fleet);
    };
    assert_eq!(switches.communities, ["secret"]);
    assert_eq!(
        switches.faults.restart_every,
        Some(Duration::from_secs(3600))
    );
    assert_eq!(switches.faults.jitter, Duration::from_millis(5));
    assert_eq!(switches.values.counter_rate, Some((10.0, 1000.0)));
    assert_eq!(switches.values.texts.len(), 3);
    assert_eq!(switches.recordings.len(), 1);
    assert_eq!(named.selection, Selection::Names(vec!["router".to_owned()]));
    assert_eq!(simulation.users.len(), 1);
}

#[test]
fn mistakes_are_reported_with_its_place() {
    for (configuration, parts) in [
        ("sed = 1", &["simulation.toml", "unknown field"][..]),
        (
            "[[groups]]\naddresses = \"127.1.0.0/40\"",
            &["simulation.toml: groups \"group 1\"", "127.1.0.0/16"],
        ),
        (
            "[[groups]]\nname = \"a\"\nrecordings = [\"x*\"]",
            &["\"a\"", "x*", "router, switch"],
        ),
        ("[[groups]]\ndevices = 5", &["need addresses"]),
        (
            "[[groups]]\naddresses = \"127.1.0.0/30\"\ndevices = 5",
            &["4 addresses"],
        ),
        (
            "[[groups]]\nfaults = { loss = 2 }",
            &["2 is not a fraction from 0 to 1: write 0.05 for 5 %"],
        ),
        (
            "[[groups]]\nfaults = { latency = \"20\" }",
            &["\"20\", expected a duration, as \"20ms\""],
        ),
        (
            "[[groups]]\nfaults = { latency = 20 }",
            &["`20`, expected a duration, as \"20ms\""],
        ),
        ("[[groups]]\nboots = -1", &["boots: -1 is negative"]),
        (
            "[[groups]]\nfaults = { restart-every = \"1ms\" }",
            &["restart-every", "100ms"],
        ),
        (
            "[[groups]]\nfaults = { traps = { rate = 1, to = \"host\" } }",
            &["not an address with a port"],
        ),
        (
            "[[groups]]\nsys-name = \"{nonsense}\"",
            &["{nonsense}", "{index}"],
        ),
        (
            "[[groups]]\nvalues = { noSuchName = \"x\" }",
            &["values", "noSuchName"],
        ),
        ("[[groups]]\ncounter-rate = [5, 1]", &["counter-rate"]),
        (
            "[[users]]\nname = \"a\"\nauthentication = { protocol = \"ROT13\", password = \"12345678\" }",
            &["users \"a\"", "SHA"],
        ),
        (
            "[[users]]\nname = \"a\"\nauthentication = { protocol = \"SHA\", password = \"short\" }",
            &["at least 8"],
        ),
        ("listen = [\"nonsense:1:2:3\"]", &["listen"]),
        ("sources = [\"everywhere\"]", &["sources"]),
    ] {
        let error = load(configuration).expect_err(configuration);
        for part in parts {
            assert!(error.contains(part), "{configuration}: {error}");
        }
    }
}

#[test]
fn a_folder_without_recordings_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let settings = SimulationSettings::of_folder(folder.path()).unwrap();
    let error = Simulation::load(&settings).unwrap_err().to_string();
    assert!(
        error.contains("no recordings") && error.contains("varbind record"),
        "{error}"
    );
}

#[test]
fn a_range_of_ports_is_a_device_for_each_and_a_socket_for_each() {
    let simulation = load(
        "[[groups]]\nports = '20000-20099'\n[[groups]]\nname = 'b'\naddresses = '127.0.0.2'\nport = 3000\n",
    );
    let simulation = simulation.unwrap();
    assert_eq!(
        (simulation.fleet.count(), simulation.listen.len()),
        (101, 101)
    );
    for (text, told) in [
        ("ports = '20000'", "ports: \"20000\" is no range"),
        ("ports = '2-1'", "ports: \"2-1\" is no range"),
        ("ports = '1-65535'", "at most 4096 ports"),
        (
            "addresses = '127.0.0.1'\nports = '1-2'\nport = 1",
            "exclude each other",
        ),
        ("ports = '1-2'\ndevices = 3", "need addresses"),
    ] {
        let error = load(&format!("[[groups]]\n{text}\n")).unwrap_err();
        assert!(error.contains(told), "{text}: {error}");
    }
}
