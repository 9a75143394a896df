//! Traps of devices, at a rate.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use varbind::transport::udp::{BatchSocket, LocalAddress};
use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::Version;
use varbind_codec::oid;
use varbind_codec::pdu::PduType;
use varbind_codec::smi::{Oid, Value, ValueRef};

use super::Shared;
use super::counts::Count;
use crate::device::{Device, Kind, Traps};
use crate::simulation::Simulation;

const SYS_UP_TIME: Oid = oid!("1.3.6.1.2.1.1.3.0");
const SNMP_TRAP_OID: Oid = oid!("1.3.6.1.6.3.1.1.4.1.0");
/// The notifications of devices: coldStart, linkDown, linkUp, authenticationFailure (SNMPv2-MIB, IF-MIB).
static NOTIFICATIONS: [Oid; 4] = [
    oid!("1.3.6.1.6.3.1.1.5.1"),
    oid!("1.3.6.1.6.3.1.1.5.3"),
    oid!("1.3.6.1.6.3.1.1.5.4"),
    oid!("1.3.6.1.6.3.1.1.5.5"),
];
/// The most traps that are sent at once when the thread was late.
const MOST_AT_ONCE: f64 = 10_000.0;

/// The thread that sends traps. Dropped, it ends.
pub(super) struct TrapSender {
    closing: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

/// The traps of one group.
struct Source {
    group: usize,
    traps: Traps,
    /// Traps a second of all its devices.
    rate: f64,
    sent: u64,
}

impl TrapSender {
    /// Whether any device sends traps.
    pub(super) fn is_needed(simulation: &Simulation) -> bool {
        !sources(simulation).is_empty()
    }

    pub(super) fn start(shared: Arc<Shared>, socket: Arc<BatchSocket>) -> io::Result<Self> {
        let closing = Arc::<(Mutex<bool>, Condvar)>::default();
        let closed = Arc::clone(&closing);
        let name = "varbind-traps".to_owned();
        let thread = Builder::new()
            .name(name)
            .spawn(move || run(&shared, &socket, &closed))?;
        Ok(Self {
            closing,
            thread: Some(thread),
        })
    }
}

impl Drop for TrapSender {
    fn drop(&mut self) {
        let (closing, changed) = &*self.closing;
        *closing.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn sources(simulation: &Simulation) -> Vec<Source> {
    let groups = simulation.fleet.groups().iter().enumerate();
    let source = |(group, settings): (usize, &crate::device::DeviceGroup)| {
        let traps = settings
            .faults
            .traps
            .clone()
            .filter(|traps| traps.rate > 0.0)?;
        Some(Source {
            group,
            rate: traps.rate * f64::from(settings.count()),
            traps,
            sent: 0,
        })
    };
    groups.filter_map(source).collect()
}

fn run(shared: &Shared, socket: &BatchSocket, (closing, changed): &(Mutex<bool>, Condvar)) {
    let simulation = shared.simulation.load_full();
    let mut sources = sources(&simulation);
    let begun = Instant::now();
    let total: f64 = sources.iter().map(|source| source.rate).sum();
    let pause = Duration::from_secs_f64((1.0 / total.max(0.001)).clamp(0.001, 0.1));
    let mut closed = closing.lock().unwrap_or_else(PoisonError::into_inner);
    while !*closed {
        for source in &mut sources {
            source.send_due(begun.elapsed(), shared, &simulation, socket);
        }
        let waited = changed.wait_timeout(closed, pause);
        closed = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

impl Source {
    fn send_due(
        &mut self,
        elapsed: Duration,
        shared: &Shared,
        simulation: &Simulation,
        socket: &BatchSocket,
    ) {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number is not negative, and the conversion saturates"
        )]
        let due = (elapsed.as_secs_f64() * self.rate) as u64;
        #[allow(clippy::cast_precision_loss, reason = "it is a bound")]
        if (due - self.sent) as f64 > MOST_AT_ONCE {
            log::warn!("{} traps are late, and left out", due - self.sent);
            shared.counts.add(Count::UnsentTraps, due - self.sent);
            self.sent = due;
        }
        while self.sent < due {
            let count = simulation
                .fleet
                .groups()
                .get(self.group)
                .map_or(1, crate::device::DeviceGroup::count);
            let place = u32::try_from(self.sent % u64::from(count.max(1))).unwrap_or_default();
            if let Some(device) = simulation.fleet.in_group(self.group, place)
                && device.is_faulty()
            {
                match self.send(&device, shared, socket) {
                    Ok(()) => shared.counts.count(Count::Traps),
                    Err(error) => {
                        shared.counts.count(Count::UnsentTraps);
                        log::debug!("a trap to {} could not be sent: {error}", self.traps.to);
                    }
                }
            }
            self.sent += 1;
        }
    }

    fn send(&self, device: &Device<'_>, shared: &Shared, socket: &BatchSocket) -> io::Result<()> {
        let mut buffer = [0; 512];
        let message = self.message(device, shared, &mut buffer);
        let message = message.map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let to: SocketAddr = self.traps.to;
        let local = device
            .address()
            .filter(|address| address.is_ipv4() == to.is_ipv4());
        socket.send_one(message, to, local.map(LocalAddress::from))
    }

    fn message<'b>(
        &self,
        device: &Device<'_>,
        shared: &Shared,
        buffer: &'b mut [u8],
    ) -> Result<&'b [u8], EncodeError> {
        let (_, since) = device.restarts(shared.clock.now());
        let ticks = u32::try_from(since.as_millis() / 10 % (1 << 32)).unwrap_or_default();
        let draw = device.draw(Kind::Trap, self.sent);
        let kind = NOTIFICATIONS.get((draw % 4) as usize);
        let kind = kind.map_or(Value::Null, Value::from);
        let headroom = 64 + self.traps.community.len();
        let range = {
            let mut writer = Writer::new(buffer, headroom)?;
            writer.append_var_bind(SYS_UP_TIME.arcs(), ValueRef::TimeTicks(ticks))?;
            writer.append_var_bind(SNMP_TRAP_OID.arcs(), kind.as_value_ref())?;
            let id = i32::try_from(self.sent & 0x7fff_ffff).unwrap_or_default();
            writer.prepend_pdu(PduType::TrapV2, id, 0, 0)?;
            writer.prepend_community_header(Version::V2c, self.traps.community.as_bytes())?;
            writer.range()
        };
        buffer.get(range).ok_or(EncodeError::BufferFull)
    }
}
