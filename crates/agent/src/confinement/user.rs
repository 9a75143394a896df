use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, chown};
use std::path::Path;

use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_keep_capabilities, set_thread_gid, set_thread_groups, set_thread_uid};
use varbind::transport::ssh::Account;

use super::ConfinementError;
use super::capabilities::{self, LISTEN};

const SOCKET_DIRECTORY_MODE: u32 = 0o755;

/// The user whose rights the agent has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServiceUser {
    name: String,
    uid: u32,
    gid: u32,
}

impl ServiceUser {
    /// Looks the user up.
    ///
    /// # Errors
    /// When there is none, or the system does not tell.
    pub(crate) fn named(name: &str) -> Result<Self, ConfinementError> {
        let refused = |problem: String| ConfinementError::NoUser {
            user: name.to_owned(),
            problem,
        };
        let found = Account::named(name).map_err(|error| refused(error.to_string()))?;
        let account = found.ok_or_else(|| {
            refused(format!(
                "there is no such user: `useradd --system {name}` makes one"
            ))
        })?;
        Ok(Self {
            name: name.to_owned(),
            uid: account.uid,
            gid: account.gid,
        })
    }

    /// Whether the process has this user already.
    pub(super) fn is_assumed(&self) -> bool {
        geteuid().as_raw() == self.uid
    }

    /// Gives the process this user for good, with `group` as the only further group and the right to listen on low ports.
    ///
    /// # Errors
    /// When that is not possible.
    pub(super) fn assume(&self, group: Option<u32>) -> Result<(), ConfinementError> {
        if !geteuid().is_root() {
            return Err(self.refused("the agent runs as another user, who cannot become this one"));
        }
        // Each of these calls is of the calling thread alone.
        if fs::read_dir("/proc/self/task").map_or(0, Iterator::count) > 1 {
            return Err(self.refused("the process has other threads"));
        }
        self.change(group)
            .map_err(|error| self.refused(&error.to_string()))
    }

    fn change(&self, group: Option<u32>) -> rustix::io::Result<()> {
        let groups: Vec<_> = group.into_iter().map(Gid::from_raw).collect();
        set_thread_groups(&groups)?;
        // Another user has no right to do so.
        capabilities::limit(LISTEN);
        set_thread_gid(Gid::from_raw(self.gid))?;
        set_keep_capabilities(true)?;
        set_thread_uid(Uid::from_raw(self.uid))?;
        set_keep_capabilities(false)?;
        capabilities::hold(LISTEN)
    }

    fn refused(&self, problem: &str) -> ConfinementError {
        ConfinementError::User {
            user: self.name.clone(),
            problem: problem.to_owned(),
        }
    }
}

/// Makes a directory for sockets where there is none, for all to enter.
pub(super) fn create_socket_directory(path: &Path) -> std::io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(SOCKET_DIRECTORY_MODE)
        .create(path)
}

/// Has `create` make a directory where there is none, for `user` if the process does not run as that one yet. One of root that
/// is empty is given to the user too.
pub(super) fn make_directory(
    path: &Path,
    user: Option<&ServiceUser>,
    create: fn(&Path) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let is_new = !path.exists();
    create(path)?;
    let Some(user) = user else {
        return Ok(());
    };
    let is_of_root = fs::metadata(path)?.uid() == 0;
    let is_empty = fs::read_dir(path)?.next().is_none();
    if is_new || (is_of_root && is_empty) {
        chown(path, Some(user.uid), Some(user.gid))?;
    }
    Ok(())
}
