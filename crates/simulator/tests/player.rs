//! Devices are asked over UDP by the library's own client.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test panics where something is wrong"
)]

use std::fs;

use tempfile::TempDir;
use varbind::blocking::Client;
use varbind::client::User;
use varbind::{Value, oid};
use varbind_simulator::{Player, Simulation, SimulationSettings};

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
