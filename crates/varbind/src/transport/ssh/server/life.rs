//! What the parts of one connection have to tell each other.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use super::stream::Valve;

/// The longest account of refusals.
const LONGEST: usize = 1200;
/// The longest reason for one of them.
const LONGEST_REASON: usize = 400;

/// The life of a connection, from its first octet to its end.
#[derive(Debug, Default)]
pub(super) struct Life {
    pub(super) valve: std::sync::Arc<Valve>,
    is_authenticated: AtomicBool,
    is_refused: AtomicBool,
    has_ended: AtomicBool,
    sessions: AtomicUsize,
    /// Something of the above has changed.
    changed: Notify,
    refusals: Mutex<String>,
}

impl Life {
    pub(super) fn authenticate(&self) {
        self.is_authenticated.store(true, Ordering::Relaxed);
        self.valve.open();
        self.changed.notify_one();
    }

    pub(super) fn is_authenticated(&self) -> bool {
        self.is_authenticated.load(Ordering::Relaxed)
    }

    /// The user who has logged in could not do it any more.
    pub(super) fn refuse(&self) {
        self.is_refused.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    pub(super) fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    pub(super) fn begin_session(&self) {
        self.sessions.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_one();
    }

    pub(super) fn end_session(&self) {
        self.sessions.fetch_sub(1, Ordering::Relaxed);
        self.changed.notify_one();
    }

    pub(super) fn has_sessions(&self) -> bool {
        self.sessions.load(Ordering::Relaxed) > 0
    }

    /// The connection is gone.
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// Waits until something changes.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Takes note that a user was refused, to tell it if nothing else succeeds.
    pub(super) fn note_refusal(&self, user: &str, why: &str) {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        let user: String = user.chars().take(64).collect();
        let why: String = why.chars().take(LONGEST_REASON).collect();
        let refusal = format!("user {user:?} with {why}");
        // A key is asked for, and then shown; and a certificate comes with it.
        if refusals.len() < LONGEST && !refusals.contains(&refusal) {
            let separator = if refusals.is_empty() { "" } else { ", " };
            let _ = write!(refusals, "{separator}{refusal}");
        }
    }

    pub(super) fn refusals(&self) -> String {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *refusals)
    }
}
