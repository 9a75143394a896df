use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use varbind_engine::applications::command_responder::Workspace;
use varbind_engine::dispatcher::Outcome;
use varbind_engine::transport::{Received, ResponseLimits, SetHandling};

use super::{AgentEngine, log_discard, response_buffer, spawn};
use crate::transport::udp::{BatchSocket, LocalAddress};

/// SetRequests that wait; a manager whose request finds no place will send it again.
const QUEUE: usize = 256;

/// A SetRequest to be carried out.
pub(super) struct SetJob {
    pub(super) message: Vec<u8>,
    pub(super) remote: SocketAddr,
    pub(super) limits: ResponseLimits,
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

/// The thread that carries out SetRequests, one after the other.
pub(super) struct SetWorker {
    queue: SyncSender<SetJob>,
    thread: JoinHandle<()>,
}

impl SetWorker {
    pub(super) fn start(engine: Arc<AgentEngine>) -> io::Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE);
        let thread = spawn("varbind-set", move || work(&engine, &jobs))?;
        Ok(Self { queue, thread })
    }

    pub(super) fn queue(&self) -> SyncSender<SetJob> {
        self.queue.clone()
    }

    /// Carries out what waits. The listeners, which hold the other ends of the queue, must be gone.
    pub(super) fn drain(self) {
        drop(self.queue);
        let _ = self.thread.join();
    }
}

fn work(engine: &AgentEngine, jobs: &Receiver<SetJob>) {
    let mut workspace = Workspace::default();
    while let Ok(job) = jobs.recv() {
        let mut buffer = response_buffer(&engine.limits.load());
        let received = Received {
            now: engine.clock.now(),
            remote: job.remote,
            message: &job.message,
            limits: job.limits,
            sets: SetHandling::Now,
        };
        let local = engine.local.load_full();
        let outcome =
            engine
                .dispatcher
                .handle_message(&local, &received, &mut workspace, &mut buffer);
        log_discard(job.remote, &outcome);
        if let Outcome::Respond(range) = outcome
            && let Some(response) = buffer.get(range)
        {
            respond(job.reply, response, job.remote);
        }
    }
}

fn respond(path: ReplyPath, response: &[u8], remote: SocketAddr) {
    match path {
        ReplyPath::Udp { socket, local } => {
            if let Err(error) = socket.send_one(response, remote, local) {
                log::debug!("{remote}: the response could not be sent: {error}");
            }
        }
        ReplyPath::Session(session) => {
            // The session may have ended meanwhile.
            let _ = session.send(response.to_vec());
        }
    }
}
