//! Agents that answer from another address or port than the one that was asked: managers do not take such answers.

use std::hash::BuildHasher;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use varbind::codec::message::message_version;
use varbind::engine::applications::command_generator::{
    Command, CommandGenerator, GeneratorConfiguration, GeneratorOutput, MessageProcessing,
    V3Parameters,
};
use varbind::engine::clock;
use varbind::engine::security::SecurityName;
use varbind::engine::security::usm::Credentials;
use varbind::transport::Transport;

use super::probe::sys_up_time;
use crate::arguments::SessionArguments;
use crate::session;

const PATIENCE: Duration = Duration::from_secs(2);

/// Asks once more, in SNMPv3 and in SNMPv2c, and returns who else answers.
pub(super) fn other_than_asked(session: &SessionArguments, user: &str) -> Option<SocketAddr> {
    let target = &session.target;
    if target.transport != Transport::Udp {
        return None;
    }
    let mut addresses = target.resolve(target.transport.agent_port()).ok()?;
    addresses.sort_by_key(SocketAddr::is_ipv6);
    let asked = *addresses.first()?;
    let any: SocketAddr = match asked {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).ok()?;
    let user = V3Parameters::user(SecurityName::new(user), Credentials::NoAuthNoPriv).ok()?;
    let community = session::community(&session.community).ok()?;
    for processing in [
        MessageProcessing::V3(Box::new(user)),
        MessageProcessing::V2c { community },
    ] {
        socket.send_to(&request(processing)?, asked).ok()?;
    }
    let until = Instant::now() + PATIENCE;
    let mut buffer = [0; 2048];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        // A time-out of zero is refused, which ends the waiting.
        socket.set_read_timeout(Some(left)).ok()?;
        let (length, from) = socket.recv_from(&mut buffer).ok()?;
        let is_snmp = message_version(buffer.get(..length)?).is_ok();
        if from != asked && is_snmp {
            return Some(from);
        }
    }
}

/// The first message of a session.
fn request(processing: MessageProcessing) -> Option<Vec<u8>> {
    let seed = std::hash::RandomState::new().hash_one(());
    let mut generator = CommandGenerator::new(GeneratorConfiguration::new(processing), seed);
    generator.send(Command::Get(&[sys_up_time().ok()?])).ok()?;
    let mut buffer = [0; 1472];
    match generator.poll_output(clock::Instant::ORIGIN, &mut buffer) {
        GeneratorOutput::Transmit(message) => Some(message.to_vec()),
        _ => None,
    }
}
