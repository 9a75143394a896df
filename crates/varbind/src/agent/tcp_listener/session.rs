use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use varbind_codec::ber::{FrameLength, frame_length};
use varbind_engine::applications::command_responder::Workspace;
use varbind_engine::dispatcher::{Outcome, response_buffer_length};
use varbind_engine::transport::{Received, SetHandling};

use super::Admission;
use crate::agent::limits::Limits;
use crate::agent::log_discard;
use crate::agent::set_worker::{ReplyPath, SetJob};

/// Octets read at once.
const READ: usize = 4096;
/// Octets of answers that are collected before they are sent.
const COLLECTED: usize = 32 * 1024;

/// One TCP session (RFC 3430).
///
/// Invariant: it holds no more than one message that has not arrived whole and the answers to what one read brought,
/// whatever the peer does; it reads on only when the peer has taken the answers.
pub(super) struct Session {
    stream: TcpStream,
    remote: SocketAddr,
    admission: Admission,
    input: Vec<u8>,
    output: Vec<u8>,
    /// Since when the message at the beginning of the input is awaited whole.
    incomplete_since: Option<Instant>,
}

/// Why a session ended.
enum End {
    /// The peer closed it, or the agent stops.
    Closed,
    /// The peer is silent or does not take its answers.
    TimedOut(&'static str),
    /// What arrives is no SNMP, or a message above the limit: the stream cannot be read further.
    OutOfStep(&'static str),
    Failed(io::Error),
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl Session {
    pub(super) const fn new(stream: TcpStream, remote: SocketAddr, admission: Admission) -> Self {
        Self {
            stream,
            remote,
            admission,
            input: Vec::new(),
            output: Vec::new(),
            incomplete_since: None,
        }
    }

    pub(super) async fn run(mut self) {
        let remote = self.remote;
        match self.serve().await {
            Ok(()) | Err(End::Closed) => {}
            Err(End::TimedOut(what)) => log::debug!("tcp:{remote}: closed, {what}"),
            Err(End::OutOfStep(what)) => {
                log::info!("tcp:{remote}: closed, {what}");
                // What came before was good.
                let _ = self.write(&self.limits()).await;
            }
            Err(End::Failed(error)) => log::debug!("tcp:{remote}: {error}"),
        }
        let _ = self.stream.shutdown().await;
    }

    async fn serve(&mut self) -> Result<(), End> {
        loop {
            let limits = self.limits();
            self.read(&limits).await?;
            let mut done = 0;
            while let Some(length) = self.next_message(done, &limits)? {
                self.answer(done..done + length, &limits).await?;
                done += length;
                if self.output.len() > COLLECTED {
                    self.write(&limits).await?;
                }
            }
            self.input.drain(..done);
            self.write(&limits).await?;
            if self.input.is_empty() {
                // An idle session keeps no buffers.
                self.input = Vec::new();
                self.output = Vec::new();
                self.incomplete_since = None;
            } else if done > 0 || self.incomplete_since.is_none() {
                self.incomplete_since = Some(Instant::now());
            }
        }
    }

    fn limits(&self) -> Arc<Limits> {
        self.admission.shared.engine.limits.load_full()
    }

    async fn read(&mut self, limits: &Limits) -> Result<(), End> {
        let (patience, what) = match self.incomplete_since {
            None => (limits.tcp_idle, "idle for too long"),
            Some(since) => (
                limits.tcp_message.saturating_sub(since.elapsed()),
                "a message took too long to arrive",
            ),
        };
        let mut closing = self.admission.shared.closing.clone();
        let Self { stream, input, .. } = self;
        let closing = async {
            let _ = closing.wait_for(|closing| *closing).await;
        };
        let read = tokio::select! {
            biased;
            read = timeout(patience, read_some(stream, input)) => Some(read),
            () = closing => None,
        };
        let Some(read) = read else {
            // What has arrived is answered, and the runtime may not have looked for it yet.
            tokio::task::yield_now().await;
            return try_read(stream, input)?.ok_or(End::Closed);
        };
        let read = read.unwrap_or(Err(End::TimedOut(what)));
        if read.is_ok() && input.len() == input.capacity() {
            // It sends faster than it is answered: now it is the turn of others.
            tokio::task::yield_now().await;
        }
        read
    }

    /// The length of the message at `start` of the input, if it has arrived whole.
    fn next_message(&self, start: usize, limits: &Limits) -> Result<Option<usize>, End> {
        let input = self.input.get(start..).unwrap_or(&[]);
        match frame_length(input) {
            Err(_) => Err(End::OutOfStep("what it sends is no SNMP message")),
            Ok(FrameLength::Octets(length)) if length > limits.message => {
                Err(End::OutOfStep("its message exceeds the limit"))
            }
            Ok(FrameLength::Octets(length)) if length <= input.len() => Ok(Some(length)),
            Ok(FrameLength::Octets(_) | FrameLength::Incomplete) => Ok(None),
        }
    }

    async fn answer(
        &mut self,
        message: std::ops::Range<usize>,
        limits: &Limits,
    ) -> Result<(), End> {
        let message = self.input.get(message).unwrap_or(&[]);
        let engine = &self.admission.shared.engine;
        let received = Received {
            now: engine.clock.now(),
            remote: self.remote,
            message,
            limits: limits.tcp(),
            sets: SetHandling::Defer,
        };
        let local = engine.local.load();
        let outcome = DESK.with_borrow_mut(|desk| {
            let Desk { workspace, buffer } = desk;
            buffer.resize(response_buffer_length(limits.message), 0);
            let outcome = engine
                .dispatcher
                .handle_message(&local, &received, workspace, buffer);
            if let Outcome::Respond(range) = &outcome {
                let response = buffer.get(range.clone()).unwrap_or(&[]);
                self.output.extend_from_slice(response);
            }
            outcome
        });
        drop(local);
        log_discard(self.remote, &outcome);
        if outcome == Outcome::Deferred {
            let job = message.to_vec();
            self.carry_out_set(job, limits).await?;
        }
        Ok(())
    }

    /// Has a SetRequest carried out and waits for its response: a session's requests are answered in their order.
    async fn carry_out_set(&mut self, message: Vec<u8>, limits: &Limits) -> Result<(), End> {
        // What was answered before must not wait for stable storage.
        self.write(limits).await?;
        let (reply, response) = oneshot::channel();
        let job = SetJob {
            message,
            remote: self.remote,
            limits: limits.tcp(),
            reply: ReplyPath::Session(reply),
        };
        self.admission.shared.sets.push(job);
        if let Ok(response) = response.await {
            self.output.extend_from_slice(&response);
        }
        Ok(())
    }

    async fn write(&mut self, limits: &Limits) -> Result<(), End> {
        if self.output.is_empty() {
            return Ok(());
        }
        let written = timeout(limits.tcp_message, self.stream.write_all(&self.output)).await;
        self.output.clear();
        match written {
            Ok(result) => Ok(result?),
            Err(_) => Err(End::TimedOut("it does not take its answers")),
        }
    }
}

/// Waits until there is something to read. Waiting first costs nothing; room is taken only then.
async fn read_some(stream: &TcpStream, input: &mut Vec<u8>) -> Result<(), End> {
    loop {
        stream.readable().await?;
        if try_read(stream, input)?.is_some() {
            return Ok(());
        }
    }
}

/// Reads what is there; `None` if nothing is.
fn try_read(stream: &TcpStream, input: &mut Vec<u8>) -> Result<Option<()>, End> {
    input.reserve(READ);
    match stream.try_read_buf(input) {
        Ok(0) => Err(End::Closed),
        Ok(_) => Ok(Some(())),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error.into()),
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
