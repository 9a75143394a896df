//! The thread that keeps the interfaces and addresses as the kernel has them.

use std::io;
use std::sync::Weak;
use std::time::{Duration, Instant};

use super::Interfaces;
use crate::operating_system::netlink::{Address, LinkChange, NetlinkError, Notifications};

/// Reads of notifications that are taken together, so that hundreds of new links are not hundreds of new tables.
const READS_TOGETHER: usize = 256;
/// When what could not be read is read again: after this, then after twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Operators hear of what could not be read for so long.
const LASTING: Duration = Duration::from_secs(10);

/// Follows the notifications.
pub(super) struct Follower {
    notifications: Notifications,
    stale: Stale,
}

/// What is to be read again.
#[derive(Debug, Default)]
struct Stale {
    links: bool,
    addresses: bool,
    failure: Option<Failure>,
}

/// Reading again failed.
#[derive(Debug)]
struct Failure {
    since: Instant,
    /// When it is tried again.
    next: Instant,
    pause: Duration,
    is_logged: bool,
}

impl Follower {
    pub(super) fn new(notifications: Notifications) -> Self {
        Self {
            notifications,
            stale: Stale::default(),
        }
    }

    /// Follows until the interfaces are unused; that is noticed at the next notification.
    pub(super) fn follow(mut self, watched: &Weak<Interfaces>) {
        loop {
            let mut changes = Vec::new();
            let mut has_new_addresses = false;
            let timeout = self.stale.timeout(Instant::now());
            let waited = self.notifications.wait(READS_TOGETHER, timeout, |message| {
                changes.extend(LinkChange::decode(message));
                has_new_addresses |= Address::is_change(message);
            });
            let Some(interfaces) = watched.upgrade() else {
                return;
            };
            self.stale.addresses |= has_new_addresses;
            match waited {
                Ok(()) => interfaces.apply(changes),
                Err(error) => {
                    // Notifications were lost.
                    self.stale.links = true;
                    if !is_overrun(&error) {
                        self.stale.failed(&error, Instant::now());
                    }
                }
            }
            self.stale.read(&interfaces);
        }
    }
}

impl Stale {
    /// How long to wait for notifications before reading again.
    fn timeout(&self, now: Instant) -> Option<Duration> {
        let failure = self.failure.as_ref()?;
        // Zero would be for ever.
        let rest = failure.next.saturating_duration_since(now);
        Some(rest.max(Duration::from_millis(1)))
    }

    /// Reads what is to be read, if it is time.
    fn read(&mut self, interfaces: &Interfaces) {
        let now = Instant::now();
        let is_early = self
            .failure
            .as_ref()
            .is_some_and(|failure| now < failure.next);
        if is_early || !(self.links || self.addresses) {
            return;
        }
        let read = if self.links {
            interfaces.resynchronize()
        } else {
            interfaces.read_addresses()
        };
        match read {
            Ok(()) => self.succeeded(),
            Err(error) => self.failed(&error, now),
        }
    }

    fn succeeded(&mut self) {
        if self.failure.take().is_some_and(|failure| failure.is_logged) {
            log::info!("the interfaces and their addresses are shown as they are again");
        }
        *self = Self::default();
    }

    fn failed(&mut self, error: &NetlinkError, now: Instant) {
        let failure = self.failure.get_or_insert(Failure {
            since: now,
            next: now,
            pause: FIRST_PAUSE,
            is_logged: false,
        });
        failure.next = now + failure.pause;
        failure.pause = (failure.pause * 2).min(LONGEST_PAUSE);
        log::debug!("{error}; trying again");
        if !failure.is_logged && now.saturating_duration_since(failure.since) >= LASTING {
            failure.is_logged = true;
            let tables = if self.links {
                "ifTable, ifXTable, ifStackTable and the address tables"
            } else {
                "the address tables"
            };
            log::warn!(
                "{tables} have been out of date for {} s: {error}; they are read again each second until that works",
                LASTING.as_secs()
            );
        }
    }
}

fn is_overrun(error: &NetlinkError) -> bool {
    matches!(error, NetlinkError::Io(error) if error.raw_os_error() == Some(libc::ENOBUFS))
        || matches!(error, NetlinkError::Io(error) if error.kind() == io::ErrorKind::OutOfMemory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_read_again_ever_later_and_logged_if_it_lasts() {
        let mut stale = Stale {
            addresses: true,
            ..Stale::default()
        };
        let start = Instant::now();
        assert_eq!(stale.timeout(start), None);
        let mut now = start;
        let mut tries = 0;
        while now < start + LASTING {
            stale.failed(&NetlinkError::Interrupted, now);
            assert!(!stale.failure.as_ref().unwrap().is_logged);
            let pause = stale.timeout(now).unwrap();
            assert!((FIRST_PAUSE..=LONGEST_PAUSE).contains(&pause), "{pause:?}");
            now += pause;
            tries += 1;
        }
        assert!((10..20).contains(&tries), "{tries}");
        stale.failed(&NetlinkError::Interrupted, now);
        assert!(stale.failure.as_ref().unwrap().is_logged && stale.addresses);
        stale.succeeded();
        assert!(!stale.addresses && stale.timeout(now).is_none());
    }
}
