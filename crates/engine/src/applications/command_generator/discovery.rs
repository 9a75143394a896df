//! Discovery: learns from Reports and responses with the engine ID, and sends the request again, or
//! it ends.

use varbind_codec::pdu::{CommonPdu, ErrorStatus};

use super::outstanding::Discovery;
use super::report::Report;
use super::v3_session::{ContextDiscovery, V3Session};
use super::{CommandGenerator, FailureReason, GeneratorDiscard, ReportReason};
use crate::clock::Instant;
use crate::engine_id::EngineId;
use crate::security::usm::{RemoteEngine, UsmError};

/// How often Reports cause a request to be sent again: once for the engine ID, once for its time, and once more in
/// case the agent started again meanwhile.
const MAX_EXCHANGES: u32 = 3;

impl CommandGenerator {
    /// What is known of the agent's engine in SNMPv3.
    #[must_use]
    pub fn remote_engine(&self) -> Option<&RemoteEngine> {
        self.session.v3().and_then(V3Session::remote_engine)
    }

    /// The largest message that the agent accepts in SNMPv3, in octets, once it is known (msgMaxSize, RFC 3412 section
    /// 6.3).
    #[must_use]
    pub fn peer_max_message_size(&self) -> Option<usize> {
        self.session.v3().and_then(V3Session::peer_max_message_size)
    }

    /// contextEngineID of the requests in SNMPv3, as far as it is known; localEngineID is not an engine's.
    #[must_use]
    pub fn context_engine_id(&self) -> Option<EngineId> {
        let octets = self.session.v3().and_then(V3Session::context_engine_id);
        octets
            .filter(|&octets| octets != EngineId::LOCAL)
            .and_then(|octets| EngineId::new(octets).ok())
    }

    /// Takes in the Report on an attempt (RFC 3412 section 7.2 (11), RFC 3414 section 4).
    pub(super) fn handle_report(
        &mut self,
        now: Instant,
        at: usize,
        attempt: usize,
        report: &Report,
    ) -> Result<(), GeneratorDiscard> {
        let reason = ReportReason::from(report.counter);
        let is_news = match reason {
            ReportReason::Usm(UsmError::UnknownEngineId) => self
                .session
                .v3_mut()
                .is_some_and(|session| session.discover(now, report)),
            // The time was taken from it when it was found to be authentic.
            ReportReason::Usm(UsmError::NotInTimeWindow) => report.is_authentic,
            // Not every agent answers to localEngineID whatever it is asked for.
            ReportReason::UnknownPduHandler | ReportReason::UnknownContext => self
                .session
                .transport_mut()
                .is_some_and(ContextDiscovery::give_local_up),
            _ => false,
        };
        self.ask_anew(now, at, attempt, is_news, FailureReason::Report(reason));
        Ok(())
    }

    /// Takes in the answer to a question for the engine ID (RFC 5343 section 3.2).
    pub(super) fn handle_engine_id(
        &mut self,
        now: Instant,
        at: usize,
        attempt: usize,
        pdu: &CommonPdu<'_>,
    ) {
        let learnt = match self.session.transport_mut() {
            Some(session) => session.learn(pdu),
            // With a user, a Report has it.
            None => Err(pdu.status()),
        };
        let status = learnt.err().unwrap_or(ErrorStatus::NoError);
        let otherwise = FailureReason::NoContextEngineId(status);
        self.ask_anew(now, at, attempt, learnt.is_ok(), otherwise);
    }

    /// Sends a request again after an exchange on its behalf, or ends it.
    fn ask_anew(
        &mut self,
        now: Instant,
        at: usize,
        attempt: usize,
        is_news: bool,
        otherwise: FailureReason,
    ) {
        let Some(request) = self.in_flight.get_mut(at) else {
            return;
        };
        let sent = request.attempts.get(attempt).map_or(now, |a| a.sent);
        let exchanges = request.discovery.map_or(0, |discovery| discovery.exchanges);
        let began = request
            .discovery
            .map(|discovery| discovery.began)
            .or(request.first_sent());
        self.timing.add(now, now.saturating_since(sent));
        if !is_news || exchanges >= MAX_EXCHANGES {
            let request = self.in_flight.remove(at);
            self.end_without_answer(now, &request, otherwise);
            return;
        }
        request.discovery = Some(Discovery {
            began: began.unwrap_or(now),
            exchanges: exchanges + 1,
        });
        let mut request = self.in_flight.remove(at);
        self.remember(&request, Some(attempt));
        request.attempts.clear();
        request.repeat();
        self.in_flight.insert(at, request);
    }

    /// Why nothing came back.
    pub(super) fn silence(&self) -> FailureReason {
        match self.session.v3() {
            Some(session) if session.is_silent() => {
                FailureReason::NoAnswerToUser(session.security_level())
            }
            _ => FailureReason::NoAnswer,
        }
    }
}
