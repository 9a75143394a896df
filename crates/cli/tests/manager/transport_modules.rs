//! SNMP-TLS-TM-MIB (RFC 6353) and SNMP-TSM-MIB (RFC 5591): what managers change of the secure transports.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use varbind::transport::certificate::{Fingerprint, HashAlgorithm, load_certificates};
use varbind_testkit::peers::Running;

use crate::own_agent::Agent;
use crate::program::{Outcome, varbind};
use crate::secure_transports::Home;

const PATIENCE: Duration = Duration::from_secs(15);
const SYS_SERVICES: &str = "SNMPv2-MIB::sysServices.0 = INTEGER: 72\n";

/// An agent over TLS and UDP: the certificate of `ops` has a name, and the community `public` may do everything.
struct Fixture {
    home: Home,
    _agent: Agent,
    tls: String,
    udp: String,
}

impl Fixture {
    fn start() -> Self {
        let home = Home::new();
        let guest = home.path("pki/guest");
        home.pki(&[
            "issue",
            "manager",
            "guest",
            "--output",
            guest.to_str().unwrap(),
        ]);
        let text = format!(
            "listen = [\"tls:127.0.0.1:0\", \"udp:127.0.0.1:0\"]
             state-directory = {:?}
             [notifications]
             authentication-failure = true
             [[community]]
             name = \"public\"
             access = \"read-write\"
             view = \"everything\"
             [[tls.map]]
             certificate = \"pki/manager.pem\"
             name = \"ops\"
             [[transport-user]]
             name = \"ops\"",
            home.path("state")
        );
        fs::write(home.path("agent.toml"), text).unwrap();
        let (agent, targets) = Agent::start_listening(&home.path("agent.toml"), 2);
        let of = |transport: &str| {
            let mut targets = targets.iter();
            let target = targets.find(|target| target.starts_with(transport));
            target.unwrap().clone()
        };
        Self {
            tls: of("tls"),
            udp: of("udp"),
            home,
            _agent: agent,
        }
    }

    /// Sets all of it in one request.
    #[track_caller]
    fn set(&self, words: &[&str]) {
        let outcome = self.try_set(words);
        assert_eq!(outcome.code, Some(0), "{words:?}: {outcome:?}");
    }

    fn try_set(&self, words: &[&str]) -> Outcome {
        let session = ["set", "-v2c", "-c", "public", &self.udp];
        varbind(&[&session, words].concat())
            .output()
            .unwrap()
            .into()
    }

    /// What a manager reads, without name and type.
    fn value(&self, name: &str) -> String {
        let words = ["get", "-v2c", "-c", "public", "-OqvU", &self.udp, name];
        let outcome: Outcome = varbind(&words).output().unwrap().into();
        assert_eq!(outcome.code, Some(0), "{name}: {outcome:?}");
        outcome.output.trim_end().to_owned()
    }

    /// Asks over TLS with a certificate.
    fn ask(&self, certificate: &str) -> Outcome {
        let pki = self.home.path("pki");
        varbind(&["get", "-v3", &self.tls, "sysServices.0"])
            .env("VARBIND_CERTIFICATE", pki.join(certificate))
            .env("VARBIND_TRUST", pki.join("ca.pem"))
            .output()
            .unwrap()
            .into()
    }

    /// Asks until it is as it should be: rules are taken over a moment after they are set.
    #[track_caller]
    fn await_answer(&self, certificate: &str, is_wanted: impl Fn(&Outcome) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let outcome = self.ask(certificate);
            if is_wanted(&outcome) {
                return;
            }
            assert!(Instant::now() < deadline, "{outcome:?}");
        }
    }

    fn fingerprint(&self, certificate: &str) -> String {
        let file = self.home.path("pki").join(certificate);
        let certificates = load_certificates(&file).unwrap();
        let fingerprint = Fingerprint::of(&certificates[0], HashAlgorithm::Sha256);
        let octets = fingerprint.to_octets().into_iter();
        octets.map(|octet| format!("{octet:02x}")).collect()
    }

    /// Has the agent tell an authenticationFailure.
    fn provoke(&self) {
        let words = ["get", "-v2c", "-c", "wrong", "-t0.05", "-r0", &self.udp];
        let _ = varbind(&[&words[..], &["sysName.0"]].concat()).output();
    }
}

#[test]
fn managers_give_names_to_certificates() {
    let fixture = Fixture::start();
    assert_eq!(fixture.ask("manager.pem").output, SYS_SERVICES);
    assert_ne!(fixture.ask("guest/manager.pem").code, Some(0));
    assert_ne!(
        fixture.value("snmpTlstmSessionInvalidClientCertificates.0"),
        "0"
    );
    assert_ne!(fixture.value("snmpTlstmSessionAccepts.0"), "0");
    assert_eq!(fixture.value("snmpTlstmCertToTSNCount.0"), "1");
    assert_eq!(
        fixture.value("snmpTlstmCertToTSNTableLastChanged.0"),
        "0:0:00:00.00"
    );
    assert_eq!(fixture.value("snmpTlstmCertToTSNData.10"), "\"ops\"");

    let fingerprint = fixture.fingerprint("guest/manager.pem");
    fixture.set(&[
        "snmpTlstmCertToTSNFingerprint.20",
        "x",
        &fingerprint,
        "snmpTlstmCertToTSNData.20",
        "s",
        "ops",
        "snmpTlstmCertToTSNRowStatus.20",
        "i",
        "createAndGo",
    ]);
    fixture.await_answer("guest/manager.pem", |outcome| {
        outcome.output == SYS_SERVICES
    });
    assert_eq!(fixture.value("snmpTlstmCertToTSNCount.0"), "2");
    assert_ne!(
        fixture.value("snmpTlstmCertToTSNTableLastChanged.0"),
        "0:0:00:00.00"
    );

    // RFC 6353 7: not while the row is active, and no hash that is of no algorithm.
    for (name, value, error) in [
        ("snmpTlstmCertToTSNData.20", "other", "inconsistentValue"),
        ("snmpTlstmCertToTSNData.10", "other", "notWritable"),
    ] {
        let outcome = fixture.try_set(&[name, "s", value]);
        assert!(outcome.errors.contains(error), "{outcome:?}");
    }
    let outcome = fixture.try_set(&["snmpTlstmCertToTSNFingerprint.30", "x", "04abcd"]);
    assert_ne!(outcome.code, Some(0), "{outcome:?}");
    fixture.set(&["snmpTlstmCertToTSNRowStatus.20", "i", "destroy"]);
    fixture.await_answer("guest/manager.pem", |outcome| outcome.code != Some(0));
    assert_eq!(fixture.ask("manager.pem").output, SYS_SERVICES);
}

/// RFC 5591 5.1, 5.2: with prefixes there are other names, to which nobody gave access.
#[test]
fn prefixes_of_names_are_switched_through_snmp() {
    let fixture = Fixture::start();
    assert_eq!(fixture.value("snmpTsmConfigurationUsePrefix.0"), "false");
    assert_eq!(fixture.ask("manager.pem").output, SYS_SERVICES);
    fixture.set(&["snmpTsmConfigurationUsePrefix.0", "i", "true"]);
    let refused = fixture.ask("manager.pem");
    assert_ne!(refused.code, Some(0), "{refused:?}");
    let outcome = fixture.try_set(&["snmpTsmConfigurationUsePrefix.0", "i", "3"]);
    assert_ne!(outcome.code, Some(0), "{outcome:?}");
    fixture.set(&["snmpTsmConfigurationUsePrefix.0", "i", "false"]);
    assert_eq!(fixture.ask("manager.pem").output, SYS_SERVICES);
    for counter in [
        "snmpTsmInvalidCaches.0",
        "snmpTsmInadequateSecurityLevels.0",
        "snmpTsmUnknownPrefixes.0",
        "snmpTsmInvalidPrefixes.0",
    ] {
        assert_eq!(fixture.value(counter), "0", "{counter}");
    }
}

/// `varbind receive` over TLS and UDP.
struct Receive {
    _child: Running,
    output: Receiver<String>,
    tls: String,
    udp: String,
}

impl Receive {
    fn start(home: &Home) -> Self {
        let pki = home.path("pki");
        let listen = ["--listen", "tls:127.0.0.1:0", "--listen", "udp:127.0.0.1:0"];
        let mut child = varbind(&[&["receive", "-c", "public"], &listen[..]].concat())
            .arg("--state")
            .arg(home.path("receiver"))
            .env("VARBIND_CERTIFICATE", pki.join("agent.pem"))
            .env("VARBIND_TRUST", pki.join("ca.pem"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let mut ports = std::collections::BTreeMap::new();
        for _ in 0..2 {
            let mut line = String::new();
            told.read_line(&mut line).unwrap();
            let address = line.trim_end().strip_prefix("listening on ").unwrap();
            let (transport, rest) = address.split_once(':').unwrap();
            let (_, port) = rest.rsplit_once(':').unwrap();
            ports.insert(transport.to_owned(), port.to_owned());
        }
        let (tls, udp) = (ports["tls"].clone(), ports["udp"].clone());
        std::thread::spawn(move || for _ in told.lines() {});
        let (sender, output) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self {
            _child: Running(child),
            output,
            tls,
            udp,
        }
    }

    /// The next line that has this in it, if it comes in time.
    fn await_line(&self, part: &str, patience: Duration) -> Option<String> {
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.output.recv_timeout(left).ok()?;
            if line.contains(part) {
                return Some(line);
            }
        }
    }
}

/// A target of this name and address, with the models and the security name of its parameters.
fn create_target(fixture: &Fixture, name: &str, address: [&str; 3], parameters: [&str; 4]) {
    let of = |column: &str| format!("{column}.'{name}'");
    let [domain, kind, address] = address;
    let [processing, model, security_name, level] = parameters;
    fixture.set(&[
        &of("snmpTargetAddrTDomain"),
        "o",
        domain,
        &of("snmpTargetAddrTAddress"),
        kind,
        address,
        &of("snmpTargetAddrTagList"),
        "s",
        "all",
        &of("snmpTargetAddrParams"),
        "s",
        name,
        &of("snmpTargetAddrRowStatus"),
        "i",
        "createAndGo",
        &of("snmpTargetParamsMPModel"),
        "i",
        processing,
        &of("snmpTargetParamsSecurityModel"),
        "i",
        model,
        &of("snmpTargetParamsSecurityName"),
        "s",
        security_name,
        &of("snmpTargetParamsSecurityLevel"),
        "i",
        level,
        &of("snmpTargetParamsRowStatus"),
        "i",
        "createAndGo",
    ]);
}

#[test]
fn targets_over_tls_are_made_through_snmp_and_those_with_other_certificates_are_reported() {
    let fixture = Fixture::start();
    let receive = Receive::start(&fixture.home);
    let tls = format!("127.0.0.1:{}", receive.tls);
    let udp = format!("7f000001{:04x}", receive.udp.parse::<u16>().unwrap());
    let secure = ["snmpTLSTCPDomain", "s", &tls];
    create_target(&fixture, "noc", secure, ["3", "4", "ops", "authPriv"]);
    fixture.set(&[
        "snmpNotifyTag.'n'",
        "s",
        "all",
        "snmpNotifyRowStatus.'n'",
        "i",
        "createAndGo",
    ]);
    let deadline = Instant::now() + PATIENCE;
    loop {
        fixture.provoke();
        if let Some(line) = receive.await_line("authenticationFailure", Duration::from_secs(1)) {
            assert!(line.contains("tls:"), "{line}");
            break;
        }
        assert!(Instant::now() < deadline, "nothing is told");
    }
    assert_ne!(fixture.value("snmpTlstmSessionOpens.0"), "0");

    // Another certificate is asked for than the receiver has: the other target learns it.
    let plain = ["snmpUDPDomain", "x", &udp];
    create_target(
        &fixture,
        "log",
        plain,
        ["1", "2", "community-1", "noAuthNoPriv"],
    );
    let refused = fixture.try_set(&[
        "snmpTlstmAddrServerIdentity.'noc'",
        "s",
        "*",
        "snmpTlstmAddrRowStatus.'noc'",
        "i",
        "createAndGo",
    ]);
    assert!(refused.errors.contains("inconsistentValue"), "{refused:?}");
    let fingerprint = fixture.fingerprint("manager.pem");
    fixture.set(&[
        "snmpTlstmAddrServerFingerprint.'noc'",
        "x",
        &fingerprint,
        "snmpTlstmAddrRowStatus.'noc'",
        "i",
        "createAndGo",
    ]);
    await_told(&fixture, &receive, "snmpTlstmServerCertificateUnknown");
    // A trusted certificate, with another name.
    fixture.set(&["snmpTlstmAddrRowStatus.'noc'", "i", "destroy"]);
    fixture.set(&[
        "snmpTlstmAddrServerIdentity.'noc'",
        "s",
        "elsewhere.example",
        "snmpTlstmAddrRowStatus.'noc'",
        "i",
        "createAndGo",
    ]);
    await_told(&fixture, &receive, "snmpTlstmServerInvalidCertificate");
    for counter in [
        "snmpTlstmSessionUnknownServerCertificate.0",
        "snmpTlstmSessionInvalidServerCertificates.0",
        "snmpTlstmSessionOpenErrors.0",
    ] {
        assert_ne!(fixture.value(counter), "0", "{counter}");
    }
}

/// Has the agent try its targets until it tells this.
#[track_caller]
fn await_told(fixture: &Fixture, receive: &Receive, name: &str) {
    let deadline = Instant::now() + PATIENCE;
    while receive.await_line(name, Duration::from_secs(1)).is_none() {
        fixture.provoke();
        assert!(Instant::now() < deadline, "{name} is not told");
    }
}

/// RFC 5592 7: what becomes of sessions over SSH that the agent opens.
#[test]
fn sessions_over_ssh_that_cannot_be_opened_are_counted() {
    let fixture = Fixture::start();
    let counters = ["Opens", "Closes", "OpenErrors", "UserAuthFailures"];
    for counter in counters {
        assert_eq!(fixture.value(&format!("snmpSshtmSession{counter}.0")), "0");
    }
    // It listens and says nothing that a server over SSH says.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("ops@{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let ssh = ["snmpSSHDomain", "s", address.as_str()];
    create_target(&fixture, "noc", ssh, ["3", "4", "ops", "authPriv"]);
    fixture.set(&[
        "snmpNotifyTag.'n'",
        "s",
        "all",
        "snmpNotifyRowStatus.'n'",
        "i",
        "createAndGo",
    ]);
    let deadline = Instant::now() + PATIENCE;
    while fixture.value("snmpSshtmSessionOpenErrors.0") == "0" {
        fixture.provoke();
        assert!(Instant::now() < deadline, "nothing is tried");
    }
    assert_ne!(fixture.value("snmpSshtmSessionOpens.0"), "0");
}
