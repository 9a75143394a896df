#[cfg(feature = "certificates")]
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use varbind_engine::applications::command_generator::{
    ContextEngine, MessageProcessing, RetryPolicy, UserParameters, V3Parameters, V3Security,
};
use varbind_engine::security::SecurityName;

use super::Target;
use crate::client::{Error, User};
use crate::transport::SecureTransportOptions;
#[cfg(feature = "certificates")]
use crate::transport::certificate::TlsClient;
#[cfg(feature = "ssh")]
use crate::transport::ssh::SshOptions;

/// How a target is spoken to.
#[derive(Clone, Debug)]
pub(in crate::client) struct Settings {
    pub(super) processing: Option<MessageProcessing>,
    pub(super) context_engine: ContextEngine,
    pub(super) context_name: String,
    pub(super) retry: RetryPolicy,
    pub(super) connect_timeout: Duration,
    pub(super) deadline: Option<Duration>,
    pub(super) max_message_size: Option<usize>,
    pub(super) max_window: u16,
    pub(super) secure: Arc<SecureTransportOptions>,
}

impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            processing,
            context_engine,
            context_name,
            retry,
            connect_timeout,
            deadline,
            max_message_size,
            max_window,
            secure,
        } = self;
        // Keys, files and observers cannot be compared.
        Arc::ptr_eq(secure, &other.secure)
            && *processing == other.processing
            && *context_engine == other.context_engine
            && *context_name == other.context_name
            && *retry == other.retry
            && *connect_timeout == other.connect_timeout
            && *deadline == other.deadline
            && *max_message_size == other.max_message_size
            && *max_window == other.max_window
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            processing: None,
            context_engine: ContextEngine::Peer,
            context_name: String::new(),
            retry: RetryPolicy::default(),
            connect_timeout: Duration::from_secs(5),
            deadline: None,
            max_message_size: None,
            max_window: 8,
            secure: Arc::default(),
        }
    }
}

impl Target {
    /// SNMPv2c with this community. Anyone on the path can read and forge such messages.
    #[must_use]
    pub fn community(&self, community: impl Into<Vec<u8>>) -> Self {
        let community = community.into();
        self.message_processing(MessageProcessing::V2c { community })
    }

    /// SNMPv1 with this community, for agents that have nothing newer.
    #[must_use]
    pub fn community_v1(&self, community: impl Into<Vec<u8>>) -> Self {
        let community = community.into();
        self.message_processing(MessageProcessing::V1 { community })
    }

    /// SNMPv3 with a user (RFC 3414).
    ///
    /// # Errors
    /// When a password has fewer than 8 characters, or the name is empty or has more than 32.
    pub fn user(&self, user: &User) -> Result<Self, Error> {
        let target = &self.inner.address;
        let credentials = user.credentials().map_err(|source| Error::Key {
            target: target.clone(),
            user: user.name().to_owned(),
            source,
        })?;
        let name = SecurityName::new(user.name());
        let parameters =
            UserParameters::new(name, credentials).map_err(|source| Error::UserName {
                target: target.clone(),
                source,
            })?;
        let parameters = V3Parameters::new(V3Security::User(parameters));
        Ok(self.message_processing(MessageProcessing::V3(Box::new(parameters))))
    }

    /// SNMPv3 over TLS or DTLS (RFC 6353) with the certificate chain and key in these PEM files. The agent must have a
    /// certificate by the authority in the third file, with the name or address in the target's address.
    ///
    /// ```no_run
    /// use varbind::Client;
    ///
    /// # async fn example() -> Result<(), varbind::Error> {
    /// let router = Client::new()?.target("tls:router1")?;
    /// let router = router.certificate("ops.pem", "ops.key", "ca.pem")?;
    /// println!("{}", router.get("1.3.6.1.2.1.1.5.0").await?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When a file cannot be read, or holds no certificate or key.
    #[cfg(feature = "certificates")]
    pub fn certificate(
        &self,
        chain: impl AsRef<Path>,
        key: impl AsRef<Path>,
        authority: impl AsRef<Path>,
    ) -> Result<Self, Error> {
        let client = TlsClient::load(chain.as_ref(), key.as_ref(), authority.as_ref())?;
        Ok(self.tls_client(Arc::new(client)))
    }

    /// SNMPv3 over TLS or DTLS (RFC 6353) with everything that a session needs; targets that share it resume each other's
    /// sessions.
    #[cfg(feature = "certificates")]
    #[must_use]
    pub fn tls_client(&self, client: Arc<TlsClient>) -> Self {
        let parameters = V3Parameters::transport();
        self.with(|settings| {
            let mut secure = SecureTransportOptions::clone(&settings.secure);
            secure.tls = Some(client);
            settings.secure = Arc::new(secure);
            settings.processing = Some(MessageProcessing::V3(Box::new(parameters)));
        })
    }

    /// SNMPv3 over SSH (RFC 5592): the user that logs in is the sender. What the options do not set comes from OpenSSH's client
    /// configuration, as for `ssh` itself. For SNMPv1 or v2c over SSH, call [`community`](Self::community) on the result.
    ///
    /// ```no_run
    /// use varbind::Client;
    /// use varbind::transport::ssh::SshOptions;
    ///
    /// # async fn example() -> Result<(), varbind::Error> {
    /// let router = Client::new()?.target("ssh:ops@router1")?;
    /// let router = router.ssh(SshOptions::default());
    /// println!("{}", router.get("1.3.6.1.2.1.1.5.0").await?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Each target has a connection of its own. [`connect_timeout`](Self::connect_timeout) bounds its opening, but for the
    /// time that an [`Interaction`](crate::transport::ssh::Interaction) takes, which is called in a thread of the runtime for
    /// blocking calls.
    #[cfg(feature = "ssh")]
    #[must_use]
    pub fn ssh(&self, options: SshOptions) -> Self {
        let parameters = V3Parameters::transport();
        self.with(|settings| {
            let mut secure = SecureTransportOptions::clone(&settings.secure);
            secure.ssh = options;
            settings.secure = Arc::new(secure);
            settings.processing = Some(MessageProcessing::V3(Box::new(parameters)));
        })
    }

    /// The version and credentials in the engine's terms, for what has no method of its own.
    #[must_use]
    pub fn message_processing(&self, processing: MessageProcessing) -> Self {
        self.with(|settings| settings.processing = Some(processing))
    }

    /// The context to ask about (contextName of SNMPv3).
    #[must_use]
    pub fn context(&self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.with(|settings| settings.context_name = name)
    }

    /// The engine whose objects to ask about (contextEngineID of SNMPv3): one behind a proxy, for example. By default it is the
    /// engine that is spoken to.
    #[must_use]
    pub fn context_engine(&self, engine: ContextEngine) -> Self {
        self.with(|settings| settings.context_engine = engine)
    }

    /// When requests are sent again and given up; adaptive by default. The result is another target, with a session of its own.
    #[must_use]
    pub fn retry(&self, policy: RetryPolicy) -> Self {
        self.with(|settings| settings.retry = policy)
    }

    /// How long each operation may take, a whole walk included; by default as long as its requests may. The result is another
    /// target, with a session of its own: to bound a single operation of this one, use `tokio::time::timeout`.
    #[must_use]
    pub fn deadline(&self, deadline: Duration) -> Self {
        self.with(|settings| settings.deadline = Some(deadline))
    }

    /// How long opening a session may take; 5 seconds by default.
    #[must_use]
    pub fn connect_timeout(&self, timeout: Duration) -> Self {
        self.with(|settings| settings.connect_timeout = timeout)
    }

    /// How many requests may be in flight at most; 8 by default. Fewer are when the agent turns out to be slower for it.
    #[must_use]
    pub fn max_window(&self, requests: u16) -> Self {
        self.with(|settings| settings.max_window = requests)
    }

    /// The largest message in octets, in both directions. By default requests take what the path carries in one piece, and
    /// responses what the transport carries.
    #[must_use]
    pub fn max_message_size(&self, octets: usize) -> Self {
        self.with(|settings| settings.max_message_size = Some(octets))
    }
}
