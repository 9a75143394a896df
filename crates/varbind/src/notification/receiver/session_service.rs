use std::cell::RefCell;
use std::sync::Arc;
use std::time::SystemTime;

use varbind_engine::applications::notification_receiver::{
    Delivery, Loss, Outcome, response_buffer_length,
};

use super::{Arrived, Shared};
use crate::transport::Transport;
use crate::transport::session::{Answer, Peer, SessionLimits, SessionService};

/// The notification receiver behind its sessions over streams.
pub(super) struct ReceiverSessions {
    shared: Arc<Shared>,
}

impl ReceiverSessions {
    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    fn deliver(
        &self,
        transport: Transport,
        delivery: Delivery,
        response: &[u8],
        output: &mut Vec<u8>,
    ) -> Answer {
        let Delivery {
            received,
            acknowledgement,
        } = delivery;
        let arrived = Arrived {
            time: SystemTime::now(),
            transport,
            received,
        };
        let shared = &self.shared;
        match shared.queue.offer(arrived) {
            Ok(()) => {
                shared
                    .engine
                    .delivered(shared.clock.now(), acknowledgement.as_ref());
                output.extend_from_slice(response);
                Answer::Done
            }
            Err(arrived) => {
                let shared = Arc::clone(shared);
                let response = response.to_vec();
                Answer::Later(Box::pin(async move {
                    if shared.queue.push(arrived).await.is_err() {
                        shared.engine.dropped();
                        return None;
                    }
                    shared
                        .engine
                        .delivered(shared.clock.now(), acknowledgement.as_ref());
                    Some(response)
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
            match self.shared.engine.handle_message(&received, buffer) {
                Outcome::Deliver(delivery) => {
                    let range = delivery.acknowledgement.as_ref().map(|it| it.range.clone());
                    let response = range.and_then(|range| buffer.get(range)).unwrap_or(&[]);
                    self.deliver(peer.transport, *delivery, response, output)
                }
                Outcome::Respond(range, discard) => {
                    log::debug!("{transport}:{remote}: {discard}");
                    output.extend_from_slice(buffer.get(range).unwrap_or(&[]));
                    Answer::Refused
                }
                Outcome::Discarded(discard) => {
                    log::debug!("{transport}:{remote}: {discard}");
                    Answer::Refused
                }
            }
        })
    }

    fn note_broken_stream(&self) {
        let statistics = self.shared.engine.statistics();
        statistics.count_lost(Loss::Malformed, 1);
    }
}

thread_local! {
    /// All sessions run on one thread, and none keeps the buffer while it waits.
    static BUFFER: RefCell<Vec<u8>> = RefCell::default();
}
