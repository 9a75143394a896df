use std::io;
use std::time::Duration;

use thiserror::Error;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::Oid;
use varbind_engine::applications::command_generator::SendError;
use varbind_engine::security::usm::{InvalidKey, InvalidUserName};

use super::{Unanswered, WalkFailure};
#[cfg(feature = "certificates")]
use crate::transport::certificate::LoadError;
use crate::transport::{OpenError, ParseAddressError, Transport, TransportAddress};

/// Why an operation of a [`Client`](super::Client) has no result. The message says what happened, with which target, and
/// what can be done.
///
/// It contains the messages of its sources, so print it alone: a report of the whole chain, as anyhow's `{:#}`, repeats them.
/// [`source`](std::error::Error::source) is for programs that distinguish causes, such as a
/// [`TransportError`](crate::transport::TransportError).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not an address of an agent.
    #[error(transparent)]
    Address(#[from] ParseAddressError),
    /// The text is not a name of an object.
    #[error("{name:?} is not a name of an object: {source}")]
    Name {
        /// The text.
        name: String,
        /// What is wrong with it: a `varbind_mib::ResolveError` with the feature `mib`.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A password or key cannot be used.
    #[error("{target}: the password or key of user {user} cannot be used: {source}")]
    Key {
        /// The agent.
        target: TransportAddress,
        /// The user.
        user: String,
        /// What is wrong with it.
        source: InvalidKey,
    },
    /// The name of a user is empty or too long.
    #[error("{target}: {source}")]
    UserName {
        /// The agent.
        target: TransportAddress,
        /// What is wrong with it.
        source: InvalidUserName,
    },
    /// The target has no credentials.
    #[error("{target}: no credentials are given: call {}", credentials_of(.target.transport))]
    NoCredentials {
        /// The agent.
        target: TransportAddress,
    },
    /// A file with certificates or a key cannot be used.
    #[cfg(feature = "certificates")]
    #[error(transparent)]
    Certificate(#[from] LoadError),
    /// There is no tokio runtime to run the client.
    #[error("a client needs a tokio runtime: create it in one, or use varbind::blocking")]
    NoRuntime,
    /// The runtime of a blocking client cannot be made.
    #[error("no runtime can be made: {0}")]
    Runtime(#[source] io::Error),
    /// The client has no socket.
    #[error("no UDP socket can be opened: {0}")]
    Socket(#[source] io::Error),
    /// There is no session with the agent.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The request cannot be made.
    #[error("{target}: {source}")]
    NotSent {
        /// The agent.
        target: TransportAddress,
        /// Why.
        source: SendError,
    },
    /// No response came, or none that can be used.
    #[error(transparent)]
    Unanswered(Box<Unanswered>),
    /// The agent answered with an error-status.
    #[error("{target}: the agent answered {status}{}", about(.name.as_ref()))]
    ErrorStatus {
        /// The agent.
        target: TransportAddress,
        /// What it answered.
        status: ErrorStatus,
        /// The name that it is about, if the agent says so.
        name: Option<Oid>,
    },
    /// A walk ended early.
    #[error(transparent)]
    Walk(Box<WalkFailure>),
    /// The session was cut each time that it was reopened.
    #[error("{target}: the session is cut again and again: the agent's log may say why")]
    Interrupted {
        /// The agent.
        target: TransportAddress,
    },
    /// The operation took longer than its deadline.
    #[error(
        "{target}: not finished within {deadline:?}: allow more time (deadline), or request less"
    )]
    Deadline {
        /// The agent.
        target: TransportAddress,
        /// The deadline.
        deadline: Duration,
    },
    /// The agent answered with fewer variable bindings than names that were asked for.
    #[error("{target}: the response has no variable binding for {name}")]
    Missing {
        /// The agent.
        target: TransportAddress,
        /// The name.
        name: Oid,
    },
}

const fn credentials_of(transport: Transport) -> &'static str {
    match transport {
        Transport::Udp | Transport::Tcp => "community() or user()",
        Transport::Tls | Transport::Dtls => "certificate()",
        Transport::Ssh => "ssh()",
    }
}

fn about(name: Option<&Oid>) -> String {
    name.map(|name| format!(" for {name}")).unwrap_or_default()
}
