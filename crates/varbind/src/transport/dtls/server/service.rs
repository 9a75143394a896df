use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use varbind_engine::security::SecurityLevel;
use varbind_engine::transport::{SecureTransport, TransportState};

use super::super::association::{Association, Established, Handshake as Progress};
use super::super::cookies::Cookies;
use super::super::error::DtlsError;
use super::super::exchange::Exchange;
use super::super::protection::Read;
use super::super::record::{ClientHello, ContentType, Record};
use super::peers::{Ends, Handshake, Peers, Session};
use super::{Counted, Phase, Shared};
use crate::transport::session::{Answer, LaterAnswer, Peer, RefusalLog, SessionService};
use crate::transport::udp::{Datagram, ReceiveBatch, SendBatch};
use crate::transport::{Transport, next_session_id};

/// Datagrams received in one system call.
const BATCH: usize = 32;
/// Octets that are collected before they are sent.
const COLLECTED: usize = 128 * 1024;
/// Datagrams of handshakes that wait, while messages of sessions go before.
const BACKLOG: usize = 512;
/// Handshakes in progress, in all.
const HANDSHAKES: usize = 256;
/// Answers of one session that may be to come; what asks for more is lost, as any datagram may be.
const PENDING: usize = 8;
/// Batches taken at the end, and how long answers are then waited for.
const LAST_BATCHES: usize = 128;
const LAST_PATIENCE: Duration = Duration::from_secs(2);
/// internal_error: no alert says that there is no room.
const NO_ROOM: u8 = 80;

/// An answer to come.
struct Later {
    ends: Ends,
    session_id: u64,
    answer: LaterAnswer,
}

/// The thread of a listener.
pub(super) struct Service<S> {
    shared: Arc<Shared>,
    address: SocketAddr,
    service: Arc<S>,
    peers: Peers,
    cookies: Cookies,
    backlog: VecDeque<(Ends, Vec<u8>)>,
    later: Vec<Later>,
    waker: Waker,
    refusals: RefusalLog,
    exchange: Exchange,
    /// How many datagrams of the exchange have their place in `replies`.
    posted: usize,
    replies: SendBatch,
    message: Vec<u8>,
    output: Vec<u8>,
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
            backlog: VecDeque::new(),
            later: Vec::new(),
            waker: Waker::from(Arc::clone(&shared.wake)),
            refusals: RefusalLog::default(),
            exchange: Exchange::default(),
            posted: 0,
            replies: SendBatch::default(),
            message: Vec::new(),
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
        if let Some((ends, datagram)) = self.backlog.pop_front() {
            self.shake_hands(ends, &datagram, Instant::now());
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
    fn route(&mut self, datagram: &Datagram<'_>, now: Instant) {
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
            self.put_off(ends, datagram.payload);
        }
    }

    /// Answers a ClientHello with the request for a cookie, or begins a handshake if it brings one.
    fn greet(&mut self, ends: Ends, hello: &ClientHello<'_>, now: Instant) {
        let has_cookie = hello.is_second() && self.cookies.accept(ends.remote, hello.cookie, now);
        if !has_cookie {
            match self.cookies.make(ends.remote, now) {
                Ok(cookie) => {
                    self.exchange.add(&hello.verify_request(&cookie));
                    self.post(ends);
                    self.shared.statistics.count(Counted::CookieRequests);
                }
                Err(error) => log::error!("dtls:{}: no random octets: {error}", self.address),
            }
            return;
        }
        self.put_off(ends, hello.record);
    }

    /// Has a datagram of a handshake wait its turn: what it asks for takes a thousand times as long as a message.
    fn put_off(&mut self, ends: Ends, datagram: &[u8]) {
        if self.backlog.len() < BACKLOG {
            self.backlog.push_back((ends, datagram.to_vec()));
        } else {
            self.shared.statistics.count(Counted::DatagramsDiscarded);
        }
    }

    /// Takes a handshake further, or begins one.
    fn shake_hands(&mut self, ends: Ends, datagram: &[u8], now: Instant) {
        if let Some(hello) = ClientHello::parse(datagram) {
            let is_known = self.peers.get(&ends).is_some_and(|peer| {
                let handshake = peer.handshake.as_ref().map(|it| it.random);
                let session = peer.session.as_ref().map(|it| it.random);
                handshake == Some(hello.random) || session == Some(hello.random)
            });
            if !is_known {
                self.begin(ends, &hello, now);
            }
            return;
        }
        self.exchange.give(datagram);
        if self.peers.handshake(&ends).is_some() {
            self.advance(ends, now);
        } else {
            // The handshake is finished since it arrived.
            self.serve(ends, now);
        }
        // Nobody takes what was not read.
        self.exchange.withdraw();
    }

    fn begin(&mut self, ends: Ends, hello: &ClientHello<'_>, now: Instant) {
        let limits = self.service.limits();
        if let Some(why) = self.peers.refusal(&ends, &limits, HANDSHAKES) {
            self.refuse(ends, &why);
            self.shared.statistics.count(Counted::HandshakesRefused);
            self.exchange.add(&hello.refusal(NO_ROOM));
            return self.post(ends);
        }
        let configuration = self.shared.configuration.load_full();
        self.exchange.give(hello.record);
        let association = Association::accept(
            &configuration.context,
            Arc::clone(&configuration.authentication),
            limits.datagram,
            &mut self.exchange,
        );
        self.exchange.withdraw();
        self.post(ends);
        match association {
            Ok(Some(association)) => {
                self.shared.statistics.count(Counted::HandshakesBegun);
                let handshake = Handshake {
                    association,
                    random: hello.random,
                    ends_at: now + limits.handshake_time,
                    configuration,
                };
                self.peers.begin(ends, handshake);
                self.advance(ends, now);
            }
            Ok(None) => self.shared.statistics.count(Counted::DatagramsDiscarded),
            Err(error) => {
                self.shared.statistics.count(Counted::HandshakesFailed);
                self.refuse(ends, &error);
            }
        }
    }

    /// Lets OpenSSL do what can be done of a handshake now.
    fn advance(&mut self, ends: Ends, now: Instant) {
        let Some(handshake) = self.peers.handshake(&ends) else {
            return;
        };
        let progress = handshake.association.shake_hands(&mut self.exchange);
        self.post(ends);
        match progress {
            Ok(Progress::Unfinished) => self.schedule(ends, now),
            Ok(Progress::Finished) => self.open(ends, now),
            Err(error) => self.fail(ends, &error),
        }
    }

    fn fail(&mut self, ends: Ends, error: &DtlsError) {
        self.peers.end_handshake(&ends);
        self.shared.statistics.count(Counted::HandshakesFailed);
        if matches!(error, DtlsError::PeerRefused(_)) {
            self.shared.counters.invalid_client_certificates.increment();
        }
        self.refuse(ends, error);
    }

    /// Makes a session of a handshake that is finished, if its peer has a name.
    fn open(&mut self, ends: Ends, now: Instant) {
        let Some(mut handshake) = self.peers.end_handshake(&ends) else {
            return;
        };
        let authentication = &*handshake.configuration.authentication;
        let name = match handshake.association.identify(authentication) {
            Ok(name) => name,
            Err(refusal) => {
                handshake.association.close(&mut self.exchange);
                self.post(ends);
                return self.fail(ends, &DtlsError::PeerRefused(refusal));
            }
        };
        let is_resumed = handshake.association.is_resumed();
        let established = handshake.association.establish(&mut self.exchange);
        let Established {
            protection,
            messages,
        } = match established {
            Ok(established) => established,
            Err(error) => return self.fail(ends, &error),
        };
        self.shared.statistics.count(Counted::SessionsOpened);
        if is_resumed {
            self.shared.statistics.count(Counted::SessionsResumed);
        }
        log::debug!("dtls:{}: a session of {name}", ends.remote);
        let state = TransportState::new(
            SecureTransport::Dtls,
            name,
            SecurityLevel::AuthPriv,
            next_session_id(),
        );
        let session = Session {
            protection,
            random: handshake.random,
            state,
            last_heard: now,
            has_spoken: false,
            pending: 0,
        };
        self.peers.open(ends, session);
        self.schedule(ends, now);
        for message in messages {
            self.message = message;
            self.take(ends, now);
        }
    }

    /// Answers the messages of a session that wait in the exchange.
    fn serve(&mut self, ends: Ends, now: Instant) {
        let end = loop {
            let Some(session) = self.peers.session(&ends) else {
                break None;
            };
            match session
                .protection
                .read(&mut self.exchange, &mut self.message)
            {
                Ok(Read::Message(_)) => self.take(ends, now),
                Ok(Read::Nothing) => break None,
                Err(error) => break Some(error),
            }
        };
        self.exchange.withdraw();
        self.post(ends);
        if let Some(error) = end {
            self.end_session(ends, &error);
        }
    }

    /// Takes a message in.
    fn take(&mut self, ends: Ends, now: Instant) {
        if let Some(session) = self.peers.session(&ends) {
            session.last_heard = now;
            if !std::mem::replace(&mut session.has_spoken, true) {
                self.shared.counters.accepts.increment();
            }
            self.answer(ends);
        }
    }

    fn end_session(&mut self, ends: Ends, why: &DtlsError) {
        log::debug!("dtls:{}: {why}", ends.remote);
        if let Some(mut session) = self.peers.close(&ends) {
            session.protection.close(&mut self.exchange);
            self.post(ends);
            self.shared.statistics.count(Counted::SessionsClosed);
            self.shared.counters.server_closes.increment();
        }
    }

    /// Answers the message.
    fn answer(&mut self, ends: Ends) {
        let Some(session) = self.peers.session(&ends) else {
            return;
        };
        let peer = Peer {
            transport: Transport::Dtls,
            address: ends.remote,
            transport_state: Some(&session.state),
        };
        self.output.clear();
        let is_full = session.pending >= PENDING;
        match self.service.answer(peer, &self.message, &mut self.output) {
            Answer::Done => {}
            Answer::Later(_) if is_full => {
                self.shared.statistics.count(Counted::MessagesDropped);
            }
            Answer::Later(mut answer) => {
                // Asked once, it knows whom to wake.
                let context = &mut Context::from_waker(&self.waker);
                match answer.as_mut().poll(context) {
                    Poll::Ready(Some(ready)) => self.output = ready,
                    Poll::Ready(None) => {}
                    Poll::Pending => {
                        session.pending += 1;
                        self.later.push(Later {
                            ends,
                            session_id: session.state.session_id(),
                            answer,
                        });
                    }
                }
            }
        }
        self.send(ends);
    }

    /// Sends what is in `output` to a session.
    fn send(&mut self, ends: Ends) {
        if self.output.is_empty() {
            return;
        }
        if let Some(session) = self.peers.session(&ends)
            && let Err(error) = session.protection.write(&mut self.exchange, &self.output)
        {
            log::debug!("dtls:{}: an answer was not sent: {error}", ends.remote);
        }
        self.post(ends);
    }

    /// Sends the answers that have come in the meantime.
    fn answer_later(&mut self) {
        let mut at = 0;
        while let Some(later) = self.later.get_mut(at) {
            let context = &mut Context::from_waker(&self.waker);
            let Poll::Ready(answer) = later.answer.as_mut().poll(context) else {
                at += 1;
                continue;
            };
            let Later {
                ends, session_id, ..
            } = self.later.swap_remove(at);
            let Some(session) = self.peers.session(&ends) else {
                continue;
            };
            // An answer belongs to the session that asked (RFC 5590 section 5.2.3: tmSameSecurity), and to no other of
            // the same address.
            if session.state.session_id() == session_id {
                session.pending -= 1;
                self.output = answer.unwrap_or_default();
                self.send(ends);
            }
        }
    }

    /// Sends flights again, and ends what has lasted too long.
    fn meet_deadlines(&mut self) {
        let now = Instant::now();
        while let Some(ends) = self.peers.take_due(now) {
            let idle = self.service.limits().idle;
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
                && now.saturating_duration_since(session.last_heard) >= idle
            {
                self.end_session(ends, &DtlsError::Closed);
            }
            self.schedule(ends, now);
        }
    }

    fn schedule(&mut self, ends: Ends, now: Instant) {
        let idle = self.service.limits().idle;
        self.peers.schedule(ends, now, idle);
    }

    fn refuse(&self, ends: Ends, why: &dyn std::fmt::Display) {
        self.refusals.tell(Transport::Dtls, ends.remote, why);
    }

    /// Addresses the datagrams that were just written.
    fn post(&mut self, ends: Ends) {
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
                session.protection.close(&mut self.exchange);
                self.post(ends);
            }
            if self.exchange.departing().len() > COLLECTED {
                self.flush();
            }
        }
        self.flush();
    }
}
