//! Reports: what they tell is learnt, and the request is sent anew, or it ends.

use super::outstanding::Discovery;
use super::v3_session::{Report, V3Session};
use super::{CommandGenerator, Discard, FailureReason, ReportReason};
use crate::clock::Instant;
use crate::security::usm::{RemoteEngine, UsmError};

/// How often a request is sent anew for what Reports tell: once for the engine ID, once for its time, and once more in
/// case the agent started again meanwhile.
const MAX_EXCHANGES: u32 = 3;

impl CommandGenerator {
    /// What is known of the agent's engine in SNMPv3.
    #[must_use]
    pub fn remote_engine(&self) -> Option<&RemoteEngine> {
        self.session.v3().and_then(V3Session::engine)
    }

    /// Takes in the Report on an attempt (RFC 3412 section 7.2 (11), RFC 3414 section 4).
    pub(super) fn handle_report(
        &mut self,
        now: Instant,
        at: usize,
        attempt: usize,
        report: &Report,
    ) -> Result<(), Discard> {
        let reason = ReportReason::from(report.counter);
        let is_news = match reason {
            ReportReason::Usm(UsmError::UnknownEngineId) => self
                .session
                .v3_mut()
                .is_some_and(|session| session.discover(now, report)),
            // The time was taken from it when it was found to be authentic.
            ReportReason::Usm(UsmError::NotInTimeWindow) => report.is_authentic,
            _ => false,
        };
        let Some(request) = self.in_flight.get_mut(at) else {
            return Ok(());
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
            self.end_without_answer(now, &request, FailureReason::Report(reason));
            return Ok(());
        }
        request.discovery = Some(Discovery {
            began: began.unwrap_or(now),
            exchanges: exchanges + 1,
        });
        let mut request = self.in_flight.remove(at);
        self.remember(&request, Some(attempt));
        request.attempts.clear();
        request.due = true;
        self.in_flight.insert(at, request);
        Ok(())
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
