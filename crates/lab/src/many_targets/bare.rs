use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use varbind::transport::udp::{BatchSocket, ReceiveBatch, SendBatch};
use varbind_codec::ber::Writer;
use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_codec::smi::ValueRef;

use super::client::{SYS_UP_TIME, processor_time};
use super::{FIRST, IN_FLIGHT, Order, TargetsRun};
use crate::subject::READ_COMMUNITY;

/// Datagrams of one system call.
const BATCH: usize = 64;
/// Stands where the request-id goes.
const MARK: i32 = 0x5a5b_5c5d;
/// After this time without an answer, what is in flight counts as lost.
const PATIENCE: Duration = Duration::from_millis(200);

/// Asks all targets by a loop of system calls. Nothing of an answer is looked at but where it comes from.
pub(super) fn run(order: &Order) -> io::Result<TargetsRun> {
    let socket = BatchSocket::open_unconnected((Ipv4Addr::UNSPECIFIED, 0).into())?;
    let (template, id_at) = template()?;
    let mut received = ReceiveBatch::new(BATCH);
    let (mut sends, mut arena) = (SendBatch::default(), Vec::new());
    let mut idle: VecDeque<u32> = (0..order.targets).collect();
    let (mut in_flight, mut gets, mut lost) = (0_usize, 0_u64, 0_u64);
    let mut id = 1_u32 << 23;
    let (begun, before) = (Instant::now(), processor_time());
    while begun.elapsed() < order.duration() {
        while in_flight < IN_FLIGHT
            && sends.len() < BATCH
            && let Some(number) = idle.pop_front()
        {
            let start = arena.len();
            arena.extend_from_slice(&template);
            if let Some(place) = arena.get_mut(start + id_at..start + id_at + 4) {
                place.copy_from_slice(&id.to_be_bytes());
            }
            id += 1;
            sends.push_to(order.target(number), start..arena.len());
            in_flight += 1;
        }
        socket.send(&mut sends, &arena)?;
        arena.clear();
        match socket.try_receive(&mut received) {
            Ok(()) => {
                for datagram in received.datagrams() {
                    if let Some(number) = number_of(datagram.remote, order.targets) {
                        idle.push_back(number);
                        in_flight = in_flight.saturating_sub(1);
                        gets += 1;
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if !wait(&socket)? {
                    lost += in_flight as u64;
                    in_flight = 0;
                    idle = (0..order.targets).collect();
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(TargetsRun {
        gets,
        cpu: processor_time() - before,
        repeated: lost,
        ..TargetsRun::new(order.load, order.targets)
    })
}

/// A Get of sysUpTime.0, and where in it the request-id is.
fn template() -> io::Result<(Vec<u8>, usize)> {
    let mut buffer = [0; 128];
    let invalid = |_| io::Error::from(io::ErrorKind::InvalidData);
    let mut writer = Writer::new(&mut buffer, 64).map_err(invalid)?;
    let written = (|| {
        writer.append_var_bind(SYS_UP_TIME.arcs(), ValueRef::Null)?;
        writer.prepend_pdu(PduType::GetRequest, MARK, 0, 0)?;
        writer.prepend_community_header(Version::V2c, READ_COMMUNITY.as_bytes())
    })();
    written.map_err(invalid)?;
    let message = writer.written().to_vec();
    let mark = MARK.to_be_bytes();
    let at = message.windows(4).position(|octets| octets == mark);
    Ok((message, at.unwrap_or(0)))
}

fn number_of(source: SocketAddr, targets: u32) -> Option<u32> {
    let IpAddr::V4(address) = source.ip() else {
        return None;
    };
    let number = u32::from(address).checked_sub(u32::from(FIRST))?;
    (number < targets).then_some(number)
}

/// Whether something has come in time.
fn wait(socket: &BatchSocket) -> io::Result<bool> {
    let mut files = [PollFd::new(socket, PollFlags::IN)];
    let timeout = Timespec::try_from(PATIENCE).ok();
    Ok(poll(&mut files, timeout.as_ref())? > 0)
}
