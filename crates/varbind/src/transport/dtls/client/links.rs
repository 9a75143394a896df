use std::time::{Duration, Instant};

use super::super::error::DtlsError;
use super::DtlsTarget;
use super::link::{Link, Workspace};

/// How long nothing may come back before it is taken that the peer has lost the association; doubled each time that a
/// new one has not helped, or could not be opened for a notification.
const FIRST_DOUBT: Duration = Duration::from_secs(2);
const LAST_DOUBT: Duration = Duration::from_secs(60);

/// The association with a peer, and the one before it.
pub(super) struct Links {
    pub(super) target: DtlsTarget,
    pub(super) current: Link,
    /// The association before, from which responses may still come.
    pub(super) former: Option<Link>,
    silence: Silence,
}

/// What is known of a peer that does not answer.
#[derive(Debug)]
struct Silence {
    /// Since when nothing has come back.
    since: Option<Instant>,
    /// How long that may be.
    doubt: Duration,
}

impl Links {
    pub(super) const fn new(target: DtlsTarget, current: Link) -> Self {
        Self {
            target,
            current,
            former: None,
            silence: Silence {
                since: None,
                doubt: FIRST_DOUBT,
            },
        }
    }

    /// Whether another association is needed before a message is sent: this one is over, or nothing has come back for too
    /// long. A peer that has restarted cannot say that it does not know the association.
    pub(super) fn needs_another(&self, now: Instant) -> bool {
        self.current.is_over || self.silence.is_too_long(now)
    }

    /// Goes on with another association, which was begun at a time when [it was needed](Self::needs_another).
    pub(super) fn replace(&mut self, link: Link, begun: Instant) {
        let (remote, peer) = (self.target.remote, link.peer.as_str());
        log::debug!("dtls:{remote}: a new session with {peer}");
        if self.silence.is_too_long(begun) {
            self.silence.prolong();
        }
        self.silence.since = None;
        let former = std::mem::replace(&mut self.current, link);
        self.former = (!former.is_over).then_some(former);
    }

    /// Stays with the current association after a failed attempt to open another, and makes the next attempt later.
    pub(super) fn keep_current(&mut self) {
        self.silence.prolong();
        self.silence.since = None;
    }

    /// Sends one message through the current association.
    pub(super) fn send(
        &mut self,
        workspace: &mut Workspace,
        message: &[u8],
    ) -> Result<(), DtlsError> {
        self.silence.since.get_or_insert_with(Instant::now);
        self.current.send(&mut workspace.exchange, message)
    }

    /// The length of the next message of either association. The message is put into the workspace.
    pub(super) fn receive(
        &mut self,
        workspace: &mut Workspace,
    ) -> Result<Option<usize>, DtlsError> {
        // A datagram that was not read to its end is the current association's.
        for link in [Some(&mut self.current), self.former.as_mut()]
            .into_iter()
            .flatten()
        {
            let Some(length) = link.receive(workspace)? else {
                if link.is_over && link.is_resumed && !link.has_heard {
                    // The server refused what was resumed: the next session begins anew.
                    self.target.keep(None);
                }
                continue;
            };
            link.has_heard = true;
            self.silence.since = None;
            self.silence.doubt = FIRST_DOUBT;
            return Ok(Some(length));
        }
        Ok(None)
    }
}

impl Silence {
    fn prolong(&mut self) {
        self.doubt = (self.doubt * 2).min(LAST_DOUBT);
    }

    fn is_too_long(&self, now: Instant) -> bool {
        self.since
            .is_some_and(|since| now.saturating_duration_since(since) >= self.doubt)
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        for link in self.former.as_mut().into_iter().chain([&mut self.current]) {
            if link.close() {
                let statistics = &self.target.configuration.statistics;
                statistics.client_closes.increment();
            }
        }
    }
}
