//! Devices behind the transports that have sessions: TCP, TLS, DTLS and SSH.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use varbind::responder::{
    AgentLimits, MessageResponder, SessionMessage, SessionResponder, SessionResponse,
};
use varbind::transport::Transport;
use varbind::transport::ssh::SshServer;
use varbind_engine::dispatcher::response_buffer_length;
use varbind_engine::security::SecurityName;
use varbind_engine::transport::TransportState;

use super::Shared;
use super::configurations::READER;
use super::delay::{DelayLine, Recipient};
use super::responder::{Desk, Incoming};
use crate::secure::SecureServers;

/// Sessions at a time: a collector under test has one for each device, all from one address.
const SESSIONS: usize = 100_000;

/// The listeners of all transports with sessions, and their threads.
pub(super) type SessionPlayer = SessionResponder<SessionDesk>;

/// Listens at an address. The first of them makes the player.
pub(super) fn listen(
    player: &mut Option<SessionPlayer>,
    shared: &Arc<Shared>,
    secure: &SecureServers,
    transport: Transport,
    address: SocketAddr,
) -> io::Result<SocketAddr> {
    let player = player.get_or_insert_with(|| {
        let desk = SessionDesk::new(Arc::clone(shared));
        SessionResponder::new(desk, limits())
    });
    let missing = |section: &str| {
        let keys = match transport {
            Transport::Ssh => "host-key and authorized-keys",
            _ => "certificate, key and trust",
        };
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("the configuration has no [{section}] with {keys}"),
        )
    };
    let tls = || secure.tls.as_ref().ok_or_else(|| missing("tls"));
    match transport {
        Transport::Tcp => player.listen_tcp(address),
        Transport::Tls => player.listen_tls(tls()?, address),
        Transport::Dtls => player.listen_dtls(tls()?, address),
        Transport::Ssh => {
            let configuration = secure.ssh.clone().ok_or_else(|| missing("ssh"))?;
            player.listen_ssh(SshServer::new(configuration), address)
        }
        Transport::Udp => Err(io::ErrorKind::Unsupported.into()),
    }
}

fn limits() -> AgentLimits {
    AgentLimits {
        tcp_sessions: SESSIONS,
        tcp_sessions_per_source: SESSIONS,
        tcp_sessions_per_block: SESSIONS,
        handshakes_per_source: SESSIONS,
        ..AgentLimits::default()
    }
}

/// Answers the messages of sessions, one at a time.
pub(super) struct SessionDesk(Mutex<Room>);

struct Room {
    desk: Desk,
    delays: DelayLine,
    buffer: Vec<u8>,
}

impl SessionDesk {
    fn new(shared: Arc<Shared>) -> Self {
        Self(Mutex::new(Room {
            desk: Desk::new(shared),
            delays: DelayLine::new(None),
            buffer: Vec::new(),
        }))
    }
}

impl MessageResponder for SessionDesk {
    fn respond(&self, message: &SessionMessage<'_>, output: &mut Vec<u8>) -> SessionResponse {
        let mut room = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Room {
            desk,
            delays,
            buffer,
        } = &mut *room;
        desk.refresh();
        buffer.resize(response_buffer_length(message.limits.message), 0);
        let state = message.transport_state.map(as_reader);
        let unknown = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);
        let local = message.local.unwrap_or(unknown);
        let incoming = Incoming {
            local: (local.ip(), local.port()),
            remote: message.remote,
            payload: message.payload,
            limits: message.limits,
            transport_state: state.as_ref(),
            is_datagram: false,
            server_name: message.server_name,
        };
        let Some(outgoing) = desk.answer(&incoming, desk.now(), buffer) else {
            return SessionResponse::Refused;
        };
        let response = buffer.get(outgoing.range).unwrap_or(&[]);
        if outgoing.delay == Duration::ZERO {
            output.extend_from_slice(response);
            return SessionResponse::Accepted;
        }
        let (sender, receiver) = oneshot::channel();
        delays.send(outgoing.delay, Recipient::Session(sender), response);
        SessionResponse::Later(Box::pin(async { receiver.await.ok() }))
    }
}

/// Maps every peer that the transport has authenticated to the reader of all devices.
fn as_reader(state: &TransportState) -> TransportState {
    TransportState::new(
        state.transport(),
        SecurityName::new(READER),
        state.security_level(),
        state.session_id(),
    )
}
