use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{io, thread};

use super::{Measured, Workload};
use crate::session::{Packet, PacketCounter};

/// How often the packets are fetched: before the kernel's queue is full.
const FETCH: Duration = Duration::from_micros(500);

impl Workload {
    /// Does the work once, and returns every packet that belonged to it. `None` if packets cannot be captured.
    pub(crate) fn packets(&self) -> Option<(Measured, Vec<Packet>)> {
        let counter = PacketCounter::start(self.target.address).ok()?;
        // So that one that resumes has something to resume, and caches are filled.
        self.warm_up(1).ok()?;
        self.wait_for_late_packets();
        counter.count().ok()?;
        let has_ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let seen = scope.spawn(|| fetch(&counter, &has_ended));
            let measured = self.run();
            self.wait_for_late_packets();
            has_ended.store(true, Ordering::Relaxed);
            let packets = seen.join().ok()?.ok()?;
            Some((measured.ok()?, packets))
        })
    }
}

fn fetch(counter: &PacketCounter, has_ended: &AtomicBool) -> io::Result<Vec<Packet>> {
    let mut packets = Vec::new();
    loop {
        let is_last = has_ended.load(Ordering::Relaxed);
        counter.each(|packet| packets.push(packet))?;
        if is_last {
            return Ok(packets);
        }
        thread::sleep(FETCH);
    }
}
