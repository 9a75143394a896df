use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::task::Waker;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::super::cookies::Cookies;
use super::super::error::DtlsError;
use super::super::exchange::Exchange;
use super::super::record::{ClientHello, ContentType, Record};
use super::backlog::{Backlog, Step};
use super::peers::{Ends, Peers};
use super::{Counted, Phase, Shared};
use crate::thread::yield_briefly;
use crate::transport::Transport;
use crate::transport::message_size::DTLS_RECORD;
use crate::transport::session::{LaterAnswer, RefusalLog, SessionService};
use crate::transport::udp::{Datagram, ReceiveBatch, SendBatch};

/// Datagrams received in one system call.
const BATCH: usize = 32;
/// Octets that are collected before they are sent.
const COLLECTED: usize = 128 * 1024;
/// Batches taken at the end, and how long answers are then waited for.
const LAST_BATCHES: usize = 128;
const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// An answer to come.
pub(super) struct Later {
    pub(super) ends: Ends,
    pub(super) session_id: u64,
    pub(super) answer: LaterAnswer,
}

/// The thread of a listener.
pub(super) struct Service<S> {
    pub(super) shared: Arc<Shared>,
    pub(super) address: SocketAddr,
    pub(super) service: Arc<S>,
    pub(super) peers: Peers,
    pub(super) cookies: Cookies,
    pub(super) backlog: Backlog,
    pub(super) later: Vec<Later>,
    pub(super) waker: Waker,
    refusals: RefusalLog,
    pub(super) exchange: Exchange,
    /// How many datagrams of the exchange have their place in `replies`.
    posted: usize,
    replies: SendBatch,
    pub(super) message: Box<[u8; DTLS_RECORD]>,
    pub(super) output: Vec<u8>,
}

impl<S: SessionService> Service<S> {
    pub(super) fn new(
        shared: Arc<Shared>,
        address: SocketAddr,
        service: Arc<S>,
    ) -> io::Result<Self> {
        Ok(Self {
            peers: Peers::new(Arc::clone(&shared.statistics)),
            cookies: Cookies::new(Instant::now())?,
            backlog: Backlog::default(),
            later: Vec::new(),
            waker: Waker::from(Arc::clone(&shared.wake)),
            refusals: RefusalLog::default(),
            exchange: Exchange::default(),
            posted: 0,
            replies: SendBatch::default(),
            message: Box::new([0; DTLS_RECORD]),
            output: Vec::new(),
            shared,
            address,
            service,
        })
    }

    pub(super) fn run(&mut self) {
        let mut batch = ReceiveBatch::new(BATCH);
        while self.shared.phase() == Phase::Serve {
            let patience = match self.backlog.is_empty() {
                true => self.until_deadline(),
                false => Some(Duration::ZERO),
            };
            self.turn(&mut batch, patience);
        }
        if self.shared.phase() == Phase::Drain {
            self.drain(&mut batch);
        }
        self.close_all();
    }

    fn until_deadline(&self) -> Option<Duration> {
        let next = self.peers.next_deadline()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    /// Waits for something to do, and does it.
    fn turn(&mut self, batch: &mut ReceiveBatch, patience: Option<Duration>) {
        let (has_datagrams, is_woken) = self.wait(patience);
        if is_woken {
            self.shared.wake.clear();
            self.answer_later();
        }
        if has_datagrams {
            self.receive(batch);
        }
        if let Some((ends, datagram)) = self.backlog.pop() {
            let now = Instant::now();
            self.shake_hands(ends, &datagram, now);
            let peer = self.peers.get(&ends);
            if peer.is_some_and(|peer| peer.session.is_some() && peer.handshake.is_none()) {
                for message in self.backlog.take_behind(&ends) {
                    self.shake_hands(ends, &message, now);
                }
            }
            if !self.backlog.is_empty() {
                yield_briefly();
            }
        }
        self.meet_deadlines();
        self.flush();
    }

    fn wait(&self, patience: Option<Duration>) -> (bool, bool) {
        let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
        let mut files = [
            PollFd::new(&self.shared.socket, PollFlags::IN),
            PollFd::from_borrowed_fd(self.shared.wake.as_fd(), PollFlags::IN),
        ];
        match poll(&mut files, timeout.as_ref()) {
            Ok(_) => {
                let [socket, wake] = files;
                (!socket.revents().is_empty(), !wake.revents().is_empty())
            }
            Err(rustix::io::Errno::INTR) => (false, false),
            Err(error) => {
                log::error!("dtls:{}: waiting failed: {error}", self.address);
                std::thread::sleep(Duration::from_millis(100));
                (true, true)
            }
        }
    }

    fn receive(&mut self, batch: &mut ReceiveBatch) {
        match self.shared.socket.try_receive(batch) {
            Ok(()) => {
                let now = Instant::now();
                for datagram in batch.datagrams() {
                    self.route(&datagram, now);
                    if self.exchange.departing().len() > COLLECTED {
                        self.flush();
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            // Of a datagram sent before, to a peer that is gone.
            Err(error) => log::debug!("dtls:{}: receiving: {error}", self.address),
        }
    }

    /// Finds out to whom a datagram belongs.
    pub(super) fn route(&mut self, datagram: &Datagram<'_>, now: Instant) {
        let ends = Ends {
            remote: datagram.remote,
            local: datagram.local,
        };
        let Some(record) = Record::first(datagram.payload) else {
            return self.shared.statistics.count(Counted::DatagramsDiscarded);
        };
        if let Some(hello) = ClientHello::parse(datagram.payload) {
            return self.greet(ends, &hello, now);
        }
        let Some(peer) = self.peers.get(&ends) else {
            return self.shared.statistics.count(Counted::DatagramsDiscarded);
        };
        // Of a peer that begins anew, what is protected and no part of a handshake belongs to the session that it has.
        let is_of_handshake = record.epoch == 0 || record.content_type == ContentType::Handshake;
        let is_for_session =
            peer.session.is_some() && (peer.handshake.is_none() || !is_of_handshake);
        if is_for_session {
            self.exchange.give(datagram.payload);
            self.serve(ends, now);
        } else {
            self.put_off(ends, Step::Further, datagram.payload);
        }
    }

    /// Sends flights again, and ends what has lasted too long.
    fn meet_deadlines(&mut self) {
        let now = Instant::now();
        while let Some(ends) = self.peers.take_due(now) {
            let limits = self.service.limits();
            if let Some(handshake) = self.peers.handshake(&ends) {
                if handshake.ends_at <= now {
                    let state = handshake.association.state();
                    self.fail(ends, &DtlsError::HandshakeTimedOut { state });
                } else if let Err(error) = handshake.association.retransmit(&mut self.exchange) {
                    self.fail(ends, &error);
                }
                self.post(ends);
            }
            if let Some(session) = self.peers.session(&ends)
                && session.ends_at(&limits).is_some_and(|end| end <= now)
            {
                self.end_session(ends, &DtlsError::Closed);
            }
            self.schedule(ends, now);
        }
    }

    pub(super) fn schedule(&mut self, ends: Ends, now: Instant) {
        let limits = self.service.limits();
        self.peers.schedule(ends, now, &limits);
    }

    pub(super) fn refuse(&self, ends: Ends, why: &dyn std::fmt::Display) {
        self.refusals.log(Transport::Dtls, ends.remote, why);
    }

    /// Addresses the datagrams that were just written.
    pub(super) fn post(&mut self, ends: Ends) {
        let datagram = Datagram {
            remote: ends.remote,
            local: ends.local,
            payload: &[],
        };
        for range in self.exchange.datagrams(self.posted) {
            self.replies.push(&datagram, range);
        }
        self.posted = self.exchange.count();
    }

    fn flush(&mut self) {
        if !self.replies.is_empty() {
            self.replies.gather_peers();
            let departing = self.exchange.departing();
            if let Err(error) = self.shared.socket.send(&mut self.replies, departing) {
                log::debug!("dtls:{}: sending: {error}", self.address);
            }
        }
        self.exchange.clear();
        self.posted = 0;
    }

    /// Sends nothing of what was written.
    #[cfg(any(test, fuzzing))]
    pub(super) fn forget_replies(&mut self) {
        self.replies = SendBatch::default();
        self.exchange.clear();
        self.posted = 0;
    }

    /// Answers what has arrived, and gives answers that are to come some time.
    fn drain(&mut self, batch: &mut ReceiveBatch) {
        for _ in 0..LAST_BATCHES {
            let (has_datagrams, _) = self.wait(Some(Duration::ZERO));
            if !has_datagrams {
                break;
            }
            self.receive(batch);
            self.flush();
        }
        let end = Instant::now() + LAST_PATIENCE;
        while !self.later.is_empty() && self.shared.phase() == Phase::Drain {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let (_, is_woken) = self.wait(Some(left.min(Duration::from_millis(50))));
            if is_woken {
                self.shared.wake.clear();
            }
            self.answer_later();
            self.flush();
        }
    }

    /// Tells the peers that the sessions end.
    fn close_all(&mut self) {
        for ends in self.peers.ends() {
            self.peers.end_handshake(&ends);
            if let Some(mut session) = self.peers.close(&ends) {
                session.association.close(&mut self.exchange);
                self.post(ends);
            }
            if self.exchange.departing().len() > COLLECTED {
                self.flush();
            }
        }
        self.flush();
    }
}
