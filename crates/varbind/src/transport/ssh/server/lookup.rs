//! Look-ups of users, keys and passwords, in threads that may wait: for a home directory on another host, for a directory
//! service, for PAM.
//!
//! Invariant: look-ups that never end take no more than a few threads, and those of one user no more than half of these.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

/// Look-ups at a time.
const LOOKUPS: usize = 16;
/// Those of one user.
const OF_ONE_USER: usize = LOOKUPS / 2;
/// How long a look-up waits for one of the others to end.
const PATIENCE: Duration = Duration::from_secs(5);

static PERMITS: Semaphore = Semaphore::const_new(LOOKUPS);
static USERS: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);

/// Why nothing was looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::transport::ssh) enum LookupError {
    /// Too many others have not ended.
    #[error(
        "the system has not answered {LOOKUPS} look-ups of users: a directory service or a file server may hang"
    )]
    Busy,
    /// Too many others of the same user have not ended.
    #[error(
        "the system has not answered {OF_ONE_USER} look-ups of this user: the server of its home may hang"
    )]
    BusyUser,
    /// The look-up panicked.
    #[error("the look-up failed")]
    Failed,
}

/// The place of a look-up; dropping it gives it back.
struct Place {
    user: String,
    _permit: SemaphorePermit<'static>,
}

fn users() -> MutexGuard<'static, Option<HashMap<String, usize>>> {
    USERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Place {
    async fn take(user: &str) -> Result<Self, LookupError> {
        let is_full = |users: &HashMap<String, usize>| {
            users.get(user).is_some_and(|count| *count >= OF_ONE_USER)
        };
        if users().as_ref().is_some_and(is_full) {
            return Err(LookupError::BusyUser);
        }
        let permit = tokio::time::timeout(PATIENCE, PERMITS.acquire()).await;
        let permit = permit
            .map_err(|_| LookupError::Busy)?
            .map_err(|_| LookupError::Failed)?;
        let mut users = users();
        let users = users.get_or_insert_default();
        *users.entry(user.to_owned()).or_default() += 1;
        Ok(Self {
            user: user.to_owned(),
            _permit: permit,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(users) = users().as_mut()
            && let Some(count) = users.get_mut(&self.user)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                users.remove(&self.user);
            }
        }
    }
}

/// Looks something up about a user.
///
/// # Errors
/// When too many look-ups have not ended yet.
pub(in crate::transport::ssh) async fn look_up<T: Send + 'static>(
    user: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, LookupError> {
    let place = Place::take(user).await?;
    let working = tokio::task::spawn_blocking(move || {
        let found = work();
        drop(place);
        found
    });
    working.await.map_err(|_| LookupError::Failed)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[tokio::test]
    async fn look_ups_that_hang_take_few_threads_and_leave_some_to_others() {
        let mut hanging = Vec::new();
        let mut hang = async |user: &str| {
            let (end, ended) = channel::<()>();
            let (begun, has_begun) = tokio::sync::oneshot::channel();
            let user = user.to_owned();
            let task = tokio::spawn(async move {
                let work = move || {
                    let _ = begun.send(());
                    let _ = ended.recv();
                };
                look_up(&user, work).await
            });
            if has_begun.await.is_ok() {
                hanging.push((end, task));
                return Ok(());
            }
            task.await.unwrap()
        };
        for _ in 0..OF_ONE_USER {
            hang("one").await.unwrap();
        }
        assert_eq!(hang("one").await, Err(LookupError::BusyUser));
        assert_eq!(look_up("other", || 1).await, Ok(1));
        for number in OF_ONE_USER..LOOKUPS {
            hang(&format!("user {number}")).await.unwrap();
        }
        assert_eq!(look_up("other", || 1).await, Err(LookupError::Busy));
        for (end, task) in hanging {
            drop(end);
            task.await.unwrap().unwrap();
        }
        assert_eq!(look_up("one", || 1).await, Ok(1));
    }
}
