//! What the listeners and targets over secure transports need, from the files that the configuration names.

use std::io;
use std::sync::{Arc, OnceLock};

use varbind::transport::certificate::{
    CertificateDescription, CertificateMapRow, ClientAuthentication, PeerIdentity,
    ServerAuthentication, TlsClient, TlsServer, TlsStatistics,
};
use varbind::transport::ssh::{SshOptions, SshServer, SshServerConfiguration, SshStatistics};
use varbind::transport::tls::TlsVersions;
use varbind::transport::{SecureTransportOptions, Transport};

use super::{AgentError, certificate_end};
use crate::configuration::{AgentConfiguration, ConfiguredSsh, LoadedTls};
use crate::instrumentation::Instrumentation;
use crate::managed_objects::tlstm_tables::TlstmTables;

/// What outlives each configuration.
#[derive(Debug)]
pub(super) struct SecureServers {
    tables: Arc<TlstmTables>,
    tls_statistics: Arc<TlsStatistics>,
    ssh_statistics: Arc<SshStatistics>,
    /// All listeners over SSH share it, as soon as there is one.
    ssh: OnceLock<Arc<SshServer>>,
}

/// What one configuration says of those transports that it needs.
#[derive(Default)]
pub(super) struct Servers {
    tls: Option<TlsServer>,
    /// The rules for names that the file has.
    rules: Vec<CertificateMapRow>,
    ssh: Option<(Arc<SshServer>, SshServerConfiguration)>,
    of_targets: SecureTransportOptions,
    /// The own certificate over TLS and DTLS.
    certificate: Option<CertificateDescription>,
    /// Settings that are valid but probably mistakes.
    pub(super) warnings: Vec<String>,
}

impl Servers {
    /// That of TLS and DTLS.
    pub(super) fn tls(&self) -> io::Result<&TlsServer> {
        self.tls
            .as_ref()
            .ok_or_else(|| io::Error::other("no certificate is configured for it"))
    }

    /// Logs settings that are valid but probably mistakes.
    pub(super) fn log_warnings(&self) {
        for warning in &self.warnings {
            log::warn!("{warning}");
        }
    }

    /// What to do about the own certificate, if its end is near.
    pub(super) fn certificate_warning(&self) -> Option<String> {
        self.certificate.as_ref().and_then(certificate_end::warning)
    }

    /// When the own certificate ends, in seconds since 1970.
    pub(super) fn certificate_end(&self) -> Option<i64> {
        let certificate = self.certificate.as_ref();
        certificate.map(|certificate| certificate.not_after)
    }

    /// The rules for names that the file has.
    pub(super) fn rules(&self) -> &[CertificateMapRow] {
        &self.rules
    }

    /// What targets need that managers make: they are told by the names at which they are.
    pub(super) fn of_targets(&self) -> SecureTransportOptions {
        self.of_targets.clone()
    }

    /// That of SSH, with what was read last.
    pub(super) fn ssh(&self) -> io::Result<Arc<SshServer>> {
        let (server, configuration) = self
            .ssh
            .as_ref()
            .ok_or_else(|| io::Error::other("no host key is configured for it"))?;
        server.replace(configuration.clone());
        Ok(Arc::clone(server))
    }
}

const fn has_certificates(transport: Transport) -> bool {
    matches!(transport, Transport::Tls | Transport::Dtls)
}

impl SecureServers {
    pub(super) fn new(instrumentation: &Instrumentation) -> Self {
        Self {
            tables: Arc::clone(&instrumentation.tlstm_tables),
            tls_statistics: Arc::clone(&instrumentation.tls_statistics),
            ssh_statistics: Arc::clone(&instrumentation.ssh_statistics),
            ssh: OnceLock::new(),
        }
    }

    /// Gives the server of TLS and DTLS the rules for names as they are now.
    pub(super) fn renew_names(&self, servers: &mut Servers) {
        let map = self.tables.map(&servers.rules);
        if let Some(server) = &mut servers.tls {
            let trust = server.clients.trust().clone();
            server.clients = Arc::new(ClientAuthentication::new(trust, map));
        }
    }

    /// Reads the files of a configuration, and tells its targets what they need of them.
    ///
    /// # Errors
    /// When a file that is needed cannot be used.
    pub(super) fn prepare(
        &self,
        configuration: &mut AgentConfiguration,
    ) -> Result<Servers, AgentError> {
        let listens = |wanted: fn(Transport) -> bool| {
            let mut listen = configuration.listen.iter();
            listen.any(|listen| wanted(listen.address.transport))
        };
        let listens_tls =
            listens(has_certificates) || configuration.web.listen.iter().any(|web| web.is_secure);
        let listens_ssh = listens(|transport| transport == Transport::Ssh);
        let mut servers = Servers::default();
        let targets = configuration.targets.iter().map(|target| &target.address);
        let proxies = configuration.proxies.iter().map(|proxy| &proxy.address);
        let sends = targets
            .chain(proxies)
            .any(|address| has_certificates(address.transport));
        if listens_tls || sends {
            let tls = &configuration.secure_transports.tls;
            let loaded = tls.load().map_err(AgentError::Certificates)?;
            for target in &mut configuration.targets {
                if has_certificates(target.address.transport) {
                    target.secure.tls = Some(self.tls_client(&loaded, target.peer.clone()));
                }
            }
            for proxy in &mut configuration.proxies {
                if has_certificates(proxy.address.transport) {
                    proxy.secure.tls = Some(self.tls_client(&loaded, proxy.peer.clone()));
                }
            }
            servers.of_targets.tls = Some(self.tls_client(&loaded, PeerIdentity::Target));
            servers.rules = loaded.map.rows().to_vec();
            servers.certificate = Some(loaded.identity.description().clone());
            servers.warnings.extend(servers.certificate_warning());
            let server = listens_tls.then(|| self.tls_server(loaded, tls.versions()));
            if server
                .as_ref()
                .is_some_and(|server| server.clients.map().rows().is_empty())
            {
                servers.warnings.push(
                    "without a [[tls.map]] no certificate has a security name: every session over TLS and DTLS is refused".to_owned(),
                );
            }
            servers.tls = server;
        }
        let ssh = &configuration.secure_transports.ssh;
        servers.of_targets.ssh = self.ssh_client(ssh);
        for target in &mut configuration.targets {
            target.secure.ssh = self.ssh_client(ssh);
        }
        for proxy in &mut configuration.proxies {
            proxy.secure.ssh = self.ssh_client(ssh);
        }
        if listens_ssh {
            let read = ssh.load().map_err(AgentError::SshServer)?;
            let server = self.ssh.get_or_init(|| SshServer::new(read.clone()));
            servers.ssh = Some((Arc::clone(server), read));
        }
        Ok(servers)
    }

    fn tls_server(&self, loaded: LoadedTls, versions: TlsVersions) -> TlsServer {
        let map = self.tables.map(loaded.map.rows());
        let clients = ClientAuthentication::new(loaded.trust, map);
        let mut server = TlsServer::new(loaded.identity, clients);
        server.statistics = Arc::clone(&self.tls_statistics);
        server.versions = versions;
        server
    }

    fn tls_client(&self, loaded: &LoadedTls, identity: PeerIdentity) -> Arc<TlsClient> {
        let server = ServerAuthentication {
            trust: loaded.trust.clone(),
            identity,
        };
        Arc::new(TlsClient::with_statistics(
            loaded.identity.clone(),
            server,
            Arc::clone(&self.tls_statistics),
        ))
    }

    /// Nobody can be asked: hosts that are not known are refused.
    fn ssh_client(&self, ssh: &ConfiguredSsh) -> SshOptions {
        SshOptions {
            identity_files: ssh.identity.clone(),
            known_hosts: ssh.known_hosts.clone(),
            statistics: Arc::clone(&self.ssh_statistics),
            ..SshOptions::default()
        }
    }
}
