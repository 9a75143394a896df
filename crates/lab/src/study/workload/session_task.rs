use serde::{Deserialize, Serialize};

use super::super::Setting;
use crate::measurement::{Mode, Placement, TransportKind};
use crate::request::Request;
use crate::security::Scheme;
use crate::session::Client;
use crate::subject::{CounterCache, SshHandicap, Storage};

/// Sessions, one behind the other, each with exchanges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionTask {
    /// The network.
    pub setting: Setting,
    /// How messages are secured.
    pub scheme: Scheme,
    /// The transport.
    pub transport: TransportKind,
    /// Whether sessions are resumed, where the transport supports it.
    pub is_resumed: bool,
    /// Whether in SNMPv3 each session turns passwords into keys.
    pub derives_per_session: bool,
    /// The request of each exchange.
    pub request: Request,
    /// Sessions in each repetition.
    pub sessions: u32,
    /// Exchanges, or whole walks, in each session.
    pub exchanges: u32,
    /// How requests follow each other.
    pub mode: Mode,
    /// On which cores manager and agent run.
    pub placement: Placement,
    /// Time between a session and the next, in milliseconds, which is not counted.
    pub pause_milliseconds: u64,
    /// Whether the agent is asked over IPv6.
    pub is_ipv6: bool,
    /// Where the agent keeps what is set.
    pub storage: Storage,
    /// What makes sessions over SSH slow on purpose.
    pub ssh_handicap: SshHandicap,
    /// How long the agent keeps the counters of interfaces that it has read.
    #[serde(default)]
    pub counter_cache: CounterCache,
    /// Which of several agents that are the same.
    #[serde(default, skip_serializing_if = "is_first")]
    pub copy: u32,
    /// Whether certificates have keys of RSA with 2048 bits, as gamess2021 had, in place of ECDSA.
    #[serde(default, skip_serializing_if = "is_no")]
    pub has_rsa: bool,
    /// Whether the key exchange has ML-KEM beside X25519, which only SSH has in every build.
    #[serde(default, skip_serializing_if = "is_no")]
    pub is_post_quantum: bool,
    /// Whose sessions ask over UDP and TCP.
    #[serde(default, skip_serializing_if = "is_lean")]
    pub client: Client,
    /// Of a core, in hundredths, for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<u32>,
    /// Time-out of each attempt.
    #[serde(default = "usual_timeout", skip_serializing_if = "is_usual_timeout")]
    pub timeout_milliseconds: u64,
    /// Attempts after the first.
    #[serde(default = "usual_retries", skip_serializing_if = "are_usual_retries")]
    pub retries: u32,
    /// Whether a repetition in which exchanges fail has the values of the others, and does not fail as a whole.
    #[serde(default, skip_serializing_if = "is_no")]
    pub may_fail: bool,
}

/// Of agents on this host, which lose nothing.
const TIMEOUT_MILLISECONDS: u64 = 1000;
const RETRIES: u32 = 5;

const fn usual_timeout() -> u64 {
    TIMEOUT_MILLISECONDS
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_usual_timeout(milliseconds: &u64) -> bool {
    *milliseconds == TIMEOUT_MILLISECONDS
}

const fn usual_retries() -> u32 {
    RETRIES
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn are_usual_retries(retries: &u32) -> bool {
    *retries == RETRIES
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_first(copy: &u32) -> bool {
    *copy == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(super) const fn is_no(is_so: &bool) -> bool {
    !*is_so
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_lean(client: &Client) -> bool {
    *client == Client::Lean
}

/// Messages that take a slow agent many turns: with handshakes or key derivation, with USM, and with communities.
const SECURE_IN_TURNS: u32 = 100;
const USM_IN_TURNS: u32 = 1000;
const PLAIN_IN_TURNS: u32 = 2000;
/// Messages of a walk of ifTable for each interface.
const COLUMNS: u32 = 22;

impl SessionTask {
    /// One session of one exchange on this host, in a closed loop.
    #[must_use]
    pub const fn new(scheme: Scheme, transport: TransportKind, request: Request) -> Self {
        Self {
            setting: Setting::Host,
            scheme,
            transport,
            is_resumed: false,
            derives_per_session: false,
            request,
            sessions: 1,
            exchanges: 1,
            mode: Mode::Closed,
            placement: Placement::SameCore,
            pause_milliseconds: 0,
            is_ipv6: false,
            storage: Storage::Disk,
            ssh_handicap: SshHandicap::NONE,
            counter_cache: CounterCache::Usual,
            copy: 0,
            has_rsa: false,
            is_post_quantum: false,
            client: Client::Lean,
            share: None,
            timeout_milliseconds: TIMEOUT_MILLISECONDS,
            retries: RETRIES,
            may_fail: false,
        }
    }

    /// The same, with so many sessions of so many exchanges.
    #[must_use]
    pub const fn of(mut self, sessions: u32, exchanges: u32) -> Self {
        self.sessions = sessions;
        self.exchanges = exchanges;
        self
    }

    /// The same with sessions of so many exchanges: ten in each repetition, and fewer where they are long. One short session alone says
    /// little: what disturbs it is as long as it is.
    #[must_use]
    pub const fn sessions_of(self, exchanges: u32) -> Self {
        const ENOUGH: u32 = 500;
        let sessions = match ENOUGH.checked_div(exchanges) {
            Some(sessions @ 1..=9) => sessions,
            Some(0) => 1,
            _ => 10,
        };
        self.of(sessions, exchanges)
    }

    /// The same with as many sessions as a slow agent takes: its share is given in turns, so that what takes no longer than one of them
    /// is not slowed. Tasks about each message of one session stay as they are.
    pub(super) fn in_turns(&self, share: Option<u32>) -> Self {
        let messages = match self.scheme {
            _ if self.transport.is_secure() || self.derives_per_session => SECURE_IN_TURNS,
            Scheme::V3(_) => USM_IN_TURNS,
            _ => PLAIN_IN_TURNS,
        };
        let each = match (self.request.is_walk(), self.sessions) {
            (true, _) => self.setting.interfaces().max(2) * COLUMNS,
            (false, 1) => return self.clone(),
            (false, _) => self.exchanges,
        };
        match share {
            Some(_) => Self {
                sessions: self.sessions.max(messages / each.max(1)),
                ..self.clone()
            },
            None => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::WalkStep;
    use crate::study::names::{IF_TABLE, SYS_NAME, get, oid};

    #[test]
    fn a_slow_agent_is_asked_for_many_of_its_turns() {
        let plain = SessionTask::new(Scheme::V2c, TransportKind::Udp, get(SYS_NAME));
        let secure = SessionTask {
            transport: TransportKind::Ssh,
            ..plain.clone()
        };
        let sessions = |task: &SessionTask, exchanges| {
            let task = task.clone().sessions_of(exchanges);
            assert_eq!(task.in_turns(None), task);
            task.in_turns(Some(25)).sessions
        };
        assert_eq!(
            [1, 20, 500].map(|each| sessions(&plain, each)),
            [2000, 100, 1]
        );
        assert_eq!([1, 20].map(|each| sessions(&secure, each)), [100, 10]);
        let walk = SessionTask {
            request: Request::Walk {
                root: oid(IF_TABLE),
                step: WalkStep::GetNext,
            },
            setting: Setting::Interfaces(10),
            ..plain
        };
        assert_eq!(walk.in_turns(Some(25)).sessions, 9);
    }

    #[test]
    fn short_sessions_are_ten_in_a_repetition() {
        let sessions = |exchanges| {
            let task = SessionTask::new(Scheme::V1, TransportKind::Udp, get(SYS_NAME));
            task.sessions_of(exchanges).sessions
        };
        let lengths = [1, 20, 50, 100, 400, 500, 2000];
        assert_eq!(lengths.map(sessions), [10, 10, 10, 5, 1, 1, 1]);
    }
}
