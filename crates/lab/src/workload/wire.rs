use std::time::Duration;

use super::exchange::Exchanger;
use super::{Measured, Messages, Workload};
use crate::measurement::{Outcome, TransportKind, Wire, WireResult};
use crate::security::TransportSession;
use crate::session::{PacketCounter, Session};

/// How long the kernel may put off an acknowledgement, and more.
pub(crate) const LATE: Duration = Duration::from_millis(60);
/// Exchanges after the first.
pub(crate) const FURTHER: u32 = 10;

impl Workload {
    /// Counts the packets of a session of one exchange, and of the further exchanges of a longer one. `None` if packets cannot
    /// be seen, or a session fails.
    pub(crate) fn wire(&self) -> Option<WireResult> {
        let counter = PacketCounter::start(self.target.address).ok()?;
        // So that one that resumes has something to resume.
        self.counted_session(&counter, 0)?;
        let (_, ten_exchanges) = self.counted_session(&counter, FURTHER)?;
        let (one_exchange, _) = self.counted_session(&counter, 0)?;
        Some(WireResult {
            one_exchange,
            ten_exchanges,
        })
    }

    /// After a session: plain UDP has no acknowledgements, and closes nothing.
    pub(super) fn wait_for_late_packets(&self) {
        if self.target.transport != TransportKind::Udp {
            std::thread::sleep(LATE);
        }
    }

    /// Opens a session, asks, and leaves it without waiting for the answer; `false` if that was not possible.
    pub(crate) fn abandon(&self) -> bool {
        let silence = self.timeout * (self.retries + 1);
        let Ok(mut session) = Session::open(self.target, silence, self.access.as_ref()) else {
            return false;
        };
        // A request that needs no engine to be known.
        let mut engine = TransportSession::new(self.target.transport.security_level());
        let asked = engine.send_probe(&mut session);
        drop(session);
        asked
    }

    /// What one exchange takes with opening and closing, and what `further` ones take.
    fn counted_session(&self, counter: &PacketCounter, further: u32) -> Option<(Wire, Wire)> {
        let Messages::Templates {
            mut templates,
            expectation,
        } = self.messages().ok()?
        else {
            return None;
        };
        let mut discovery = self.discovery();
        let secured = self.secured(discovery.as_ref());
        let silence = self.timeout * (self.retries + 1);
        counter.count().ok()?;
        let session = Session::open(self.target, silence, self.access.as_ref()).ok()?;
        let mut exchanger = Exchanger::new(session, secured, self, silence);
        exchanger.discover(discovery.as_mut())?;
        let mut measured = Measured::default();
        let mut exchange = |count| {
            exchanger.closed_loop(&mut templates, &expectation, count, &mut measured);
            counter.count().ok()
        };
        let first = exchange(1)?;
        let ten = exchange(further)?;
        let session = exchanger.finish(&mut measured);
        session.close();
        self.wait_for_late_packets();
        let close = counter.count().ok()?;
        let failed = Outcome::failed(&measured.outcome) > 0;
        (!failed).then_some((first.plus(&close), ten))
    }
}
