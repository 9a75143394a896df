use std::sync::Arc;
use std::time::Instant;

use varbind_engine::security::SecurityLevel;
use varbind_engine::transport::{SecureTransport, TransportState};

use super::super::association::{Association, Handshake as Progress};
use super::super::error::DtlsError;
use super::super::record::ClientHello;
use super::Counted;
use super::backlog::Step;
use super::peers::{Ends, Handshake, Session};
use super::service::Service;
use crate::transport::next_session_id;
use crate::transport::session::SessionService;

/// internal_error: no alert says that there is no room.
const NO_ROOM: u8 = 80;

/// From a stranger's ClientHello to a session.
impl<S: SessionService> Service<S> {
    /// Answers a ClientHello with the request for a cookie, or begins a handshake if it brings one.
    pub(super) fn greet(&mut self, ends: Ends, hello: &ClientHello<'_>, now: Instant) {
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
        self.put_off(ends, Step::Begin, hello.record);
    }

    /// Has a datagram of a handshake wait its turn: what it asks for takes a thousand times as long as a message.
    pub(super) fn put_off(&mut self, ends: Ends, step: Step, datagram: &[u8]) {
        let is_known = self.peers.knows(&ends);
        if !self.backlog.push(ends, is_known, step, datagram) {
            self.shared.statistics.count(Counted::DatagramsDiscarded);
        }
    }

    /// Takes a handshake further, or begins one.
    pub(super) fn shake_hands(&mut self, ends: Ends, datagram: &[u8], now: Instant) {
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
        // Octets that OpenSSL left unread are dropped.
        self.exchange.withdraw();
    }

    fn begin(&mut self, ends: Ends, hello: &ClientHello<'_>, now: Instant) {
        let limits = self.service.limits();
        let place = match self.peers.take_place(&ends, &limits) {
            Ok((place, displaced)) => {
                for other in displaced {
                    self.peers.end_handshake(&other);
                    self.shared.statistics.count(Counted::HandshakesFailed);
                    log::debug!(
                        "dtls:{}: its handshake makes room for another",
                        other.remote
                    );
                }
                place
            }
            Err(why) => {
                self.refuse(ends, &why);
                self.shared.statistics.count(Counted::HandshakesRefused);
                self.exchange.add(&hello.refusal(NO_ROOM));
                return self.post(ends);
            }
        };
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
                    ends_at: now + self.peers.handshake_time(&limits),
                    configuration,
                    place,
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

    pub(super) fn fail(&mut self, ends: Ends, error: &DtlsError) {
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
        let configuration = &handshake.configuration;
        let name = handshake.association.identify(
            &*configuration.authentication,
            Some(&configuration.sessions),
        );
        let name = match name {
            Ok(name) => name,
            Err(refusal) => {
                handshake.association.close(&mut self.exchange);
                self.post(ends);
                return self.fail(ends, &DtlsError::PeerRefused(refusal));
            }
        };
        self.shared.statistics.count(Counted::SessionsOpened);
        if handshake.association.is_resumed() {
            self.shared.statistics.count(Counted::SessionsResumed);
        }
        log::debug!("dtls:{}: a session of {name}", ends.remote);
        let state = TransportState::new(
            SecureTransport::Dtls,
            name,
            SecurityLevel::AuthPriv,
            next_session_id(),
        );
        handshake.place.authenticate();
        let session = Session {
            association: handshake.association,
            random: handshake.random,
            state,
            resumable: Arc::clone(&handshake.configuration.sessions),
            accepted_by: handshake.configuration,
            opened: now,
            last_heard: now,
            has_spoken: false,
            pending: 0,
            _place: handshake.place,
        };
        self.peers.open(ends, session);
        self.schedule(ends, now);
        // Messages may have come along with the end of the handshake.
        self.serve(ends, now);
    }
}
