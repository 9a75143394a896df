//! Hostile peers over TCP, all of them in one thread.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::attack::{Attack, Opening, Service, Sources, Then};
use super::{Course, Effort};
use crate::measurement::TransportKind;

/// How often connections that have nothing to do are looked at.
const TICK: Duration = Duration::from_millis(20);
/// The time between two octets of a peer that drips.
const DRIP: Duration = Duration::from_secs(1);
/// Connections that one attack opens at most, one after the other.
const MOST_CONNECTIONS: u64 = 100_000;
/// Octets that are read at a time.
const READ: usize = 64 << 10;

struct Peers<'a> {
    agent: SocketAddr,
    service: Service,
    sources: Sources,
    opening: Vec<u8>,
    then: Then,
    connections: Vec<Connection>,
    buffer: Vec<u8>,
    effort: &'a mut Effort,
}

struct Connection {
    number: u32,
    stream: Option<TcpStream>,
    /// Octets of the opening that are sent.
    sent: usize,
    /// The beginning of what the agent answered.
    received: Vec<u8>,
    next_drip: Instant,
}

/// What is to become of a connection.
#[derive(PartialEq, Eq)]
enum Next {
    Stays,
    /// The agent ended it.
    Refused,
    Reconnects,
}

/// Makes the attack until its course is over.
pub(super) fn attack(
    attack: &Attack,
    (connections, opening, then): (u32, Opening, Then),
    agent: SocketAddr,
    course: &Course,
    effort: &mut Effort,
) -> io::Result<()> {
    let mut peers = Peers {
        agent,
        service: attack.service,
        sources: attack.sources,
        opening: opening.octets(attack.service)?,
        then,
        connections: Vec::new(),
        buffer: vec![0; READ],
        effort,
    };
    for number in 0..connections {
        if course.is_over() {
            break;
        }
        let connection = peers.open(number);
        peers.connections.push(connection);
    }
    while !peers.are_in_place() && !course.is_over() {
        peers.turn()?;
    }
    course.begin()?;
    while !course.is_over() {
        peers.turn()?;
    }
    Ok(())
}

impl Peers<'_> {
    /// Whether all are connected, and those that reconnect have done it once.
    fn are_in_place(&self) -> bool {
        match self.then {
            Then::Reconnects {
                awaits_response: true,
            } => self.effort.handshakes > 0,
            Then::Reconnects {
                awaits_response: false,
            } => self.effort.opened > self.connections.len() as u64,
            Then::Waits | Then::Drips | Then::Repeats { .. } => true,
        }
    }

    fn open(&mut self, number: u32) -> Connection {
        let stream = self.sources.connect(number, self.agent);
        match &stream {
            Ok(_) => self.effort.opened += 1,
            Err(_) => self.effort.refused += 1,
        }
        let mut connection = Connection {
            number,
            stream: stream.ok(),
            sent: 0,
            received: Vec::new(),
            next_drip: Instant::now() + DRIP,
        };
        // What fits at once leaves at once.
        if self.write(&mut connection) != Next::Stays {
            self.effort.refused += 1;
            connection.stream = None;
        }
        connection
    }

    /// Waits for the next events, and lets each connection do what it can.
    fn turn(&mut self) -> io::Result<()> {
        let ready = self.wait()?;
        let mut connections = std::mem::take(&mut self.connections);
        for (connection, flags) in connections.iter_mut().zip(ready) {
            match self.advance(connection, flags) {
                Next::Stays => {}
                next => {
                    self.effort.refused += u64::from(next == Next::Refused);
                    connection.stream = None;
                    let reconnects = matches!(self.then, Then::Reconnects { .. });
                    if reconnects && self.effort.opened < MOST_CONNECTIONS {
                        *connection = self.open(connection.number);
                    }
                }
            }
        }
        self.connections = connections;
        Ok(())
    }

    /// What each connection is ready for.
    fn wait(&self) -> io::Result<Vec<PollFlags>> {
        let mut at = Vec::new();
        let mut fds: Vec<PollFd<'_>> = Vec::new();
        for (place, connection) in self.connections.iter().enumerate() {
            if let Some(stream) = &connection.stream {
                at.push(place);
                fds.push(PollFd::new(stream, self.interest(connection)));
            }
        }
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(TICK.subsec_nanos()),
        };
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut ready = vec![PollFlags::empty(); self.connections.len()];
        for (place, fd) in at.into_iter().zip(&fds) {
            if let Some(flags) = ready.get_mut(place) {
                *flags = fd.revents();
            }
        }
        Ok(ready)
    }

    fn interest(&self, connection: &Connection) -> PollFlags {
        let mut interest = PollFlags::empty();
        if self.then != (Then::Repeats { reads: false }) {
            interest |= PollFlags::IN;
        }
        if connection.sent < self.opening.len() {
            interest |= PollFlags::OUT;
        }
        interest
    }

    fn advance(&mut self, connection: &mut Connection, ready: PollFlags) -> Next {
        if connection.stream.is_none() {
            // Refused flooders try again.
            return match self.then {
                Then::Reconnects { .. } => Next::Reconnects,
                _ => Next::Stays,
            };
        }
        if ready.intersects(PollFlags::ERR | PollFlags::HUP) {
            return Next::Refused;
        }
        if ready.contains(PollFlags::IN) {
            let next = self.read(connection);
            if next != Next::Stays {
                return next;
            }
        }
        if ready.contains(PollFlags::OUT) {
            let next = self.write(connection);
            if next != Next::Stays {
                return next;
            }
        }
        match self.then {
            Then::Reconnects {
                awaits_response: false,
            } if connection.sent == self.opening.len() => Next::Reconnects,
            Then::Drips if connection.next_drip <= Instant::now() => self.drip(connection),
            _ => Next::Stays,
        }
    }

    fn read(&mut self, connection: &mut Connection) -> Next {
        let Some(stream) = &mut connection.stream else {
            return Next::Stays;
        };
        match stream.read(&mut self.buffer) {
            Ok(0) => Next::Refused,
            Ok(length) => {
                self.effort.octets_received += length as u64;
                let room = KEPT.saturating_sub(connection.received.len());
                let kept = self.buffer.get(..length.min(room)).unwrap_or_default();
                connection.received.extend_from_slice(kept);
                let awaits_response = Then::Reconnects {
                    awaits_response: true,
                };
                if self.then == awaits_response && is_flight(self.service, &connection.received) {
                    self.effort.handshakes += 1;
                    return Next::Reconnects;
                }
                Next::Stays
            }
            Err(error) if is_passing(&error) => Next::Stays,
            Err(_) => Next::Refused,
        }
    }

    fn write(&mut self, connection: &mut Connection) -> Next {
        let Some(stream) = &mut connection.stream else {
            return Next::Stays;
        };
        let rest = self.opening.get(connection.sent..).unwrap_or_default();
        if rest.is_empty() {
            return Next::Stays;
        }
        match stream.write(rest) {
            Ok(length) => {
                self.effort.octets_sent += length as u64;
                connection.sent += length;
                let repeats = matches!(self.then, Then::Repeats { .. });
                if repeats && connection.sent == self.opening.len() {
                    connection.sent = 0;
                }
                Next::Stays
            }
            Err(error) if is_passing(&error) => Next::Stays,
            Err(_) => Next::Refused,
        }
    }

    fn drip(&mut self, connection: &mut Connection) -> Next {
        let Some(stream) = &mut connection.stream else {
            return Next::Stays;
        };
        connection.next_drip += DRIP;
        match stream.write(b"x") {
            Ok(length) => {
                self.effort.octets_sent += length as u64;
                Next::Stays
            }
            Err(error) if is_passing(&error) => Next::Stays,
            Err(_) => Next::Refused,
        }
    }
}

/// Octets of a server's first flight that are kept.
const KEPT: usize = 4096;

/// Whether this is the server's part of a handshake, for which it has to compute a signature or a shared secret.
fn is_flight(service: Service, received: &[u8]) -> bool {
    if service != Service::Snmp(TransportKind::Ssh) {
        return !received.is_empty();
    }
    const KEX_ECDH_REPLY: u8 = 31;
    let second_packet = || {
        let version = received.iter().position(|&octet| octet == b'\n')? + 1;
        let length = received.get(version..version + 4)?;
        let length = u32::from_be_bytes(length.try_into().ok()?);
        received.get(version + 4 + usize::try_from(length).ok()?..)
    };
    second_packet().and_then(|packet| packet.get(5)) == Some(&KEX_ECDH_REPLY)
}

fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}
