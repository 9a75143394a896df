use std::future::{Future, pending, poll_fn};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;
use varbind_codec::smi::VarBind;
use varbind_engine::applications::command_generator::MessageProcessing;
use varbind_engine::applications::notification::{Notification, TrapV1Parameters};
use varbind_engine::applications::notification_originator::{
    NotSent, NotificationHandle, NotificationOriginator, OriginatorConfiguration, OriginatorEvent,
    OriginatorOutput, OriginatorStatistics,
};
use varbind_engine::applications::notification_receiver::NotificationKind;
use varbind_engine::clock::Instant;

use crate::client::ClientPrincipal;
use crate::clock::Clock;
use crate::random::random_seed;
use crate::transport::client_session::{ClientSession, SessionOpener};
use crate::transport::{
    OpenError, SecureTransportOptions, SessionError, TransportAddress, TransportError, message_size,
};

/// How a target is sent to.
#[derive(Clone, Debug)]
pub struct TargetOptions {
    /// What is sent, and how; the largest message and reliability follow from the transport.
    pub originator: OriginatorConfiguration,
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
                NotificationKind::Trap => OriginatorConfiguration::trap(processing, seed),
                NotificationKind::Inform => OriginatorConfiguration::inform(processing, seed),
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
    Event(OriginatorEvent),
    /// Nothing waits or is on its way.
    Idle,
}

/// What came first of what was waited for.
enum Arrival {
    /// Something has arrived, or the session has failed.
    Input(Result<(), SessionError>),
    /// It is time to look again.
    Due,
    /// Something else asks for attention.
    Woken,
}

/// A target of notifications, and the session in which it is sent to, in a tokio runtime.
/// [`blocking::NotificationTarget`](crate::blocking::NotificationTarget) is the same without async.
#[derive(Debug)]
pub struct NotificationTarget {
    address: TransportAddress,
    connect_timeout: Duration,
    secure: SecureTransportOptions,
    originator: NotificationOriginator,
    session: Option<ClientSession>,
    last_transport_error: Option<TransportError>,
    /// Whether an inform continues although nothing listens at the target at present.
    is_persistent: bool,
    resolves_in_place: bool,
    clock: Clock,
    output: Vec<u8>,
}

impl NotificationTarget {
    /// A target without a session.
    #[must_use]
    pub fn new(address: TransportAddress, options: TargetOptions, clock: Clock) -> Self {
        let reliable = address.transport.is_reliable();
        // A notification that is fragmented on its way is better than none.
        let largest = message_size::largest(address.transport);
        let max_message_size = options.max_message_size.unwrap_or(largest);
        Self {
            originator: NotificationOriginator::new(OriginatorConfiguration {
                max_message_size,
                reliable,
                ..options.originator
            }),
            address,
            connect_timeout: options.connect_timeout,
            secure: options.secure,
            session: None,
            last_transport_error: None,
            is_persistent: false,
            resolves_in_place: false,
            clock,
            output: Vec::new(),
        }
    }

    /// Resolves the name and opens a session, if there is none; over UDP that is a socket. Traps of SNMPv1 have its address,
    /// so this comes before they are given.
    ///
    /// # Errors
    /// When the name cannot be resolved or no session can be opened.
    pub async fn connect(&mut self) -> Result<(), OpenError> {
        if self.session.is_some() {
            // Whether the peer has closed it meanwhile. The runtime looks for that before it comes back here.
            tokio::task::yield_now().await;
            let now = self.clock.now();
            let never = Notify::const_new();
            while matches!(self.wait(Some(now), &never).await, Arrival::Input(Ok(()))) {}
        }
        if self.session.is_some() {
            return Ok(());
        }
        let opener = SessionOpener {
            target: &self.address,
            default_port: self.address.transport.notification_port(),
            timeout: self.connect_timeout,
            secure: &self.secure,
            resolves_in_place: self.resolves_in_place,
        };
        let session = opener.open().await?;
        // RFC 3584 3.2 (2)
        self.originator
            .set_agent_address(match session.local().ip().to_canonical() {
                IpAddr::V4(address) => address.octets(),
                IpAddr::V6(_) => [0; 4],
            });
        self.session = Some(session);
        Ok(())
    }

    /// Ends the session, and notifies the peer. Queued notifications are sent in the next session.
    pub async fn close(&mut self) {
        if let Some(session) = self.session.take() {
            session.close().await;
        }
    }

    /// From now on informs over UDP and DTLS do not fail because nothing listens at the target: it may be about to start.
    pub const fn persist(&mut self) {
        self.is_persistent = true;
    }

    /// Looks names of hosts up in the thread that needs them, which does nothing else meanwhile.
    pub(crate) const fn resolve_in_place(&mut self) {
        self.resolves_in_place = true;
    }

    /// Whether there is a session.
    #[must_use]
    pub const fn is_connected(&self) -> bool {
        self.session.is_some()
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
    pub fn principal(&self) -> ClientPrincipal {
        ClientPrincipal::from(&self.originator.configuration().processing)
    }

    /// What the transport reported last.
    #[must_use]
    pub const fn last_transport_error(&self) -> Option<&TransportError> {
        self.last_transport_error.as_ref()
    }

    /// The address of its session's peer, if there is a session.
    #[must_use]
    pub fn remote(&self) -> Option<SocketAddr> {
        self.session.as_ref().map(ClientSession::remote)
    }

    /// How many notifications wait or are on their way.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.originator.waiting()
    }

    /// What became of the notifications so far.
    #[must_use]
    pub const fn statistics(&self) -> &OriginatorStatistics {
        self.originator.statistics()
    }

    /// Sends what is due and waits for acknowledgements, until there is something to tell. Without a session nothing is
    /// sent. Dropped while a message is being sent, it closes the session.
    pub async fn progress(&mut self) -> Progress {
        let never = Notify::const_new();
        loop {
            if let Some(progress) = self.progress_beside(&never).await {
                return progress;
            }
        }
    }

    /// The same; `None` when `wake` was notified while there was nothing to do but wait.
    pub(super) async fn progress_beside(&mut self, wake: &Notify) -> Option<Progress> {
        let size = self.originator.configuration().max_message_size;
        self.output.resize(size, 0);
        loop {
            let now = self.clock.now();
            let until = match self.originator.poll_output(now, &mut self.output) {
                OriginatorOutput::Event(event) => return Some(Progress::Event(event)),
                OriginatorOutput::Transmit(message) => {
                    let message = message.to_vec();
                    self.transmit(&message).await;
                    continue;
                }
                // Over DTLS, messages may wait for another association.
                OriginatorOutput::Idle
                    if self.session.as_ref().is_some_and(ClientSession::is_sending) =>
                {
                    None
                }
                OriginatorOutput::Idle => {
                    // An idle target has no buffer.
                    self.output = Vec::new();
                    return Some(Progress::Idle);
                }
                OriginatorOutput::WaitUntil(_) if self.session.is_none() => {
                    self.originator
                        .handle_transport_failure(now, TransportError::ConnectionClosed);
                    continue;
                }
                OriginatorOutput::WaitUntil(until) => Some(until),
            };
            if matches!(self.wait(until, wake).await, Arrival::Woken) {
                return None;
            }
        }
    }

    /// Takes in what arrives first, until this time.
    async fn wait(&mut self, until: Option<Instant>, wake: &Notify) -> Arrival {
        let Self {
            session,
            originator,
            clock,
            address,
            ..
        } = self;
        let patience = until.map(|until| until - clock.now());
        let on_message = |message: &[u8]| {
            if let Err(discard) = originator.handle_message(clock.now(), message) {
                log::debug!("{address}: a message was ignored: {discard}");
            }
        };
        let arrival = {
            let mut input = pin!(async {
                match session {
                    Some(session) => session.receive(on_message).await,
                    None => pending().await,
                }
            });
            let mut due = pin!(async {
                match patience {
                    Some(Duration::ZERO) => {}
                    Some(patience) => sleep(patience).await,
                    None => pending().await,
                }
            });
            let mut woken = pin!(wake.notified());
            poll_fn(|cx| {
                if let Poll::Ready(input) = input.as_mut().poll(cx) {
                    return Poll::Ready(Arrival::Input(input));
                }
                if woken.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(Arrival::Woken);
                }
                due.as_mut().poll(cx).map(|()| Arrival::Due)
            })
            .await
        };
        if let Arrival::Input(Err(error)) = &arrival {
            self.fail(error);
        }
        arrival
    }

    async fn transmit(&mut self, message: &[u8]) {
        // If this is dropped in the middle of a message, so is the session.
        let sent = match self.session.take() {
            None => Err(TransportError::ConnectionClosed),
            Some(mut session) => {
                let sent = session.send(message).await;
                self.session = Some(session);
                sent.map_err(|error| TransportError::from(&error))
            }
        };
        if let Err(error) = sent
            && self.is_final(&error)
        {
            self.originator.handle_unsent(self.clock.now(), error);
            self.close_if_reliable();
        }
    }

    fn fail(&mut self, error: &SessionError) {
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
        if self.originator.configuration().reliable || self.session.is_none() {
            return true;
        }
        match error {
            TransportError::ConnectionRefused => !self.is_persistent,
            // Over DTLS: what is sent next opens another association.
            TransportError::ConnectionClosed => false,
            _ => true,
        }
    }

    /// A stream that failed is of no use; a socket of datagrams is.
    fn close_if_reliable(&mut self) {
        if self.originator.configuration().reliable {
            self.session = None;
        }
    }
}
