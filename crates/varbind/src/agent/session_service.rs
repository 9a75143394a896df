use std::cell::RefCell;
use std::sync::Arc;

use tokio::sync::oneshot;
use varbind_engine::applications::command_responder::Workspace;
use varbind_engine::dispatcher::{DispatchOutcome, response_buffer_length};
use varbind_engine::message_processing::DeferredRequest;
use varbind_engine::transport::{Received, WaitHandling};

use super::AgentEngine;
use super::deferred::{Deferred, Job, ReplyPath};
use crate::transport::session::{Answer, LaterAnswer, Peer, SessionLimits, SessionService};

/// The agent behind its sessions over streams.
pub(super) struct AgentSessions {
    engine: Arc<AgentEngine>,
    deferred: Deferred,
}

impl AgentSessions {
    pub(super) const fn new(engine: Arc<AgentEngine>, deferred: Deferred) -> Self {
        Self { engine, deferred }
    }

    /// Has a request carried out. Its session waits for it: a session's requests are answered in their order.
    fn carry_out(&self, peer: Peer<'_>, request: Box<DeferredRequest>) -> LaterAnswer {
        let (reply, response) = oneshot::channel();
        self.deferred.push(Job {
            request,
            remote: peer.address,
            reply: ReplyPath::Session(reply),
        });
        Box::pin(async { response.await.ok() })
    }
}

impl SessionService for AgentSessions {
    fn limits(&self) -> SessionLimits {
        self.engine.limits.load().sessions()
    }

    fn answer(&self, peer: Peer<'_>, message: &[u8], output: &mut Vec<u8>) -> Answer {
        let engine = &self.engine;
        let limits = engine.limits.load().session(peer.transport);
        let received = Received {
            now: engine.clock.now(),
            remote: peer.address,
            message,
            limits,
            waits: WaitHandling::Defer,
            transport_state: peer.transport_state,
        };
        let local = engine.local.load();
        let outcome = DESK.with_borrow_mut(|desk| {
            let Desk { workspace, buffer } = desk;
            buffer.resize(response_buffer_length(limits.message), 0);
            let outcome = engine
                .dispatcher
                .handle_message(&local, &received, workspace, buffer);
            if let Some(range) = outcome.answer() {
                output.extend_from_slice(buffer.get(range).unwrap_or(&[]));
            }
            outcome
        });
        engine.note_discard(peer.address, &outcome);
        match outcome {
            DispatchOutcome::Respond(_) => Answer::Done,
            DispatchOutcome::Deferred(request) => Answer::Later(self.carry_out(peer, request)),
            DispatchOutcome::Report(..) | DispatchOutcome::Discarded(_) => Answer::Refused,
        }
    }
}

/// What a request needs while it is processed.
#[derive(Default)]
struct Desk {
    workspace: Workspace,
    buffer: Vec<u8>,
}

thread_local! {
    /// All sessions run on one thread, and none keeps the desk while it waits.
    static DESK: RefCell<Desk> = RefCell::default();
}
