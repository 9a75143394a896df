use std::cell::RefCell;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::oneshot;
use varbind_engine::applications::notification_receiver::{
    Delivery, ReceiverLoss, ReceiverOutcome, ReceiverStatistics, response_buffer_length,
};

use super::receipt::{PendingResponse, Receipt, Route};
use super::{Arrived, Shared};
use crate::transport::Transport;
use crate::transport::session::{Answer, Peer, SessionLimits, SessionService};

/// The notification receiver behind its sessions over streams and DTLS.
pub(super) struct ReceiverSessions {
    shared: Arc<Shared>,
    statistics: Vec<(Transport, Arc<ReceiverStatistics>)>,
}

impl ReceiverSessions {
    /// Counts what comes over each of these transports.
    pub(super) fn new(shared: Arc<Shared>, transports: &[Transport]) -> Self {
        let statistics = transports.iter().map(|it| (*it, Arc::default()));
        Self {
            shared,
            statistics: statistics.collect(),
        }
    }

    /// What came over a transport.
    pub(super) fn statistics(&self, transport: Transport) -> Arc<ReceiverStatistics> {
        let mut known = self.statistics.iter();
        let found = known.find(|(known, _)| *known == transport);
        found
            .map(|(_, statistics)| Arc::clone(statistics))
            .unwrap_or_default()
    }

    /// Puts a notification into the queue. Nothing more is read from a session until its notification has a place there,
    /// nor until its inform is delivered.
    fn deliver(
        &self,
        transport: Transport,
        delivery: Delivery,
        response: &[u8],
        statistics: Arc<ReceiverStatistics>,
    ) -> Answer {
        let (pending, delivered) = match delivery.acknowledgement {
            Some(acknowledgement) => {
                let (session, delivered) = oneshot::channel();
                let pending = PendingResponse {
                    acknowledgement,
                    octets: response.to_vec(),
                    route: Route::Session(session),
                };
                (Some(pending), Some(delivered))
            }
            None => (None, None),
        };
        let arrived = Arrived {
            time: SystemTime::now(),
            transport,
            received: delivery.received,
            receipt: Receipt::new(self.shared.account(statistics), pending),
        };
        match (self.shared.queue.offer(arrived), delivered) {
            (Ok(()), None) => Answer::Done,
            (Ok(()), Some(delivered)) => {
                Answer::Later(Box::pin(async move { delivered.await.ok() }))
            }
            (Err(arrived), delivered) => {
                let shared = Arc::clone(&self.shared);
                Answer::Later(Box::pin(async move {
                    shared.queue.push(arrived).await.ok()?;
                    delivered?.await.ok()
                }))
            }
        }
    }
}

impl SessionService for ReceiverSessions {
    fn limits(&self) -> SessionLimits {
        self.shared.limits.sessions()
    }

    fn answer(&self, peer: Peer<'_>, message: &[u8], output: &mut Vec<u8>) -> Answer {
        let (transport, remote) = (peer.transport, peer.address);
        BUFFER.with_borrow_mut(|buffer| {
            buffer.resize(response_buffer_length(self.shared.limits.message), 0);
            let received = self.shared.received(peer, message);
            let outcome = self.shared.engine.handle_message(&received, buffer);
            let statistics = self.statistics(transport);
            statistics.count_message(&outcome);
            match outcome {
                ReceiverOutcome::Deliver(delivery) => {
                    let range = delivery.acknowledgement.as_ref().map(|it| it.range.clone());
                    let response = range.and_then(|range| buffer.get(range)).unwrap_or(&[]);
                    self.deliver(transport, *delivery, response, statistics)
                }
                ReceiverOutcome::Respond(range, discard) => {
                    log::debug!("{transport}:{remote}: {discard}");
                    output.extend_from_slice(buffer.get(range).unwrap_or(&[]));
                    Answer::Refused
                }
                ReceiverOutcome::Discarded(discard) => {
                    log::debug!("{transport}:{remote}: {discard}");
                    Answer::Refused
                }
            }
        })
    }

    fn note_broken_stream(&self) {
        let statistics = self.shared.engine.statistics();
        statistics.count_lost(ReceiverLoss::Malformed, 1);
    }
}

thread_local! {
    /// All sessions run on one thread, and none keeps the buffer while it waits.
    static BUFFER: RefCell<Vec<u8>> = RefCell::default();
}
