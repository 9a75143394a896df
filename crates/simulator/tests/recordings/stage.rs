//! A simulation over all transports, in which each recording is played at an address of its own.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use varbind::transport::certificate::{PeerIdentity, ServerAuthentication, TlsClient};
use varbind::transport::{Transport, TransportAddress};
use varbind_codec::message::Version;
use varbind_codec::smi::Value;
use varbind_simulator::recording::Recording;
use varbind_simulator::{Player, Simulation, SimulationSettings};
use varbind_testkit::certificates::{Authority, CertificateTemplate, Files};
use varbind_testkit::ssh;

/// The name of an object, and its value.
pub(crate) type Object = (Vec<u32>, Value);

/// A walk of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) version: Version,
    pub(crate) transport: Transport,
    /// Of the device in its group.
    pub(crate) place: u8,
    /// How many objects are walked at most.
    pub(crate) most: usize,
}

pub(crate) struct Stage {
    player: Player,
    pub(crate) tls: Arc<TlsClient>,
    /// Certificates for Net-SNMP.
    pub(crate) certificates: Files,
    pub(crate) ssh: ssh::Files,
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
addresses = "127.3.0.0/24"
"#;

impl Stage {
    pub(crate) fn new(recordings: &Path) -> Self {
        let authority = Authority::new("authority");
        let agent = authority.issue_host("agent");
        let manager = authority.issue(&CertificateTemplate::host("manager"));
        let certificates =
            Files::for_net_snmp(&authority, ("manager", &manager), ("agent", &agent));
        certificates.write("agent.pem", &agent.pem);
        certificates.write("agent.key", agent.key_pem());
        certificates.write("ca.pem", &authority.pem);
        let ssh = ssh::Files::new();
        let path = |name: &str| ssh.path(name).display().to_string();
        let configuration = CONFIGURATION
            .replace("HOST_KEY", &path("host_key"))
            .replace("AUTHORIZED", &path("authorized_keys/ops"));
        let file = certificates.path("simulation.toml");
        fs::write(&file, configuration).unwrap();
        let settings = SimulationSettings {
            folder: recordings.to_owned(),
            configuration: Some(file),
            ..SimulationSettings::default()
        };
        let (simulation, report) = Simulation::load(&settings).unwrap();
        println!("{report}");
        let server = ServerAuthentication {
            trust: authority.trust(),
            identity: PeerIdentity::Fingerprint(agent.fingerprint()),
        };
        Self {
            player: Player::start(simulation).unwrap(),
            tls: Arc::new(TlsClient::new(manager.identity(), server)),
            certificates,
            ssh,
        }
    }

    /// The recordings, and the places of their devices. Those with variations are left out: they delay and refuse on purpose.
    pub(crate) fn recordings(&self) -> Vec<(u8, String, Arc<Recording>)> {
        let simulation = self.player.simulation();
        let all = simulation.library.matching("*").zip(0..);
        all.filter(|((name, recording), _)| {
            !recording.is_empty() && !name.starts_with("variation/")
        })
        .map(|((name, recording), place)| (place, name.to_owned(), Arc::clone(recording)))
        .collect()
    }

    pub(crate) fn address(&self, walk: &Walk) -> TransportAddress {
        let addresses = self.player.addresses();
        let mut addresses = addresses.into_iter();
        let address = addresses.find(|address| address.transport == walk.transport);
        TransportAddress {
            host: format!("127.3.0.{}", walk.place),
            ..address.unwrap()
        }
    }

    /// The last object of a walk that ends before the recording does, if it is one.
    pub(crate) fn recording(&self, walk: &Walk) -> Arc<Recording> {
        let recordings = self.recordings().into_iter();
        let mut of_place = recordings.filter(|(place, ..)| *place == walk.place);
        of_place.next().unwrap().2
    }
}
