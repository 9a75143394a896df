//! Requests that wait, for stable storage, other programs or other agents. Threads of their own carry them out; what is
//! passed on to another agent needs none.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::sync::Arc;

use varbind_engine::applications::command_responder::Workspace;
use varbind_engine::applications::proxy_forwarder::{ForwardedResponse, ProxyTarget};
use varbind_engine::dispatcher::{DispatchOutcome, response_buffer_length};
use varbind_engine::message_processing::DeferredRequest;

use super::AgentEngine;
use super::read_pool::ReadPool;
use super::set_worker::SetQueue;
use crate::transport::udp::{BatchSocket, LocalAddress};

/// A request to be carried out.
pub(super) struct Job {
    pub(super) request: Box<DeferredRequest>,
    pub(super) remote: SocketAddr,
    pub(super) reply: ReplyPath,
}

/// The way back.
pub(super) enum ReplyPath {
    Udp {
        socket: Arc<BatchSocket>,
        local: Option<LocalAddress>,
    },
    /// Dropped without an answer if there is none.
    Session(tokio::sync::oneshot::Sender<Vec<u8>>),
}

/// The way to the threads that may wait.
#[derive(Clone)]
pub(super) struct Deferred {
    pub(super) sets: SetQueue,
    pub(super) reads: Arc<ReadPool>,
    pub(super) engine: Arc<AgentEngine>,
}

impl Deferred {
    /// Adds a request, if not too many wait.
    pub(super) fn offer(&self, job: Job) -> bool {
        if let Some(target) = job.request.proxy_target() {
            let target = Arc::clone(target);
            self.forward(&*target, job);
            true
        } else if job.request.is_set() {
            self.sets.offer(job)
        } else {
            self.reads.offer(job)
        }
    }

    /// Adds a request of a session, which waits for the answer: no more SetRequests can wait than there are sessions.
    pub(super) fn push(&self, job: Job) {
        if job.request.is_set() && job.request.proxy_target().is_none() {
            self.sets.push(job);
        } else {
            // Without a place it is dropped, and with it the way back.
            self.offer(job);
        }
    }

    /// Passes a request on. Its response is sent by whoever brings it.
    fn forward(&self, target: &dyn ProxyTarget, job: Job) {
        let request = job.request.forwarded();
        let reads = Arc::clone(&self.reads);
        let engine = Arc::clone(&self.engine);
        let forwarded = reads.note_forwarded();
        let reply = move |response: ForwardedResponse| {
            let _forwarded = forwarded;
            if let Some(job) = engine.answer_forwarded(job, &response)
                && !reads.offer(job)
            {
                log::debug!("too many requests wait, one that was passed on is dropped");
            }
        };
        target.forward(request, Box::new(reply));
    }

    /// Waits until the requests that were added before are answered.
    pub(super) fn wait(&self) {
        self.sets.wait();
        self.reads.wait();
    }
}

impl AgentEngine {
    /// Sends the response to a request that was passed on. Returns the request if its objects are to be asked one by one.
    fn answer_forwarded(&self, job: Job, response: &ForwardedResponse) -> Option<Job> {
        let local = self.local.load_full();
        let now = self.clock.now();
        self.with_response_buffer(|buffer| {
            let outcome =
                self.dispatcher
                    .respond_forwarded(&local, now, &job.request, response, buffer);
            let Some(outcome) = outcome else {
                return Some(job);
            };
            self.respond(job, &outcome, buffer);
            None
        })
    }

    /// Carries a request out, and answers it.
    pub(super) fn carry_out(&self, job: Job, workspace: &mut Workspace) {
        let local = self.local.load_full();
        let now = self.clock.now();
        self.with_response_buffer(|buffer| {
            let outcome = self
                .dispatcher
                .carry_out(&local, now, &job.request, workspace, buffer);
            self.respond(job, &outcome, buffer);
        });
    }

    /// Calls `fill` with a buffer of the thread that takes any response within the limit.
    fn with_response_buffer<T>(&self, fill: impl FnOnce(&mut [u8]) -> T) -> T {
        BUFFER.with_borrow_mut(|buffer| {
            buffer.resize(response_buffer_length(self.limits.load().message), 0);
            fill(buffer)
        })
    }

    fn respond(&self, job: Job, outcome: &DispatchOutcome, buffer: &[u8]) {
        self.note_discard(job.remote, outcome);
        if let Some(range) = outcome.answer()
            && let Some(response) = buffer.get(range)
        {
            job.reply.send(response, job.remote);
        }
    }
}

impl ReplyPath {
    fn send(self, response: &[u8], remote: SocketAddr) {
        match self {
            Self::Udp { socket, local } => {
                if let Err(error) = socket.send_one(response, remote, local) {
                    log::debug!("{remote}: the response could not be sent: {error}");
                }
            }
            // The session may have ended meanwhile.
            Self::Session(session) => drop(session.send(response.to_vec())),
        }
    }
}

thread_local! {
    /// Kept between requests, because cleared memory for the largest response costs more than most requests.
    static BUFFER: RefCell<Vec<u8>> = RefCell::default();
}
