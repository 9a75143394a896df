//! Net-SNMP's tools against our agent, and our manager against its snmpd.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;

use varbind::transport::certificate::CertificateIdentity;
use varbind_testkit::certificates::{Authority, ECDSA, Files, RSA};
use varbind_testkit::loopback::SYS_DESCR_0;
use varbind_testkit::peers::{free_port, is_installed};

use crate::fixture::processes::Process;
use crate::fixture::{DESCRIPTION, TestAgent, client, description, open};

#[test]
fn net_snmp_asks_the_agent() {
    if !is_installed("snmpget") {
        return;
    }
    for algorithm in [ECDSA, RSA] {
        let authority = Authority::with_algorithm("authority", algorithm);
        let (agent, manager) = (
            authority.issue_host("agent"),
            authority.issue_host("manager"),
        );
        let settings = Files::for_net_snmp(&authority, ("manager", &manager), ("agent", &agent));
        let agent = TestAgent::new(&authority, &agent.identity());
        for (program, arguments) in [
            ("snmpget", &[SYS_DESCR_0][..]),
            ("snmpwalk", &["1.3.6.1.4.1.32473"]),
            ("snmpbulkwalk", &["1.3.6.1.4.1.32473"]),
        ] {
            let output = Command::new(program)
                .args([
                    "-On", "-m", "", "-v3", "-l", "authPriv", "-t", "20", "-r", "0",
                ])
                .args(["-T", "our_identity=manager", "-T", "their_identity=agent"])
                .args(["-T", "trust_cert=authority"])
                .arg(format!("dtlsudp:{}", agent.address))
                .args(arguments)
                .env("SNMPCONFPATH", settings.directory())
                .env("SNMP_PERSISTENT_DIR", settings.directory())
                .output()
                .unwrap();
            let printed = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{program}: {errors}");
            match program {
                "snmpget" => assert!(printed.contains(DESCRIPTION), "{printed}"),
                _ => assert_eq!(printed.lines().count(), 200, "{printed}"),
            }
        }
    }
}

/// Net-SNMP verifies the path even to a certificate that it expects, by what the agent sends.
#[test]
fn net_snmp_that_knows_the_agent_alone_needs_the_root_in_its_chain() {
    if !is_installed("snmpget") {
        return;
    }
    let authority = Authority::with_algorithm("authority", RSA);
    let (agent, manager) = (
        authority.issue_host("agent"),
        authority.issue_host("manager"),
    );
    let settings = Files::for_net_snmp(&authority, ("manager", &manager), ("agent", &agent));
    let key = settings.write_key("agent-key.pem", &agent);
    for (chain, is_accepted) in [
        (agent.pem.clone(), false),
        (agent.pem.clone() + &authority.pem, true),
    ] {
        let chain = settings.write("chain.pem", chain);
        let identity = CertificateIdentity::load(&chain, &key).unwrap();
        let agent = TestAgent::new(&authority, &identity);
        let output = Command::new("snmpget")
            .args([
                "-On", "-m", "", "-v3", "-l", "authPriv", "-t", "20", "-r", "0",
            ])
            .args(["-T", "our_identity=manager", "-T", "their_identity=agent"])
            .arg(format!("dtlsudp:{}", agent.address))
            .arg(SYS_DESCR_0)
            .env("SNMPCONFPATH", settings.directory())
            .env("SNMP_PERSISTENT_DIR", settings.directory())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), is_accepted, "{errors}");
    }
}

#[test]
fn the_manager_asks_snmpd() {
    if !is_installed("snmpd") {
        return;
    }
    for algorithm in [ECDSA, RSA] {
        let authority = Authority::with_algorithm("authority", algorithm);
        let (agent, manager) = (
            authority.issue_host("agent"),
            authority.issue_host("manager"),
        );
        let settings = Files::for_net_snmp(&authority, ("agent", &agent), ("manager", &manager));
        let fingerprint = manager.fingerprint().to_string();
        let hash = fingerprint.trim_start_matches("sha256:");
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let configuration = format!(
            "[snmp] localCert agent\n[snmp] trustCert authority\n\
             [snmpd]\nagentAddress dtlsudp:{address}\ncertSecName 10 {hash} --sn manager\n\
             rouser -s tsm manager authPriv\nsysDescr {DESCRIPTION}\n"
        );
        let file = settings.path("agent.conf");
        fs::write(&file, configuration).unwrap();
        let mut snmpd = Command::new("snmpd");
        snmpd
            .args(["-f", "-Le", "-C", "-c"])
            .arg(&file)
            .env("SNMPCONFPATH", settings.directory())
            .env("SNMP_PERSISTENT_DIR", settings.directory());
        let snmpd = Process::start(&mut snmpd);
        snmpd.await_output(b"NET-SNMP version");
        let client = Arc::new(client(&authority, &manager.identity()));
        for _ in 0..2 {
            let mut manager = open(address, &client).unwrap();
            assert_eq!(description(&mut manager), DESCRIPTION);
        }
    }
}
