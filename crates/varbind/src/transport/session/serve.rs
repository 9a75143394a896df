use std::future::poll_fn;
use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, timeout};

#[cfg(feature = "experiments")]
use super::compressed::CompressedSession;
use super::turns::{TURN, Usage};
use super::{Admission, Answer, LaterAnswer, Peer, SessionLimits, SessionService, SessionStream};
use crate::transport::framing::{OutOfStep, next_message};
use crate::transport::{SessionError, Transport};

/// Octets of answers that are collected before they are sent.
const COLLECTED: usize = 32 * 1024;

/// One session: messages one behind the other in a stream (RFC 3430).
///
/// Invariant: it holds no more than one message that has not arrived whole and the answers to what one read brought,
/// whatever the peer does; it reads on only when the peer has taken the answers.
pub(crate) struct Session<S: SessionService, T> {
    transport: Transport,
    stream: T,
    /// Shared by the sessions of one connection.
    admission: Arc<Admission<S>>,
    input: Vec<u8>,
    output: Vec<u8>,
    /// Once the peer has sent a compressed message.
    #[cfg(feature = "experiments")]
    compressed: Option<Box<CompressedSession>>,
    /// Since when the message at the beginning of the input is awaited whole.
    incomplete_since: Option<Instant>,
    usage: Usage,
    /// Nanoseconds of work since it has last waited.
    worked: u64,
}

/// An answer that comes later.
struct Later {
    answer: LaterAnswer,
    #[cfg(feature = "experiments")]
    is_compressed: bool,
}

const OLD: &str = "it has been open for as long as it may be";
const NOT_ACCEPTED: &str = "none of its messages was accepted in time";

/// Why a session ended.
enum End {
    /// The peer closed it, or we stop.
    Closed,
    /// The peer is silent or does not take its answers.
    TimedOut(&'static str),
    /// What arrives is no SNMP, or a message above the limit: the stream cannot be read further.
    OutOfStep(&'static str),
    Failed(SessionError),
}

impl From<SessionError> for End {
    fn from(error: SessionError) -> Self {
        Self::Failed(error)
    }
}

impl From<OutOfStep> for End {
    fn from(reason: OutOfStep) -> Self {
        Self::OutOfStep(match reason {
            OutOfStep::NotSnmp => "it sent invalid SNMP",
            OutOfStep::TooLarge => "its message exceeds the limit",
        })
    }
}

impl<S: SessionService, T: SessionStream> Session<S, T> {
    pub(crate) const fn new(transport: Transport, stream: T, admission: Arc<Admission<S>>) -> Self {
        Self {
            transport,
            stream,
            admission,
            input: Vec::new(),
            output: Vec::new(),
            #[cfg(feature = "experiments")]
            compressed: None,
            incomplete_since: None,
            usage: Usage::new(),
            worked: 0,
        }
    }

    /// Answers the peer until the session ends.
    pub(crate) async fn run(mut self) {
        let (transport, remote) = (self.transport, self.admission.remote());
        let end = self.serve().await;
        if matches!(end, Err(End::OutOfStep(_))) || self.incomplete_since.is_some() {
            self.admission.shared.service.note_broken_stream();
        }
        match end {
            Ok(()) | Err(End::Closed) => {}
            Err(End::TimedOut(what)) => log::debug!("{transport}:{remote}: closed, {what}"),
            Err(End::OutOfStep(what)) => {
                self.admission
                    .log_refusal(transport, &format!("closed, {what}"));
                // What came before was good.
                let _ = self.write(&self.limits()).await;
            }
            Err(End::Failed(error @ SessionError::NoLongerAccepted(_))) => {
                self.admission
                    .log_refusal(transport, &format!("closed, {error}"));
            }
            Err(End::Failed(error)) => log::debug!("{transport}:{remote}: {error}"),
        }
        let _ = self.stream.shutdown().await;
    }

    async fn serve(&mut self) -> Result<(), End> {
        loop {
            let limits = self.limits();
            self.read(&limits).await?;
            let mut done = 0;
            while self.next_message(done, &limits)?.is_some() {
                done = self.take_turn(done, &limits).await?;
                self.write(&limits).await?;
            }
            self.input.drain(..done);
            if self.input.is_empty() {
                // An idle session keeps no buffers.
                self.input = Vec::new();
                self.output = Vec::new();
                self.incomplete_since = None;
            } else if done > 0 || self.incomplete_since.is_none() {
                self.incomplete_since = Some(Instant::now());
            }
            self.check_age(&limits)?;
        }
    }

    /// Answers messages of the input from `start` on, as many as one turn allows, and returns where the rest begins.
    async fn take_turn(&mut self, start: usize, limits: &SessionLimits) -> Result<usize, End> {
        if self.worked >= TURN {
            // It sends faster than it is answered: now it is the turn of others.
            tokio::task::yield_now().await;
            self.worked = 0;
        }
        let turn = self.admission.turn(&self.usage).await;
        let turns = Arc::clone(&self.admission.shared.turns);
        let since = turns.now();
        let mut done = start;
        let mut later = None;
        while let Some(length) = self.next_message(done, limits)? {
            later = self.answer(done..done + length)?;
            done += length;
            self.worked += turns.now() - since;
            if later.is_some() || self.output.len() > COLLECTED || self.worked >= TURN {
                break;
            }
        }
        self.admission.charge(since, self.output.len(), &self.usage);
        drop(turn);
        if let Some(later) = later {
            // What was answered before must not wait.
            self.write(limits).await?;
            let answer = later.answer.await.unwrap_or_default();
            #[cfg(feature = "experiments")]
            if later.is_compressed {
                self.append_compressed(&answer)?;
                return Ok(done);
            }
            self.output.extend_from_slice(&answer);
        }
        Ok(done)
    }

    /// Ends a session that is too old, between messages if it can be.
    fn check_age(&self, limits: &SessionLimits) -> Result<(), End> {
        let age = self.admission.opened.elapsed();
        let read_timeout = match self.incomplete_since {
            Some(_) => limits.message_time,
            None => Duration::ZERO,
        };
        if limits
            .lifetime
            .is_some_and(|lifetime| age >= lifetime.saturating_add(read_timeout))
        {
            return Err(End::TimedOut(OLD));
        }
        if !self.admission.is_authenticated() && age >= limits.first_message_time {
            return Err(End::TimedOut(NOT_ACCEPTED));
        }
        Ok(())
    }

    /// How long it is waited for more of the input, and what is wrong if nothing comes.
    fn read_timeout(&self, limits: &SessionLimits) -> (Duration, &'static str) {
        let age = self.admission.opened.elapsed();
        let first_message = match self.admission.is_authenticated() {
            true => Duration::MAX,
            false => limits.first_message_time.saturating_sub(age),
        };
        let (usual, lifetime) = match self.incomplete_since {
            None => {
                let lifetime = limits.lifetime.unwrap_or(Duration::MAX);
                let idle = (limits.idle, "idle for too long");
                (idle, lifetime.saturating_sub(age))
            }
            Some(since) => {
                let left = limits.message_time.saturating_sub(since.elapsed());
                ((left, "a message took too long to arrive"), Duration::MAX)
            }
        };
        let all = [usual, (first_message, NOT_ACCEPTED), (lifetime, OLD)];
        all.into_iter().min().unwrap_or(usual)
    }

    fn limits(&self) -> SessionLimits {
        self.admission.limits()
    }

    async fn read(&mut self, limits: &SessionLimits) -> Result<(), End> {
        if self.worked > 0 {
            match self.stream.try_read(&mut self.input)? {
                Some(0) => return Err(End::Closed),
                Some(_) => return Ok(()),
                None => self.worked = 0,
            }
        }
        let (read_timeout, what) = self.read_timeout(limits);
        let mut closing = self.admission.shared.closing.clone();
        let Self { stream, input, .. } = self;
        let read = {
            let mut reading = pin!(timeout(read_timeout, stream.read_some(input)));
            let mut closing = pin!(closing.wait_for(|closing| *closing));
            // tokio::select! would have small builds compile a parser of Rust.
            poll_fn(|context| match reading.as_mut().poll(context) {
                Poll::Ready(read) => Poll::Ready(Some(read)),
                Poll::Pending => closing.as_mut().poll(context).map(|_| None),
            })
            .await
        };
        let read = match read {
            Some(Ok(read)) => read?,
            Some(Err(_)) => return Err(End::TimedOut(what)),
            None => {
                // What has arrived is answered, and the runtime may not have looked for it yet.
                tokio::task::yield_now().await;
                stream.try_read(input)?.unwrap_or(0)
            }
        };
        if read == 0 {
            return Err(End::Closed);
        }
        Ok(())
    }

    /// The length of the message at `start` of the input, if it has arrived whole.
    fn next_message(&self, start: usize, limits: &SessionLimits) -> Result<Option<usize>, End> {
        let input = self.input.get(start..).unwrap_or(&[]);
        let next = next_message(input, limits.tags(), limits.message)?;
        Ok(next.map(|(message, _)| message.len()))
    }

    fn answer(&mut self, message: Range<usize>) -> Result<Option<Later>, End> {
        let message = self.input.get(message).unwrap_or(&[]);
        let shared = &self.admission.shared;
        let peer = Peer {
            transport: self.transport,
            address: self.admission.remote(),
            local: self.admission.local(),
            transport_state: self.stream.transport_state(),
            server_name: self.stream.server_name(),
        };
        #[cfg(feature = "experiments")]
        let (message, is_compressed) =
            CompressedSession::read(&mut self.compressed, message, &self.admission)
                .map_err(End::OutOfStep)?;
        #[cfg(feature = "experiments")]
        let before = self.output.len();
        let answer = shared.service.answer(peer, message, &mut self.output);
        if !matches!(answer, Answer::Refused) {
            self.admission.authenticate();
        }
        if let Answer::Later(answer) = answer {
            return Ok(Some(Later {
                answer,
                #[cfg(feature = "experiments")]
                is_compressed,
            }));
        }
        #[cfg(feature = "experiments")]
        if is_compressed {
            let answer = self.output.split_off(before);
            self.append_compressed(&answer)?;
        }
        Ok(None)
    }

    /// Appends the answer to a compressed message.
    #[cfg(feature = "experiments")]
    fn append_compressed(&mut self, answer: &[u8]) -> Result<(), End> {
        match &mut self.compressed {
            Some(session) => session
                .append(answer, &mut self.output)
                .map_err(End::OutOfStep),
            None => Ok(()),
        }
    }

    async fn write(&mut self, limits: &SessionLimits) -> Result<(), End> {
        if self.output.is_empty() {
            return Ok(());
        }
        let written = timeout(limits.message_time, self.stream.write_all(&self.output)).await;
        self.output.clear();
        match written {
            Ok(result) => Ok(result?),
            Err(_) => Err(End::TimedOut("it does not take its answers")),
        }
    }
}
