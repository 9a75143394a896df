//! Devices are asked over UDP by the library's own client.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test panics where something is wrong"
)]

use std::fs;

use tempfile::TempDir;
use varbind::blocking::Client;
use varbind::client::User;
use varbind::{Value, oid};
use varbind_simulator::{Count, Player, Simulation, SimulationSettings};

fn play(configuration: &str) -> (TempDir, Player) {
    let folder = tempfile::tempdir().unwrap();
    let recording =
        "1.3.6.1.2.1.1.1.0|4|a switch\n1.3.6.1.2.1.1.3.0|67|100\n1.3.6.1.2.1.1.5.0|4|sw\n";
    fs::write(folder.path().join("switch.snmprec"), recording).unwrap();
    fs::write(folder.path().join("simulation.toml"), configuration).unwrap();
    let settings = SimulationSettings::of_folder(folder.path()).unwrap();
    let (simulation, _) = Simulation::load(&settings).unwrap();
    (folder, Player::start(simulation).unwrap())
}

#[test]
fn a_client_of_snmpv3_follows_restarts() {
    let (_folder, player) = play(
        r#"
        listen = ["udp:127.0.0.1:0"]
        [[users]]
        name = "ops"
        authentication = { protocol = "SHA-256", password = "maple syrup" }
        privacy = { protocol = "AES", password = "apple sauce" }
        [[groups]]
        live = true
        faults = { restart-every = "150ms" }
        "#,
    );
    let client = Client::new().unwrap();
    let user = User::new("ops").sha256("maple syrup").aes128("apple sauce");
    let target = client.target(&player.addresses()[0].to_string()).unwrap();
    let target = target.user(&user).unwrap();
    let mut former = u32::MAX;
    let mut restarts = 0;
    // Each restart has one more boot, which the client learns from a Report.
    while restarts < 3 {
        let Value::TimeTicks(ticks) = target.get(oid!("1.3.6.1.2.1.1.3.0")).unwrap() else {
            panic!("no TimeTicks");
        };
        restarts += u32::from(ticks < former);
        former = ticks;
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

const VARIATIONS: &str = "1.3.6.1.2.1.1.1.0|2:delay|vlist=eq:0:1,wait=0,value=6\n\
    1.3.6.1.2.1.1.2.0|2:error|vlist=gt:2:wrongvalue,value=1\n\
    1.3.6.1.2.1.1.4.0|2:error|op=set,status=commitfailed,value=1\n";

#[test]
fn what_is_set_decides_about_delays_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("switch.snmprec"), VARIATIONS).unwrap();
    let settings = SimulationSettings {
        listen: vec!["udp:127.0.0.1:0".parse().unwrap()],
        ..SimulationSettings::of_folder(folder.path()).unwrap()
    };
    let player = Player::start(Simulation::load(&settings).unwrap().0).unwrap();
    let client = Client::new().unwrap();
    let target = client.target(&player.addresses()[0].to_string()).unwrap();
    let target = target.community("public");
    let delayed = || player.counts().of(Count::Delayed);
    let (description, identity) = (oid!("1.3.6.1.2.1.1.1.0"), oid!("1.3.6.1.2.1.1.2.0"));
    target.set(description.clone(), Value::Integer(1)).unwrap();
    assert_eq!(delayed(), 0);
    target.set(description.clone(), Value::Integer(0)).unwrap();
    assert_eq!(delayed(), 1);
    assert_eq!(target.get(description).unwrap(), Value::Integer(6));
    target.set(identity.clone(), Value::Integer(2)).unwrap();
    assert_eq!(target.get(identity.clone()).unwrap(), Value::Integer(2));
    for (name, value, told) in [
        (identity, 3, "wrongValue"),
        (oid!("1.3.6.1.2.1.1.4.0"), 3, "commitFailed"),
    ] {
        let error = target.set(name, Value::Integer(value)).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[test]
fn each_address_is_a_device_with_a_name_and_an_engine_of_its_own() {
    let (_folder, player) = play(
        r#"
        listen = ["udp:0.0.0.0:0"]
        [[users]]
        name = "ops"
        authentication = { protocol = "SHA-256", password = "maple syrup" }
        privacy = { protocol = "AES", password = "apple sauce" }
        [[groups]]
        addresses = "127.1.0.0/16"
        sys-name = "sw{index}"
        "#,
    );
    let port = player.addresses()[0].port.unwrap();
    let client = Client::new().unwrap();
    for (address, name) in [("127.1.0.0", "sw1"), ("127.1.255.255", "sw65536")] {
        let address = format!("udp:{address}:{port}");
        let expected = Value::OctetString(name.as_bytes().to_vec());
        let community = client.target(&address).unwrap().community("public");
        assert_eq!(community.get(oid!("1.3.6.1.2.1.1.5.0")).unwrap(), expected);
        let user = User::new("ops").sha256("maple syrup").aes128("apple sauce");
        let user = client.target(&address).unwrap().user(&user).unwrap();
        assert_eq!(user.get(oid!("1.3.6.1.2.1.1.5.0")).unwrap(), expected);
    }
}
