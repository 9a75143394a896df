use std::net::{IpAddr, SocketAddr};
use std::os::fd::BorrowedFd;
use std::time::Duration;

use varbind_codec::smi::VarBind;
use varbind_engine::applications::command_generator::MessageProcessing;
use varbind_engine::applications::notification::{Notification, TrapV1Parameters};
use varbind_engine::applications::notification_originator::{
    Configuration, Event, NotSent, NotificationHandle, NotificationOriginator, Output, Statistics,
};
use varbind_engine::applications::notification_receiver::NotificationKind;

use crate::client::Principal;
use crate::clock::Clock;
use crate::random::random_seed;
use crate::transport::connection::{Connection, Wait};
use crate::transport::{
    OpenError, SecureTransportOptions, TransportAddress, TransportError, message_size,
};

const RECEIVE_BUFFER: usize = 65_536;

/// How a target is sent to.
#[derive(Clone, Debug)]
pub struct TargetOptions {
    /// What is sent, and how; the largest message and reliability follow from the transport.
    pub originator: Configuration,
    /// How long opening a TCP connection may take, and the handshake of a secure transport.
    pub connect_timeout: Duration,
    /// Keys, and whom to trust, for TLS, DTLS and SSH.
    pub secure: SecureTransportOptions,
    /// The largest message, in octets; `None` is what the transport carries.
    pub max_message_size: Option<usize>,
}

impl TargetOptions {
    /// Traps or informs in this version, with the settings of the engine.
    #[must_use]
    pub fn new(kind: NotificationKind, processing: MessageProcessing) -> Self {
        let seed = random_seed();
        Self {
            originator: match kind {
                NotificationKind::Trap => Configuration::trap(processing, seed),
                NotificationKind::Inform => Configuration::inform(processing, seed),
            },
            connect_timeout: Duration::from_secs(5),
            secure: SecureTransportOptions::default(),
            max_message_size: None,
        }
    }
}

/// What happened at a target.
#[derive(Debug)]
pub enum Progress {
    /// The outcome of an inform is known.
    Event(Event),
    /// Nothing waits or is on its way.
    Idle,
    /// Something else asks for attention.
    Woken,
}

/// A target of notifications, and the socket over which it is sent to.
#[derive(Debug)]
pub struct NotificationTarget {
    address: TransportAddress,
    connect_timeout: Duration,
    secure: SecureTransportOptions,
    originator: NotificationOriginator,
    connection: Option<Connection>,
    last_transport_error: Option<TransportError>,
    /// Whether an inform goes on although nobody listens at the target at present.
    is_persistent: bool,
    clock: Clock,
    output: Vec<u8>,
    input: Vec<u8>,
}

impl NotificationTarget {
    /// A target without a socket.
    #[must_use]
    pub fn new(address: TransportAddress, options: TargetOptions, clock: Clock) -> Self {
        let reliable = address.transport.is_reliable();
        // A notification that is fragmented on its way is better than none.
        let largest = message_size::largest(address.transport);
        let max_message_size = options.max_message_size.unwrap_or(largest);
        Self {
            originator: NotificationOriginator::new(Configuration {
                max_message_size,
                reliable,
                ..options.originator
            }),
            address,
            connect_timeout: options.connect_timeout,
            secure: options.secure,
            connection: None,
            last_transport_error: None,
            is_persistent: false,
            clock,
            output: vec![0; max_message_size],
            input: Vec::new(),
        }
    }

    /// Resolves the name and opens a socket, if there is none. Traps of SNMPv1 have its address, so this comes before
    /// they are given.
    ///
    /// # Errors
    /// When the name cannot be resolved or no connection can be opened.
    pub fn connect(&mut self) -> Result<(), OpenError> {
        if self.connection.is_some() {
            // Whether the peer has closed it meanwhile.
            self.receive();
        }
        if self.connection.is_some() {
            return Ok(());
        }
        let connection = Connection::open(
            &self.address,
            self.address.transport.notification_port(),
            self.connect_timeout,
            &self.secure,
        )?;
        // RFC 3584 3.2 (2)
        let local = connection.local().map(|local| local.ip().to_canonical());
        self.originator.set_agent_address(match local {
            Ok(IpAddr::V4(address)) => address.octets(),
            _ => [0; 4],
        });
        self.connection = Some(connection);
        Ok(())
    }

    /// From now on informs over UDP do not fail because nobody listens at the target: it may be about to start.
    pub const fn persist(&mut self) {
        self.is_persistent = true;
    }

    /// Whether there is a socket.
    #[must_use]
    pub const fn is_connected(&self) -> bool {
        self.connection.is_some()
    }

    /// Where it is.
    #[must_use]
    pub const fn address(&self) -> &TransportAddress {
        &self.address
    }

    /// Gives a notification, which is sent by [`progress`](Self::progress).
    ///
    /// # Errors
    /// As [`NotificationOriginator::send`].
    pub fn send(&mut self, notification: &Notification) -> Result<NotificationHandle, NotSent> {
        self.originator.send(notification)
    }

    /// Gives a Trap-PDU of SNMPv1 with just these parameters.
    ///
    /// # Errors
    /// As [`NotificationOriginator::send_trap_v1`].
    pub fn send_trap_v1(
        &mut self,
        parameters: &TrapV1Parameters,
        var_binds: Vec<VarBind>,
    ) -> Result<NotificationHandle, NotSent> {
        self.originator.send_trap_v1(parameters, var_binds)
    }

    /// The address that traps of SNMPv1 come from, 0.0.0.0 if it is none of IPv4 or not known yet.
    #[must_use]
    pub const fn agent_address(&self) -> [u8; 4] {
        self.originator.configuration().agent_address
    }

    /// On whose behalf notifications are sent.
    #[must_use]
    pub fn principal(&self) -> Principal {
        Principal::from(&self.originator.configuration().processing)
    }

    /// What the transport reported last.
    #[must_use]
    pub const fn last_transport_error(&self) -> Option<&TransportError> {
        self.last_transport_error.as_ref()
    }

    /// The address of its socket's peer, if there is a socket.
    #[must_use]
    pub fn remote(&self) -> Option<SocketAddr> {
        self.connection.as_ref().map(Connection::remote)
    }

    /// How many notifications wait or are on their way.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.originator.waiting()
    }

    /// What became of the notifications so far.
    #[must_use]
    pub const fn statistics(&self) -> &Statistics {
        self.originator.statistics()
    }

    /// Sends what is due and waits for acknowledgements, until there is something to tell. Without a socket nothing is
    /// sent.
    pub fn progress(&mut self, wake: Option<BorrowedFd<'_>>) -> Progress {
        loop {
            let now = self.clock.now();
            let patience = match self.originator.poll_output(now, &mut self.output) {
                Output::Event(event) => return Progress::Event(event),
                Output::Idle => return Progress::Idle,
                Output::Transmit(message) => {
                    let sent = transmit(self.connection.as_mut(), message);
                    if let Err(error) = sent
                        && self.is_final(&error)
                    {
                        self.originator.handle_unsent(self.clock.now(), error);
                        self.close_if_reliable();
                    }
                    continue;
                }
                Output::WaitUntil(until) => until - now,
            };
            let Some(connection) = &self.connection else {
                self.originator
                    .handle_transport_failure(now, TransportError::ConnectionClosed);
                continue;
            };
            let waited = match wake {
                None => connection.wait(patience),
                Some(wake) => connection.wait_beside(wake, patience),
            };
            match waited {
                Ok(Wait::TimedOut) if self.clock.now() - now < patience => return Progress::Woken,
                Ok(Wait::TimedOut) => {}
                Ok(Wait::Readable) => self.receive(),
                Err(error) => self.fail(&error),
            }
        }
    }

    fn receive(&mut self) {
        self.input.resize(RECEIVE_BUFFER, 0);
        while let Some(connection) = &mut self.connection {
            match connection.receive(&mut self.input) {
                Ok(Some(message)) => {
                    if let Err(discard) = self.originator.handle_message(self.clock.now(), message)
                    {
                        log::debug!("{}: a message was ignored: {discard}", self.address);
                    }
                }
                Ok(None) => return,
                Err(error) => return self.fail(&error),
            }
        }
    }

    fn fail(&mut self, error: &std::io::Error) {
        let error = TransportError::from(error);
        if self.is_final(&error) {
            self.originator
                .handle_transport_failure(self.clock.now(), error);
            self.close_if_reliable();
        }
    }

    /// Whether what is on its way fails for this.
    fn is_final(&mut self, error: &TransportError) -> bool {
        self.last_transport_error = Some(error.clone());
        let is_absence = *error == TransportError::ConnectionRefused
            && !self.originator.configuration().reliable;
        !(is_absence && self.is_persistent)
    }

    /// A stream that failed is of no use; a socket of datagrams is.
    fn close_if_reliable(&mut self) {
        if self.originator.configuration().reliable {
            self.connection = None;
        }
    }
}

fn transmit(connection: Option<&mut Connection>, message: &[u8]) -> Result<(), TransportError> {
    let connection = connection.ok_or(TransportError::ConnectionClosed)?;
    match connection.send(message) {
        // Told of a datagram that was sent before; this one was not tried.
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => connection
            .send(message)
            .map_err(|error| TransportError::from(&error)),
        sent => sent.map_err(|error| TransportError::from(&error)),
    }
}
