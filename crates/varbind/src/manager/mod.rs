//! An SNMP manager: commands to one agent, over one socket, in the thread of the caller.
//!
//! It is there for measurements, and for compression, which [`client`](crate::client) does not have. Use
//! [`client`](crate::client) or [`blocking`](crate::blocking) for everything else.
//!
//! ```no_run
//! use varbind::manager::{Manager, ManagerOptions};
//!
//! let mut manager = Manager::open(&"router1".parse()?, ManagerOptions::v2c("public"))?;
//! let response = manager.get(&["1.3.6.1.2.1.1.1.0".parse()?])?;
//! for var_bind in response.var_binds {
//!     println!("{var_bind}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "experiments")]
mod compression;
mod error;
mod messages;
mod pipeline;
mod reopening;
mod requests;

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use varbind_codec::smi::{Oid, VarBind};
use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, GeneratorConfiguration, GeneratorEvent, MessageProcessing, Response,
    RetryPolicy, Walk, WalkError, WalkEvent, WalkOptions, WalkSummary,
};

use crate::client::{ClientPrincipal, WalkFailure};
use crate::clock::Clock;
#[cfg(feature = "experiments")]
use crate::compression::Compression;
use crate::random::random_seed;
use crate::transport::connection::Connection;
use crate::transport::{
    OpenError, Opening, SecureTransportOptions, TransportAddress, message_size,
};
#[cfg(feature = "experiments")]
use compression::Negotiation;
pub use error::ManagerError;
use messages::Observer;
pub use pipeline::PipelineOptions;
use reopening::Reopening;

/// How a manager speaks to its agent.
#[derive(Clone, Debug)]
pub struct ManagerOptions {
    /// The version, and what goes with it.
    pub processing: MessageProcessing,
    /// When requests are resent and given up.
    pub retry: RetryPolicy,
    /// How long opening a TCP connection may take, and the handshake of a secure transport.
    pub connect_timeout: Duration,
    /// Keys, and whom to trust, for TLS, DTLS and SSH.
    pub secure: SecureTransportOptions,
    /// The largest message, in octets, in both directions. With `None` requests take what the path carries in one piece over
    /// UDP and DTLS, walks ask for as much, and responses may take what the transport carries.
    pub max_message_size: Option<usize>,
    /// How many requests may be in flight at most.
    pub max_window: u16,
    /// How messages are compressed if the agent says that it takes that; experimental.
    #[cfg(feature = "experiments")]
    pub compression: Option<Compression>,
}

impl ManagerOptions {
    /// SNMPv1 with this community.
    #[must_use]
    pub fn v1(community: &str) -> Self {
        Self::new(MessageProcessing::V1 {
            community: community.into(),
        })
    }

    /// SNMPv2c with this community.
    #[must_use]
    pub fn v2c(community: &str) -> Self {
        Self::new(MessageProcessing::V2c {
            community: community.into(),
        })
    }

    fn new(processing: MessageProcessing) -> Self {
        Self {
            processing,
            retry: RetryPolicy::default(),
            connect_timeout: Duration::from_secs(5),
            secure: SecureTransportOptions::default(),
            max_message_size: None,
            max_window: 8,
            #[cfg(feature = "experiments")]
            compression: None,
        }
    }
}

/// A datagram may always be larger than asked for.
const RECEIVE_BUFFER: usize = 65_536;

/// An SNMP manager's session with one agent.
#[derive(Debug)]
pub struct Manager {
    target: TransportAddress,
    principal: ClientPrincipal,
    connection: Connection,
    reopening: Reopening,
    generator: CommandGenerator,
    clock: Clock,
    output: Vec<u8>,
    input: Vec<u8>,
    observer: Option<Observer>,
    #[cfg(feature = "experiments")]
    compression: Negotiation,
}

impl Manager {
    /// Opens a session: resolves the name and opens the socket. Over UDP nothing is sent yet.
    ///
    /// # Errors
    /// When the name cannot be resolved or no connection can be opened.
    pub fn open(target: &TransportAddress, options: ManagerOptions) -> Result<Self, OpenError> {
        let connection = Connection::open(
            target,
            target.transport.agent_port(),
            options.connect_timeout,
            &options.secure,
        )?;
        Ok(Self::over(connection, target, options))
    }

    fn over(connection: Connection, target: &TransportAddress, options: ManagerOptions) -> Self {
        let max_message_size = options.max_message_size.unwrap_or_else(|| {
            message_size::unfragmented(target.transport, connection.remote().is_ipv6())
        });
        let principal = ClientPrincipal::from(&options.processing);
        let configuration = GeneratorConfiguration {
            retry: options.retry,
            max_message_size,
            msg_max_size: options
                .max_message_size
                .unwrap_or_else(|| message_size::largest(target.transport)),
            max_window: options.max_window,
            reliable: target.transport.is_reliable(),
            ..GeneratorConfiguration::new(options.processing)
        };
        let generator = CommandGenerator::new(configuration, random_seed());
        Self {
            target: target.clone(),
            principal,
            connection,
            reopening: Reopening::new(options.connect_timeout, options.secure),
            #[cfg(feature = "experiments")]
            compression: Negotiation::new(options.compression),
            generator,
            clock: Clock::start(),
            output: vec![0; max_message_size],
            input: vec![0; RECEIVE_BUFFER],
            observer: None,
        }
    }

    /// Calls `observer` at this interval while the agent is silent, with the time since its last message or since the
    /// request, and with zero when a message comes.
    pub fn observe_silence(
        &mut self,
        interval: Duration,
        observer: impl FnMut(Duration) + Send + 'static,
    ) {
        self.observer = Some(Observer::new(interval, observer, self.clock.now()));
    }

    /// The agent's address.
    #[must_use]
    pub const fn remote(&self) -> SocketAddr {
        self.connection.remote()
    }

    /// What opening the session took that is open now.
    #[must_use]
    pub fn opening(&self) -> Opening {
        self.connection.opening()
    }

    /// What happened so far, and the agent's timing.
    #[must_use]
    pub const fn generator(&self) -> &CommandGenerator {
        &self.generator
    }

    /// The values of these instances (GetRequest). Names that exceed one message are asked for in several; see
    /// [`Read`](varbind_engine::applications::command_generator::Read).
    ///
    /// # Errors
    /// When there is no answer. An error-status is an answer.
    pub fn get(&mut self, names: &[Oid]) -> Result<Response, ManagerError> {
        self.request(Command::Get(names))
    }

    /// The instances that follow these names (GetNextRequest), in several messages where one does not hold them.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_next(&mut self, names: &[Oid]) -> Result<Response, ManagerError> {
        self.request(Command::GetNext(names))
    }

    /// The instances that follow these names, several times over (GetBulkRequest); not in SNMPv1.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_bulk(
        &mut self,
        non_repeaters: u16,
        max_repetitions: u16,
        names: &[Oid],
    ) -> Result<Response, ManagerError> {
        self.request(Command::GetBulk {
            non_repeaters,
            max_repetitions,
            names,
        })
    }

    /// Sets these instances (SetRequest): all or none.
    ///
    /// # Errors
    /// As [`get`](Self::get); without an answer it is not known whether the agent has set them.
    pub fn set(&mut self, objects: &[VarBind]) -> Result<Response, ManagerError> {
        self.request(Command::Set(objects))
    }

    /// Retrieves all objects below these names, in order, and passes them on as they come; see
    /// [`Walk`] for how latency is hidden. A session that is cut is reopened, and the walk continues.
    ///
    /// # Errors
    /// When the walk ends early: what came before was passed on. `pass_on` may end it with `Break`, which is no error.
    pub fn walk(
        &mut self,
        roots: &[Oid],
        options: WalkOptions,
        mut pass_on: impl FnMut(&[VarBind]) -> ControlFlow<()>,
    ) -> Result<WalkSummary, Box<WalkFailure>> {
        let mut walk = Walk::new(roots, options);
        self.break_silence();
        self.reopen_if_ended();
        // Where nobody answers, the walk tells.
        let _ = self.begin_session();
        loop {
            match walk.poll(&mut self.generator) {
                Some(WalkEvent::Objects(objects)) => {
                    if pass_on(&objects).is_break() {
                        walk.cancel(&mut self.generator);
                        return Ok(*walk.summary());
                    }
                }
                Some(WalkEvent::Finished(summary)) => return Ok(summary),
                Some(WalkEvent::Failed(error, summary)) => {
                    return Err(self.walk_failure(error, summary));
                }
                None => {
                    if let Some(event) = self.next_event() {
                        self.hand_over(&mut walk, event);
                    }
                }
            }
        }
    }

    /// Tells a walk what became of its requests, but for those that can be sent again.
    fn hand_over(&mut self, walk: &mut Walk, mut event: GeneratorEvent) {
        match &mut event {
            GeneratorEvent::Response(_) => self.reopening.note_progress(),
            GeneratorEvent::Failed(failure) => {
                if self.recover(failure) && walk.ask_again(failure.handle) {
                    return;
                }
            }
        }
        walk.handle_event(event);
    }

    fn walk_failure(&self, error: WalkError, summary: WalkSummary) -> Box<WalkFailure> {
        Box::new(WalkFailure {
            target: self.target.clone(),
            remote: self.remote(),
            principal: self.principal.clone(),
            error,
            summary,
        })
    }
}
