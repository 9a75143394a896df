#[cfg(feature = "certificates")]
use std::path::PathBuf;
#[cfg(feature = "ssh")]
use std::sync::Arc;

use varbind_engine::applications::notification_receiver::{
    NotificationUser, ReceiverConfiguration,
};
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_engine::security::{Community, CommunityTable, SecurityName, SourceAddresses};

use super::{NotificationReceiver, Receiver, ReceiverLimits};
#[cfg(feature = "certificates")]
use crate::builder::Tls;
use crate::builder::{BuildError, credentials, local_engine, resolve};
use crate::client::User;
use crate::clock::Clock;
use crate::transport::Transport;
#[cfg(feature = "certificates")]
use crate::transport::certificate::TlsServer;
#[cfg(feature = "ssh")]
use crate::transport::ssh::SshServer;

/// Makes a [`Receiver`].
///
/// ```no_run
/// use varbind::Receiver;
///
/// let receiver = Receiver::builder()
///     .community("public")
///     .listen("udp:0.0.0.0:162")
///     .start()?;
/// # Ok::<(), varbind::notification::BuildError>(())
/// ```
#[derive(Debug, Default)]
#[must_use = "a receiver runs once it is started"]
pub struct ReceiverBuilder {
    communities: Vec<Community>,
    users: Vec<User>,
    engine: Option<(EngineId, i32)>,
    addresses: Vec<String>,
    limits: ReceiverLimits,
    #[cfg(feature = "certificates")]
    tls: Tls,
    #[cfg(feature = "ssh")]
    ssh: Option<Arc<SshServer>>,
}

impl ReceiverBuilder {
    /// Takes SNMPv1 and SNMPv2c with this community, from any address; [`community_from`](Self::community_from) limits the
    /// addresses. Anyone on the path can read and forge such messages. In
    /// [`security_name`](crate::notification::ReceivedNotification::security_name) the first community is `community-1`, the
    /// next `community-2`, since the name itself is a secret of a kind.
    pub fn community(self, name: &str) -> Self {
        self.community_from(name, SourceAddresses::Any)
    }

    /// Takes SNMPv1 and SNMPv2c with this community, from these addresses.
    pub fn community_from(mut self, name: &str, sources: SourceAddresses) -> Self {
        let number = self.communities.len() + 1;
        self.communities.push(Community {
            name: name.into(),
            security_name: SecurityName::new(format!("community-{number}")),
            context_name: String::new(),
            sources,
        });
        self
    }

    /// Takes SNMPv3 from this user at any engine, in messages that are protected as well as the user's passwords allow.
    pub fn user(mut self, user: User) -> Self {
        self.users.push(user);
        self
    }

    /// snmpEngineID of the receiver, and how often it was started under it (snmpEngineBoots, RFC 3414 section 2.2), for informs of
    /// SNMPv3.
    ///
    /// By default the receiver has another id whenever it is started, and senders discover it. If you keep the id, keep the
    /// count of starts as well: otherwise recorded messages can be replayed.
    pub const fn engine(mut self, id: EngineId, boots: i32) -> Self {
        self.engine = Some((id, boots));
        self
    }

    /// Listens over TLS and DTLS (RFC 6353) with the certificate chain and key in these PEM files. It takes notifications from holders of a
    /// certificate by the authority in the third file, under the name that the certificate gives them: its first subjectAltName, or
    /// else its CommonName.
    #[cfg(feature = "certificates")]
    pub fn certificate(
        mut self,
        chain: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
        authority: impl Into<PathBuf>,
    ) -> Self {
        self.tls = Tls::Files([chain.into(), key.into(), authority.into()]);
        self
    }

    /// Listens over TLS and DTLS with everything that a server needs, as revocation lists and rules of its own for names.
    #[cfg(feature = "certificates")]
    pub fn tls_server(mut self, server: TlsServer) -> Self {
        self.tls = Tls::Server(server);
        self
    }

    /// Listens over SSH (RFC 5592). It takes notifications from the users whom the server lets in, under their names.
    #[cfg(feature = "ssh")]
    pub fn ssh_server(mut self, server: Arc<SshServer>) -> Self {
        self.ssh = Some(server);
        self
    }

    /// Bounds of what peers may use, and of what may wait to be taken.
    pub const fn limits(mut self, limits: ReceiverLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Listens on an address like `udp:0.0.0.0:162`, `tcp:[::1]:1162` or `tls:0.0.0.0:10162`. Port 0 lets the system choose
    /// one: [`Receiver::addresses`] returns it.
    pub fn listen(mut self, address: &str) -> Self {
        self.addresses.push(address.to_owned());
        self
    }

    /// Starts the receiver. It runs until it is dropped.
    ///
    /// # Errors
    /// When a user, a certificate or a key cannot be used, or an address cannot be listened on.
    pub fn start(self) -> Result<Receiver, BuildError> {
        let clock = Clock::start();
        let mut addresses = Vec::new();
        for address in self.addresses {
            addresses.push(resolve(address, Transport::notification_port)?);
        }
        let has_sessions = addresses
            .iter()
            .any(|(address, _)| address.transport.is_secure());
        let engine = match self.users.is_empty() && !has_sessions {
            true => None,
            false => Some(local_engine(self.engine, clock)?),
        };
        let configuration = ReceiverConfiguration {
            communities: CommunityTable::new(self.communities),
            users: self.users.iter().map(sender).collect::<Result<_, _>>()?,
            transport_security_model: Some(TransportSecurityModel::default()),
            engine,
            ..ReceiverConfiguration::default()
        };
        #[cfg(feature = "certificates")]
        let tls = self.tls.server()?;
        let (receiver, notifications) =
            NotificationReceiver::start(configuration, self.limits, clock);
        for (address, socket) in addresses {
            let listened = match address.transport {
                #[cfg(feature = "tls")]
                Transport::Tls if let Some(server) = &tls => receiver.listen_tls(server, socket),
                #[cfg(feature = "dtls")]
                Transport::Dtls if let Some(server) = &tls => receiver.listen_dtls(server, socket),
                #[cfg(feature = "ssh")]
                Transport::Ssh if let Some(server) = &self.ssh => {
                    receiver.listen_ssh(Arc::clone(server), socket)
                }
                transport => receiver.listen(transport, socket),
            };
            listened.map_err(|source| BuildError::Listen { address, source })?;
        }
        Ok(Receiver::from_parts(receiver, notifications))
    }
}

fn sender(user: &User) -> Result<NotificationUser, BuildError> {
    NotificationUser::new(SecurityName::new(user.name()), credentials(user)?)
        .map_err(|source| BuildError::user_name(user, source))
}
