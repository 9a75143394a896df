//! Devices are asked over TCP, TLS, DTLS and SSH, at addresses, ports and by names.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test panics where something is wrong"
)]

use std::fs;
use std::sync::Arc;

use tempfile::TempDir;
use varbind::blocking::{Client, Target};
use varbind::client::User;
use varbind::transport::certificate::{PeerIdentity, ServerAuthentication, TlsClient};
use varbind::transport::{Transport, TransportAddress};
use varbind::{Value, oid};
use varbind_simulator::{Player, Simulation, SimulationSettings};
use varbind_testkit::certificates::{Authority, CertificateTemplate};
use varbind_testkit::ssh;

/// A simulation over all transports, and who may ask.
struct Stage {
    _folder: TempDir,
    player: Player,
    client: Client,
    tls: Arc<TlsClient>,
    files: ssh::Files,
}

const CONFIGURATION: &str = r#"
listen = ["udp:0.0.0.0:0", "tcp:0.0.0.0:0", "tls:0.0.0.0:0", "dtls:0.0.0.0:0", "ssh:0.0.0.0:0"]
tls = { certificate = "agent.pem", key = "agent.key", trust = "ca.pem" }
ssh = { host-key = "HOST_KEY", authorized-keys = "AUTHORIZED" }
[[users]]
name = "ops"
authentication = { protocol = "SHA-256", password = "maple syrup" }
privacy = { protocol = "AES", password = "apple sauce" }
[[groups]]
name = "addresses"
addresses = "127.1.0.0/24"
recordings = ["switch"]
sys-name = "sw{index}"
[[groups]]
name = "names"
recordings = ["router", "switch", "localhost"]
"#;

impl Stage {
    fn new(latency: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, content: &str| fs::write(folder.path().join(name), content).unwrap();
        for name in ["router", "switch", "localhost"] {
            let objects = format!("1.3.6.1.2.1.1.3.0|67|7\n1.3.6.1.2.1.1.5.0|4|{name}\n");
            write(&format!("{name}.snmprec"), &objects);
        }
        let authority = Authority::new("authority");
        let agent = authority.issue_host("agent");
        write("agent.pem", &agent.pem);
        write("agent.key", &agent.key_pem());
        write("ca.pem", &authority.pem);
        let files = ssh::Files::new();
        let path = |name: &str| files.path(name).display().to_string();
        let configuration = CONFIGURATION
            .replace("HOST_KEY", &path("host_key"))
            .replace("AUTHORIZED", &path("authorized_keys/ops"));
        let faults = format!("faults = {{ latency = '{latency}' }}\n");
        write("simulation.toml", &(configuration + &faults));
        let settings = SimulationSettings::of_path(folder.path()).unwrap();
        let (simulation, _) = Simulation::load(&settings).unwrap();
        let manager = authority.issue(&CertificateTemplate::new("manager"));
        let server = ServerAuthentication {
            trust: authority.trust(),
            identity: PeerIdentity::Fingerprint(agent.fingerprint()),
        };
        Self {
            player: Player::start(simulation).unwrap(),
            client: Client::new().unwrap(),
            tls: Arc::new(TlsClient::new(manager.identity(), server)),
            _folder: folder,
            files,
        }
    }

    /// A target at one of the addresses, with the security of the transport.
    fn target(&self, transport: Transport, host: &str) -> Target {
        let mut addresses = self.player.addresses().into_iter();
        let address = addresses.find(|address| address.transport == transport);
        let address = TransportAddress {
            host: host.to_owned(),
            ..address.unwrap()
        };
        let target = self.client.target_at(address);
        match transport {
            Transport::Udp | Transport::Tcp => {
                let user = User::new("ops").sha256("maple syrup").aes128("apple sauce");
                target.user(&user).unwrap()
            }
            Transport::Tls | Transport::Dtls => {
                target.with(|target| target.tls_client(Arc::clone(&self.tls)))
            }
            Transport::Ssh => target.with(|target| target.ssh(self.files.options())),
        }
    }
}

const TRANSPORTS: [Transport; 5] = [
    Transport::Udp,
    Transport::Tcp,
    Transport::Tls,
    Transport::Dtls,
    Transport::Ssh,
];

fn name(target: &Target) -> Value {
    target.get(oid!("1.3.6.1.2.1.1.5.0")).unwrap()
}

#[test]
fn each_transport_reaches_the_device_at_the_address_or_of_the_context() {
    let stage = Stage::new("0ms");
    for transport in TRANSPORTS {
        for (host, expected) in [("127.1.0.0", "sw1"), ("127.1.0.255", "sw256")] {
            let target = stage.target(transport, host);
            assert_eq!(name(&target), expected.into(), "{transport} {host}");
            assert_eq!(target.walk(oid!("1.3")).count(), 2, "{transport} {host}");
        }
        let named = stage.target(transport, "127.0.0.1");
        for (context, expected) in [("", "router"), ("switch", "switch"), ("router", "router")] {
            let target = named.with(|target| target.context(context));
            assert_eq!(name(&target), expected.into(), "{transport} {context}");
        }
    }
}

#[test]
fn the_server_name_of_tls_and_dtls_chooses_the_device_of_that_name() {
    let stage = Stage::new("0ms");
    for transport in [Transport::Tls, Transport::Dtls] {
        for (host, expected) in [
            ("localhost", "localhost"),
            // An address is not a name of a server.
            ("127.0.0.1", "router"),
            ("LocalHost", "localhost"),
            ("127.1.0.7", "sw8"),
        ] {
            // Both sessions with one name: the second is resumed.
            for _ in 0..2 {
                let target = stage.target(transport, host);
                assert_eq!(name(&target), expected.into(), "{transport} {host}");
                let context = target.with(|target| target.context("switch"));
                if !host.starts_with("127.1.") {
                    assert_eq!(name(&context), "switch".into(), "{transport} {host}");
                }
                target.close();
            }
        }
    }
}

#[test]
fn communities_name_recordings_over_udp_and_tcp_in_both_versions() {
    let stage = Stage::new("0ms");
    for transport in [Transport::Udp, Transport::Tcp] {
        let target = stage.target(transport, "127.0.0.1");
        for recording in ["router", "switch"] {
            let target = target.community(recording);
            assert_eq!(name(&target), recording.into(), "{transport}");
            let target = target.with(|target| target.community_v1(recording));
            assert_eq!(name(&target), recording.into(), "{transport}");
        }
        let target = stage.target(transport, "127.1.0.7").community("public");
        assert_eq!(name(&target), "sw8".into(), "{transport}");
    }
}

#[test]
fn each_device_has_an_engine_of_its_own() {
    let stage = Stage::new("0ms");
    let engine = |transport, host| {
        let target = stage.target(transport, host);
        target.get(oid!("1.3.6.1.6.3.10.2.1.1.0")).unwrap()
    };
    let first = engine(Transport::Udp, "127.1.0.0");
    assert_ne!(first, engine(Transport::Udp, "127.1.0.1"));
    for transport in TRANSPORTS {
        assert_eq!(first, engine(transport, "127.1.0.0"), "{transport}");
    }
}

#[test]
fn responses_are_held_back_over_each_transport() {
    let stage = Stage::new("5ms");
    for (transport, count) in TRANSPORTS.into_iter().zip(1..) {
        let before = stage.player.counts().of(varbind_simulator::Count::Delayed);
        let target = stage.target(transport, "127.0.0.1");
        assert_eq!(name(&target), "router".into(), "{transport}");
        let after = stage.player.counts().of(varbind_simulator::Count::Delayed);
        assert!(after > before && count <= after, "{transport}");
    }
}
