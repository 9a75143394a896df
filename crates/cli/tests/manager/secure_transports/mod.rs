//! TLS and DTLS with the certificates that `varbind pki` makes.

mod changes;
mod commands;
mod refusals;
mod ssh;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::own_agent::Agent;
use crate::program::{Outcome, run, varbind};

/// An authority, an agent's certificate and a manager's, in the places where they are sought.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self::with_keys("ecdsa-p256")
    }

    /// The same with keys of another type.
    pub(crate) fn with_keys(kind: &str) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for words in [
            &["init"][..],
            &["issue", "agent", "localhost", "127.0.0.1"],
            &["issue", "manager", "ops"],
        ] {
            home.pki(&[words, &["--key-type", kind]].concat());
        }
        home
    }

    pub(crate) fn pki(&self, words: &[&str]) {
        let directory = self.path("pki");
        let directory = ["--directory", text(&directory)];
        let outcome = run(&[&["pki"], words, &directory].concat());
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// An agent over these transports, who gives managers access by their common names.
    pub(crate) fn agent(self, transports: &[&str], lines: &str) -> (SecureAgent, Vec<String>) {
        self.agent_on(transports, lines, transports.len())
    }

    /// The same where the lines make it listen on more, so that there are this many addresses.
    pub(crate) fn agent_on(
        self,
        transports: &[&str],
        lines: &str,
        addresses: usize,
    ) -> (SecureAgent, Vec<String>) {
        let listen: Vec<_> = transports
            .iter()
            .map(|transport| format!("\"{transport}:127.0.0.1:0\""))
            .collect();
        let text = format!(
            "listen = [{}]\nstate-directory = \"state\"\n{lines}\n[[tls.map]]\ncertificate = \"pki/ca.pem\"\nto = \"common-name\"\n\
             [[transport-user]]\nname = \"ops\"\naccess = \"read-write\"\nversions = [\"v1\", \"v2c\", \"v3\"]\n",
            listen.join(", ")
        )
        .replace("\"state\"", &format!("{:?}", self.path("state")));
        fs::write(self.path("agent.toml"), text).unwrap();
        let (agent, targets) = Agent::start_listening(&self.path("agent.toml"), addresses);
        (SecureAgent { home: self, agent }, targets)
    }
}

pub(crate) struct SecureAgent {
    pub(crate) home: Home,
    agent: Agent,
}

impl SecureAgent {
    /// The program with the manager's certificate.
    pub(crate) fn manager(&self, words: &[&str]) -> Outcome {
        self.manager_with("manager.pem", words)
    }

    pub(crate) fn manager_with(&self, certificate: &str, words: &[&str]) -> Outcome {
        let pki = self.home.path("pki");
        varbind(words)
            .env("VARBIND_CERTIFICATE", pki.join(certificate))
            .env("VARBIND_TRUST", pki.join("ca.pem"))
            .output()
            .unwrap()
            .into()
    }
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn assert_services(outcome: &Outcome) {
    assert_eq!(
        outcome.output, "SNMPv2-MIB::sysServices.0 = INTEGER: 72\n",
        "{outcome:?}"
    );
}

/// A directory of settings in which Net-SNMP finds certificates, and the key of one of them.
pub(crate) fn net_snmp_settings(pki: &Path, own: &str) -> TempDir {
    let settings = tempfile::tempdir().unwrap();
    for (from, directory, to) in [
        (format!("{own}-key.pem"), "private", format!("{own}.key")),
        ("manager.pem".to_owned(), "certs", "manager.crt".to_owned()),
        ("agent.pem".to_owned(), "certs", "agent.crt".to_owned()),
        ("ca.pem".to_owned(), "ca-certs", "ca.crt".to_owned()),
    ] {
        let directory = settings.path().join("tls").join(directory);
        fs::create_dir_all(&directory).unwrap();
        fs::copy(pki.join(from), directory.join(to)).unwrap();
    }
    fs::write(settings.path().join("snmp.conf"), "defSecurityModel tsm\n").unwrap();
    settings
}
