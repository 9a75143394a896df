//! `varbind agent --front`: the secure front of a device that speaks SNMPv2c alone.

use std::fs;

use varbind_testkit::peers::free_port;

use crate::own_agent::Agent;
use crate::program::{Outcome, initialize, run};

const DEVICE: &str = "\
[system]
location = \"behind the front\"
[[community]]
name = \"of the device\"
access = \"read-write\"
";

#[test]
fn a_device_of_version_2c_is_read_over_tls() {
    let device = Agent::start_with(DEVICE);
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let listen = format!("tls:127.0.0.1:{}", free_port());
    let options = ["--administrator", "ops", "--listen", &listen];
    let initialized = initialize(home.path(), &options);
    assert_eq!(initialized.code, Some(0), "{initialized:?}");
    let community = at("device.community");
    fs::write(&community, "of the device\n").unwrap();
    let options = [
        "--front",
        &device.target,
        "--community-file",
        community.as_str(),
    ];
    let configuration = home.path().join("agent.toml");
    let (mut front, targets) = Agent::start_listening_with(&options, &configuration, 1);

    let (certificate, trust) = (at("pki/manager.pem"), at("pki/ca.pem"));
    let ask = |command: &str, arguments: &[&str]| -> Outcome {
        let secure = ["--certificate", &certificate, "--trust", &trust];
        run(&[&[command], &secure[..], &[&targets[0]], arguments].concat())
    };
    let location = || ask("get", &["sysLocation.0"]).output;
    let expected = "SNMPv2-MIB::sysLocation.0 = STRING: behind the front\n";
    assert_eq!(location(), expected);
    // Read-only, even where the device allows Sets; nothing of the front lies among the objects of the device.
    let set = ask("set", &["sysLocation.0", "s", "elsewhere"]);
    assert!(set.code != Some(0), "{set:?}");
    let walked = ask("walk", &["system"]);
    let direct = run(&[
        "walk",
        "-v",
        "2c",
        "-c",
        "of the device",
        &device.target,
        "system",
    ]);
    let names = |outcome: &Outcome| -> Vec<String> {
        let lines = outcome.output.lines();
        lines
            .map(|line| line.split(" = ").next().unwrap().to_owned())
            .collect()
    };
    assert!(names(&walked).len() > 5, "{walked:?}");
    assert_eq!(names(&walked), names(&direct));
    // A reload keeps what the command line says.
    front.reload("the configuration was read again");
    assert_eq!(location(), expected);
}

#[test]
fn a_front_of_itself_does_not_start() {
    let directory = tempfile::tempdir().unwrap();
    let (file, state) = (
        directory.path().join("agent.toml"),
        directory.path().join("state"),
    );
    fs::write(&file, format!("state-directory = {state:?}\n")).unwrap();
    let own = format!("udp:127.0.0.1:{}", free_port());
    let told = run(&[
        "agent",
        "--config",
        file.to_str().unwrap(),
        "--listen",
        &own,
        "--front",
        &own,
        "-c",
        "public",
    ]);
    assert_ne!(told.code, Some(0), "{told:?}");
    assert!(told.errors.contains("in a loop"), "{told:?}");
}
