use std::net::SocketAddr;
#[cfg(feature = "certificates")]
use std::path::Path;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, Configuration, Failure, FailureReason, MessageProcessing, Read,
    ReadError, Response, RetryPolicy, RoundTripSummary, Route, Statistics, TransportError,
    UserParameters, V3Parameters, V3Security, WalkError, WalkOptions, WalkSummary,
};
use varbind_engine::security::SecurityName;

use super::operation::{Operation, Single};
use super::session::{Session, resolve};
use super::state::{Operations, Registration};
use super::{Client, Error, ObjectName, Row, User, Walk};
use crate::manager::{Principal, SecureTransportOptions, Unanswered, WalkFailure, random_seed};
#[cfg(feature = "certificates")]
use crate::transport::certificate::TlsClient;
#[cfg(feature = "ssh")]
use crate::transport::ssh::SshOptions;
use crate::transport::{Transport, TransportAddress, message_size};

/// An agent that a [`Client`] speaks to: its address, the credentials, and what is known of it.
///
/// A target is a cheap handle, and clones share what it knows: round-trip times, loss, engine and keys, and the session. So
/// it is made once for each agent and kept. The methods that change settings make another target.
#[derive(Clone, Debug)]
pub struct Target {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    client: Client,
    address: TransportAddress,
    settings: Settings,
    link: OnceCell<Link>,
}

#[derive(Clone, Debug)]
struct Settings {
    processing: Option<MessageProcessing>,
    context_name: String,
    retry: RetryPolicy,
    connect_timeout: Duration,
    deadline: Option<Duration>,
    max_message_size: Option<usize>,
    max_window: u16,
    secure: Arc<SecureTransportOptions>,
}

/// How a target is reached.
#[derive(Clone, Debug)]
struct Link {
    registration: Arc<Registration>,
    session: Option<Arc<Session>>,
    remote: Option<SocketAddr>,
}

impl Target {
    pub(super) fn new(client: Client, address: TransportAddress) -> Self {
        Self {
            inner: Arc::new(Inner {
                client,
                address,
                settings: Settings {
                    processing: None,
                    context_name: String::new(),
                    retry: RetryPolicy::default(),
                    connect_timeout: Duration::from_secs(5),
                    deadline: None,
                    max_message_size: None,
                    max_window: 8,
                    secure: Arc::default(),
                },
                link: OnceCell::new(),
            }),
        }
    }

    /// A target with other settings, which knows nothing yet.
    fn with(&self, change: impl FnOnce(&mut Settings)) -> Self {
        let Inner {
            client,
            address,
            settings,
            ..
        } = &*self.inner;
        let mut settings = settings.clone();
        change(&mut settings);
        Self {
            inner: Arc::new(Inner {
                client: client.clone(),
                address: address.clone(),
                settings,
                link: OnceCell::new(),
            }),
        }
    }

    /// SNMPv2c with this community. Everybody on the path can read and forge such messages.
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

    /// SNMPv3 over TLS or DTLS (RFC 6353) with the certificate chain and key in these PEM files. The agent must have a certificate by
    /// the authority in the third file, with the name or address by which it is spoken to.
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
    /// Each target has a connection of its own. [`connect_timeout`](Self::connect_timeout) bounds all of its opening, the
    /// user's answers too: where there is an [`Interaction`](crate::transport::ssh::Interaction), allow time for them. It is
    /// called in a thread of the runtime for blocking calls.
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

    /// When requests are sent again and given up; adaptive by default.
    #[must_use]
    pub fn retry(&self, policy: RetryPolicy) -> Self {
        self.with(|settings| settings.retry = policy)
    }

    /// How long each operation may take; by default as long as its requests may.
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

    /// The address as it was given.
    #[must_use]
    pub fn address(&self) -> &TransportAddress {
        &self.inner.address
    }

    /// What happened so far; `None` before the first request.
    #[must_use]
    pub fn statistics(&self) -> Option<Statistics> {
        self.look(|generator| *generator.statistics())
    }

    /// Round-trip times and loss so far; `None` before the first request.
    #[must_use]
    pub fn round_trip(&self) -> Option<RoundTripSummary> {
        self.look(CommandGenerator::round_trip)
    }

    fn look<R>(&self, look: impl FnOnce(&CommandGenerator) -> R) -> Option<R> {
        let Registration { shared, key } = &*self.inner.link.get()?.registration;
        let state = shared.lock();
        state
            .targets
            .get(*key)
            .map(|(generator, _)| look(generator))
    }

    /// The value of one instance.
    ///
    /// An object that the agent does not have is a value, too (`noSuchObject`, `noSuchInstance`), which no conversion takes.
    ///
    /// # Errors
    /// When there is no response, or one with an error-status.
    pub async fn get(&self, name: impl Into<ObjectName>) -> Result<Value, Error> {
        let name = self.resolve_name(name)?;
        let response = self.request(Command::Get(slice::from_ref(&name))).await?;
        self.first(response, name).map(|var_bind| var_bind.value)
    }

    /// The values of several instances, in their order. Names that exceed one message are asked for in several.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_many<N: Into<ObjectName>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Vec<VarBind>, Error> {
        let names = self.resolve_names(names)?;
        let response = self.request(Command::Get(&names)).await?;
        Ok(self.checked(response)?.var_binds)
    }

    /// The instance that follows a name.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_next(&self, name: impl Into<ObjectName>) -> Result<VarBind, Error> {
        let name = self.resolve_name(name)?;
        let response = self
            .request(Command::GetNext(slice::from_ref(&name)))
            .await?;
        self.first(response, name)
    }

    /// The instances that follow these names: the first `non_repeaters` of them once, the others up to `max_repetitions`
    /// times (GetBulkRequest, RFC 3416 section 4.2.3).
    ///
    /// # Errors
    /// As [`get`](Self::get); SNMPv1 has no GetBulk.
    pub async fn get_bulk<N: Into<ObjectName>>(
        &self,
        non_repeaters: u16,
        max_repetitions: u16,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Vec<VarBind>, Error> {
        let names = self.resolve_names(names)?;
        let command = Command::GetBulk {
            non_repeaters,
            max_repetitions,
            names: &names,
        };
        let response = self.request(command).await?;
        Ok(self.checked(response)?.var_binds)
    }

    /// Sets an instance.
    ///
    /// # Errors
    /// As [`get`](Self::get). Without a response it is not known whether the agent has set it; the message says so.
    pub async fn set(
        &self,
        name: impl Into<ObjectName>,
        value: impl Into<Value>,
    ) -> Result<(), Error> {
        let name = self.resolve_name(name)?;
        self.set_many([VarBind::new(name, value.into())]).await
    }

    /// Sets several instances: all or none.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub async fn set_many(
        &self,
        var_binds: impl IntoIterator<Item = VarBind>,
    ) -> Result<(), Error> {
        let var_binds: Vec<VarBind> = var_binds.into_iter().collect();
        let response = self.request(Command::Set(&var_binds)).await?;
        self.checked(response).map(drop)
    }

    /// The objects below a name, in order, with several requests in flight.
    pub fn walk(&self, root: impl Into<ObjectName>) -> Walk {
        self.walk_with([root], WalkOptions::default())
    }

    /// The objects below several names.
    pub fn walk_with<N: Into<ObjectName>>(
        &self,
        roots: impl IntoIterator<Item = N>,
        options: WalkOptions,
    ) -> Walk {
        Walk::new(self.clone(), self.resolve_names(roots), options)
    }

    /// The rows of a table that have instances in any of these columns, by ascending index.
    ///
    /// # Errors
    /// As [`get`](Self::get), and when the walk ends early.
    pub async fn table<N: Into<ObjectName>>(
        &self,
        columns: impl IntoIterator<Item = N>,
    ) -> Result<Vec<Row>, Error> {
        let columns = self.resolve_names(columns)?;
        super::table::rows(self, &columns).await
    }

    /// Sends a command, and returns the whole response. An error-status is a response here.
    ///
    /// Get and GetNext of names that exceed one message are sent in several. Commands that only read are sent again when a
    /// session is cut.
    ///
    /// # Errors
    /// When there is no response.
    pub async fn request(&self, command: Command<'_>) -> Result<Response, Error> {
        let Some(deadline) = self.inner.settings.deadline else {
            return self.request_until_done(command).await;
        };
        // What few need is boxed, so that a thousand operations side by side stay small.
        let request = Box::pin(self.request_until_done(command));
        match tokio::time::timeout(deadline, request).await {
            Ok(result) => result,
            Err(_) => Err(Error::Deadline {
                target: self.address().clone(),
                deadline,
            }),
        }
    }

    async fn request_until_done(&self, command: Command<'_>) -> Result<Response, Error> {
        let attempts = self.max_attempts();
        let mut made = 1;
        loop {
            let registration = self.open().await?;
            let read = match command {
                Command::Get(names) if names.len() > 1 => Some(Read::get(names)),
                Command::GetNext(names) if names.len() > 1 => Some(Read::get_next(names)),
                _ => None,
            };
            let result = match read {
                Some(read) => {
                    let mut operation = Operation::new(registration, read);
                    Box::pin(async move { operation.next().await }).await
                }
                None => {
                    Operation::new(registration, Single::new(command))
                        .next()
                        .await
                }
            };
            match result {
                Ok(response) => return Ok(response),
                // Whether a Set was carried out when the session was cut is not known, and twice may not be the same as
                // once: that is for the caller to decide.
                Err(ReadError::Failed(failure))
                    if is_cut(&failure.reason)
                        && made < attempts
                        && !matches!(command, Command::Set(_)) =>
                {
                    made += 1;
                }
                Err(ReadError::Send(source)) => {
                    return Err(Error::NotSent {
                        target: self.address().clone(),
                        source,
                    });
                }
                Err(ReadError::Failed(failure)) => return Err(self.unanswered(failure)),
            }
        }
    }

    /// Sees to it that the target can be sent to: resolves its name, opens its session.
    pub(super) async fn open(&self) -> Result<Arc<Registration>, Error> {
        if let Some(link) = self.inner.link.get()
            && link
                .session
                .as_ref()
                .is_none_or(|session| session.is_open())
        {
            return Ok(Arc::clone(&link.registration));
        }
        Box::pin(self.link_and_open()).await
    }

    async fn link_and_open(&self) -> Result<Arc<Registration>, Error> {
        let link = self.inner.link.get_or_try_init(|| self.link()).await?;
        if let Some(session) = &link.session {
            let Registration { shared, key } = &*link.registration;
            session.ensure_open(shared, *key).await?;
        }
        Ok(Arc::clone(&link.registration))
    }

    async fn link(&self) -> Result<Link, Error> {
        let Inner {
            client,
            address,
            settings,
            ..
        } = &*self.inner;
        let is_datagram = address.transport == Transport::Udp;
        let remote = match is_datagram {
            true => resolve(address).await?.first().copied(),
            false => None,
        };
        let generator = CommandGenerator::new(self.configuration(remote)?, random_seed());
        let (route, session) = match remote {
            Some(remote) => {
                client.open_socket(remote.is_ipv6())?;
                (Route::Datagram(remote), None)
            }
            None => {
                let secure = Arc::clone(&settings.secure);
                let patience = settings.retry.limits().give_up_after;
                let timeout = settings.connect_timeout;
                let session = Session::new(address.clone(), timeout, patience, secure);
                (Route::Session, Some(Arc::new(session)))
            }
        };
        let shared = Arc::clone(client.shared());
        let key = shared
            .lock()
            .targets
            .insert(generator, route, Operations::default());
        Ok(Link {
            registration: Arc::new(Registration { shared, key }),
            session,
            remote,
        })
    }

    fn configuration(&self, remote: Option<SocketAddr>) -> Result<Configuration, Error> {
        let Inner {
            address, settings, ..
        } = &*self.inner;
        let mut processing = settings
            .processing
            .clone()
            .ok_or_else(|| Error::NoCredentials {
                target: address.clone(),
            })?;
        if let MessageProcessing::V3(parameters) = &mut processing
            && !settings.context_name.is_empty()
        {
            parameters.context_name.clone_from(&settings.context_name);
        }
        let transport = address.transport;
        let is_ipv6 = remote.is_some_and(|remote| remote.is_ipv6());
        let limit = settings.max_message_size;
        Ok(Configuration {
            retry: settings.retry,
            max_message_size: limit
                .unwrap_or_else(|| message_size::unfragmented(transport, is_ipv6)),
            msg_max_size: limit.unwrap_or_else(|| message_size::largest(transport)),
            max_window: settings.max_window,
            reliable: transport.is_reliable(),
            ..Configuration::new(processing)
        })
    }

    /// How often a request is sent at most.
    pub(super) fn max_attempts(&self) -> u32 {
        self.inner.settings.retry.limits().max_attempts
    }

    pub(super) fn deadline_of_operations(&self) -> Option<Duration> {
        self.inner.settings.deadline
    }

    fn resolve_name(&self, name: impl Into<ObjectName>) -> Result<Oid, Error> {
        name.into().resolve(self.inner.client.names())
    }

    fn resolve_names<N: Into<ObjectName>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Vec<Oid>, Error> {
        let names = names.into_iter();
        names.map(|name| self.resolve_name(name)).collect()
    }

    /// A response without an error-status.
    fn checked(&self, response: Response) -> Result<Response, Error> {
        if response.error_status == ErrorStatus::NoError {
            return Ok(response);
        }
        let at = response.error_index.checked_sub(1);
        let var_bind = at.and_then(|at| response.var_binds.get(at as usize));
        Err(Error::ErrorStatus {
            target: self.address().clone(),
            status: response.error_status,
            name: var_bind.map(|var_bind| var_bind.name.clone()),
        })
    }

    fn first(&self, response: Response, name: Oid) -> Result<VarBind, Error> {
        let mut var_binds = self.checked(response)?.var_binds;
        if var_binds.is_empty() {
            return Err(Error::Missing {
                target: self.address().clone(),
                name,
            });
        }
        Ok(var_binds.swap_remove(0))
    }

    pub(super) fn principal(&self) -> Principal {
        let processing = self.inner.settings.processing.as_ref();
        processing.map_or(Principal::Community, Principal::from)
    }

    pub(super) fn unanswered(&self, failure: Failure) -> Error {
        Error::Unanswered(Box::new(Unanswered {
            target: self.address().clone(),
            remote: self.remote_or_none(),
            principal: self.principal(),
            failure,
        }))
    }

    pub(super) fn walk_failure(&self, error: WalkError, summary: WalkSummary) -> Error {
        Error::Walk(Box::new(WalkFailure {
            target: self.address().clone(),
            remote: self.remote_or_none(),
            principal: self.principal(),
            error,
            summary,
        }))
    }

    /// The socket address of the agent, once its name was resolved and its session opened.
    #[must_use]
    pub fn remote(&self) -> Option<SocketAddr> {
        let link = self.inner.link.get()?;
        let session = link.session.as_ref();
        session.map_or(link.remote, |session| session.remote())
    }

    /// Requests fail after they were sent somewhere.
    fn remote_or_none(&self) -> SocketAddr {
        let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
        self.remote().unwrap_or(nowhere)
    }
}

/// Whether the session was cut, so that a request may succeed in another.
pub(super) const fn is_cut(reason: &FailureReason) -> bool {
    matches!(
        reason,
        FailureReason::Transport(TransportError::ConnectionClosed)
    )
}
