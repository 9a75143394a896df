use super::SshError;
use crate::transport::TransportCounter;

/// The counters of sessions that are opened over SSH (snmpSshtmSession, RFC 5592 section 7).
#[derive(Debug, Default)]
pub struct SshStatistics {
    /// Sessions that were to be opened, whether they could be or not (snmpSshtmSessionOpens).
    pub opens: TransportCounter,
    /// Sessions that were closed here (snmpSshtmSessionCloses).
    pub closes: TransportCounter,
    /// Sessions that could not be opened (snmpSshtmSessionOpenErrors).
    pub open_errors: TransportCounter,
    /// Of these, those because the server refused the user (snmpSshtmSessionUserAuthFailures).
    pub user_auth_failures: TransportCounter,
    /// Of these, those because the server opened no channel (snmpSshtmSessionNoChannels).
    pub no_channels: TransportCounter,
    /// Of these, those because the server has no subsystem `snmp` (snmpSshtmSessionNoSubsystems).
    pub no_subsystems: TransportCounter,
    /// Messages that could not be sent because their session had ended (snmpSshtmSessionNoSessions).
    pub no_sessions: TransportCounter,
    /// Messages that could not be sent because what was known of their session was wrong
    /// (snmpSshtmSessionInvalidCaches). A session and what is known of it are one here, so that there is none.
    pub invalid_caches: TransportCounter,
}

impl SshStatistics {
    /// Counts a session that could not be opened.
    pub(super) fn note_failure(&self, error: Option<&SshError>) {
        self.open_errors.increment();
        match error {
            Some(SshError::AuthenticationRefused { .. }) => self.user_auth_failures.increment(),
            Some(SshError::ChannelRefused(_)) => self.no_channels.increment(),
            Some(SshError::SubsystemRefused) => self.no_subsystems.increment(),
            _ => {}
        }
    }
}
