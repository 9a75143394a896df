use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use super::capture::Capture;
use super::device::Device;
use super::lane::End;
use super::{Channel, Fate, LaneStatistics, Lateness, LinkError, LinkOptions, LinkReport};
use crate::process::{Policy, set_policy};

/// The thread between both ends: it reads what one sends, decides on it, and delivers it to the other when it is due.
pub(super) struct Emulator {
    near: Device,
    far: Device,
    lanes: Vec<(Channel, Channel)>,
    began: Instant,
    on_the_way: BinaryHeap<Reverse<Packet>>,
    /// Packets so far: those that are due at the same time arrive in the order in which they were sent.
    packets: u64,
    /// Buffers that are used again.
    spare: Vec<Vec<u8>>,
    capture: Option<Capture>,
    lateness: Lateness,
    stopped: Arc<OwnedFd>,
}

/// Ends an emulator.
#[derive(Debug)]
pub(super) struct Stop(Arc<OwnedFd>);

impl Stop {
    pub(super) fn stop(&self) {
        let _ = rustix::io::write(&*self.0, &1_u64.to_ne_bytes());
    }
}

/// A packet on its way.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    due: u64,
    number: u64,
    to_far: bool,
    octets: Vec<u8>,
}

/// Packets read from one end before the other one has its turn.
const BATCH: usize = 64;
/// No packet is larger.
const LARGEST: usize = 65_536;
/// Where packets are many, those of this time are worked on together: waking for each costs more than passing it on.
const PAUSE: Duration = Duration::from_micros(50);
/// Buffers that are kept.
const SPARE: usize = 4096;

impl Emulator {
    pub(super) fn new(
        options: &LinkOptions,
        near: Device,
        far: Device,
    ) -> Result<(Self, Stop), LinkError> {
        let stopped = eventfd(0, EventfdFlags::CLOEXEC)
            .map_err(|error| LinkError::new("an event", error.into()))?;
        let stopped = Arc::new(stopped);
        let lanes = options.lanes.iter().zip(1..);
        let emulator = Self {
            near,
            far,
            lanes: lanes
                .map(|(model, lane)| {
                    model.channels(options.seed, if options.is_alike { 1 } else { lane })
                })
                .collect(),
            capture: options
                .capture
                .as_deref()
                .map(Capture::create)
                .transpose()?,
            began: Instant::now(),
            on_the_way: BinaryHeap::new(),
            packets: 0,
            spare: Vec::new(),
            lateness: Lateness::default(),
            stopped: Arc::clone(&stopped),
        };
        Ok((emulator, Stop(stopped)))
    }

    pub(super) fn run(mut self) -> Result<LinkReport, LinkError> {
        // Otherwise the kernel may wake us 50 us late, to save wake-ups.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        // A packet that is due must not wait for the programs at the ends. Without the privilege the link is late on a busy
        // machine; the report shows its lateness.
        let _ = set_policy(None, Policy::Fifo);
        let failed = |error| LinkError::new("forwarding", error);
        let mut buffer = vec![0; LARGEST];
        let mut traffic = Traffic::default();
        loop {
            self.deliver().map_err(failed)??;
            if traffic.is_heavy(self.now(), self.packets) {
                std::thread::sleep(PAUSE);
            }
            let ready = self.wait().map_err(failed)?;
            if ready.stopped {
                return self.finish();
            }
            if ready.near {
                self.take_in(End::Near, &mut buffer).map_err(failed)??;
            }
            if ready.far {
                self.take_in(End::Far, &mut buffer).map_err(failed)??;
            }
        }
    }

    fn finish(self) -> Result<LinkReport, LinkError> {
        let lanes = self.lanes.iter().map(|(forward, backward)| LaneStatistics {
            forward: *forward.statistics(),
            backward: *backward.statistics(),
        });
        let report = LinkReport {
            lanes: lanes.collect(),
            lateness: self.lateness,
        };
        self.capture.map_or(Ok(()), Capture::finish)?;
        Ok(report)
    }

    /// Nanoseconds since the link began.
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn wait(&self) -> io::Result<Ready> {
        let patience = self.on_the_way.peek().map(|Reverse(packet)| {
            let patience = Duration::from_nanos(packet.due.saturating_sub(self.now()));
            Timespec {
                tv_sec: patience.as_secs().cast_signed(),
                tv_nsec: patience.subsec_nanos().into(),
            }
        });
        let device = |device| PollFd::from_borrowed_fd(device, PollFlags::IN);
        let mut polled = [
            device(self.near.as_fd()),
            device(self.far.as_fd()),
            device(self.stopped.as_fd()),
        ];
        match poll(&mut polled, patience.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [near, far, stopped] = polled.map(|fd| !fd.revents().is_empty());
        Ok(Ready { near, far, stopped })
    }

    /// Reads what an end sends, and decides on it.
    fn take_in(&mut self, from: End, buffer: &mut [u8]) -> io::Result<Result<(), LinkError>> {
        for _ in 0..BATCH {
            let Some(length) = self.device(from).receive(buffer)? else {
                break;
            };
            let octets = buffer.get(..length).unwrap_or(&[]);
            if let Err(error) = self.offer(from, octets) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    fn offer(&mut self, from: End, octets: &[u8]) -> Result<(), LinkError> {
        let now = self.now();
        // Neighbour discovery and other multicasts are not part of an experiment.
        let lane = from.lane_of(octets).and_then(|lane| lane.checked_sub(1));
        let Some((forward, backward)) = lane.and_then(|at| self.lanes.get_mut(usize::from(at)))
        else {
            return Ok(());
        };
        let channel = match from {
            End::Near => forward,
            End::Far => backward,
        };
        let (due, copies) = match channel.offer(now, octets.len()) {
            Fate::Lost(_) => (now, 0),
            Fate::Arrives(due) => (due, 1),
            Fate::ArrivesTwice(due) => (due, 2),
        };
        for _ in 0..copies {
            let mut copy = self.spare.pop().unwrap_or_default();
            copy.clear();
            copy.extend_from_slice(octets);
            self.on_the_way.push(Reverse(Packet {
                due,
                number: self.packets,
                to_far: from == End::Near,
                octets: copy,
            }));
            self.packets += 1;
        }
        self.capture
            .as_mut()
            .map_or(Ok(()), |capture| capture.add(from, now, octets))
    }

    /// Delivers what is due.
    fn deliver(&mut self) -> io::Result<Result<(), LinkError>> {
        let mut now = self.now();
        while let Some(Reverse(next)) = self.on_the_way.peek() {
            if next.due > now {
                now = self.now();
                if next.due > now {
                    break;
                }
            }
            let Some(Reverse(packet)) = self.on_the_way.pop() else {
                break;
            };
            let to = if packet.to_far { End::Far } else { End::Near };
            self.device(to).send(&packet.octets)?;
            self.lateness.add(Duration::from_nanos(now - packet.due));
            let captured = self
                .capture
                .as_mut()
                .map_or(Ok(()), |capture| capture.add(to, now, &packet.octets));
            if captured.is_err() {
                return Ok(captured);
            }
            if self.spare.len() < SPARE {
                self.spare.push(packet.octets);
            }
        }
        Ok(Ok(()))
    }

    const fn device(&self, end: End) -> &Device {
        match end {
            End::Near => &self.near,
            End::Far => &self.far,
        }
    }
}

/// How many packets there are, by which it is chosen whether each of them wakes the thread, or several together.
#[derive(Default)]
struct Traffic {
    since: u64,
    packets: u64,
    is_heavy: bool,
}

impl Traffic {
    /// How long is counted, in nanoseconds.
    const PERIOD: u64 = 1_000_000;
    /// From so many in that time: more than programs bring about that wait for each answer.
    const HEAVY: u64 = 64;

    /// Whether many packets came of late; `packets` is how many there were so far.
    const fn is_heavy(&mut self, now: u64, packets: u64) -> bool {
        let elapsed = now.saturating_sub(self.since);
        if elapsed >= Self::PERIOD {
            let came = packets.saturating_sub(self.packets);
            *self = Self {
                since: now,
                packets,
                is_heavy: came >= Self::HEAVY * (elapsed / Self::PERIOD),
            };
        }
        self.is_heavy
    }
}

/// What there is to do.
struct Ready {
    near: bool,
    far: bool,
    stopped: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_is_heavy_from_64_packets_in_a_millisecond() {
        let mut traffic = Traffic::default();
        assert!(!traffic.is_heavy(500_000, 1_000));
        assert!(traffic.is_heavy(1_000_000, 64));
        // Until the next millisecond is over.
        assert!(traffic.is_heavy(1_900_000, 64));
        assert!(!traffic.is_heavy(2_000_000, 127));
        assert!(!traffic.is_heavy(5_000_000, 127 + 3 * 64 - 1));
        assert!(traffic.is_heavy(8_000_000, 127 + 6 * 64));
        assert!(!traffic.is_heavy(u64::MAX, 127 + 6 * 64));
    }
}
