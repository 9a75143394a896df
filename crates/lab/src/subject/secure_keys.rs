use std::io;
use std::path::Path;
use std::sync::Arc;

use varbind::manager::SecureTransportOptions;
use varbind::transport::certificate::{
    CertificateIdentity, Fingerprint, HashAlgorithm, PeerIdentity, ServerAuthentication, TlsClient,
    TrustAnchors,
};
use varbind_pki::{Authority, Directory, IfExists, KeyType, Subject, Validity};

use crate::session::SecureAccess;

/// Whom the agents that are started here know over secure transports: the name in the manager's certificate.
pub const MANAGER: &str = "bench";

/// Keys and certificates of an agent and its manager, made for the occasion.
pub(super) struct SecureKeys {
    /// Where they are.
    pub(super) directory: Directory,
    /// How the manager is told.
    pub(super) manager: Fingerprint,
    /// How the agent is told.
    pub(super) agent: Fingerprint,
}

/// What the manager needs: shaking hands in full for each session, and resuming former ones.
#[derive(Clone, Debug)]
pub struct SecureAccesses {
    full: SecureAccess,
    resuming: SecureAccess,
}

impl SecureAccesses {
    /// The one of them.
    #[must_use]
    pub const fn of(&self, is_resumed: bool) -> &SecureAccess {
        if is_resumed {
            &self.resuming
        } else {
            &self.full
        }
    }
}

impl SecureKeys {
    /// Makes them: an authority and certificates with keys for ECDSA on P-256.
    pub(super) fn make(directory: &Path) -> io::Result<Self> {
        let directory = Directory::new(directory.join("pki"));
        varbind_pki::create_directory(directory.path()).map_err(failed)?;
        let (key_type, validity) = (KeyType::EcdsaP256, Validity::days(2));
        let authority = Authority::create("bench authority", key_type, validity).map_err(failed)?;
        let issue = |subject: Subject| authority.issue(&subject, key_type, validity);
        let hosts = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let agent = Subject::agent(&hosts).and_then(issue).map_err(failed)?;
        let manager = Subject::manager(MANAGER).and_then(issue).map_err(failed)?;
        let fail = IfExists::Fail;
        let written = directory
            .authority()
            .write_trust(&authority, fail)
            .and_then(|()| directory.agent().write(&agent, fail))
            .and_then(|()| directory.manager().write(&manager, fail));
        written.map_err(failed)?;
        let fingerprint = |certificate: &[u8]| Fingerprint::of(certificate, HashAlgorithm::Sha256);
        Ok(Self {
            manager: fingerprint(manager.certificate()),
            agent: fingerprint(agent.certificate()),
            directory,
        })
    }

    /// What the manager needs.
    pub(super) fn accesses(&self) -> io::Result<SecureAccesses> {
        Ok(SecureAccesses {
            full: self.access(false)?,
            resuming: self.access(true)?,
        })
    }

    fn access(&self, resumes: bool) -> io::Result<SecureAccess> {
        let manager = self.directory.manager();
        let identity = CertificateIdentity::load(&manager.certificate, &manager.key);
        let trust = TrustAnchors::load(&self.directory.authority().certificate);
        let server = ServerAuthentication {
            trust: trust.map_err(failed)?,
            identity: PeerIdentity::Fingerprint(self.agent.clone()),
        };
        let client = TlsClient::new(identity.map_err(failed)?, server);
        let client = if resumes {
            client
        } else {
            client.without_resumption()
        };
        let mut options = SecureTransportOptions::default();
        options.tls = Some(Arc::new(client));
        Ok(SecureAccess {
            options,
            user: Some(MANAGER.to_owned()),
        })
    }
}

fn failed(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}
