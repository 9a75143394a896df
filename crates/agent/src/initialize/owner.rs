//! The files of an agent that does not run as root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use varbind_pki::Directory;

use super::{HOST_KEY, InitializeError};
use varbind::transport::ssh::Account;

/// Root changes what is in a directory, and the agent's group enters it.
const DIRECTORY_MODE: u32 = 0o750;

/// Gives the agent's keys to its user, and lets the user's group read the configuration and enter the directories. The keys of
/// the authority and of the administrator stay root's.
pub(super) fn give(
    user: &str,
    directory: &Path,
    configuration: &Path,
    certificates: &Directory,
) -> Result<(), InitializeError> {
    let account = Account::named(user).ok().flatten();
    let account = account.ok_or_else(|| InitializeError::NoUser(user.to_owned()))?;
    let (uid, gid) = (Some(account.uid), Some(account.gid));
    let host_key = directory.join(HOST_KEY);
    let keys = [certificates.agent().key, host_key.clone()];
    for key in keys.iter().filter(|key| key.exists()) {
        chown(key, uid, gid).map_err(InitializeError::file(key, "cannot be given to the agent"))?;
    }
    for entered in [certificates.path(), host_key.parent().unwrap_or(directory)] {
        let cannot =
            |error| InitializeError::file(entered, "cannot be opened for the agent")(error);
        chown(entered, None, gid).map_err(cannot)?;
        fs::set_permissions(entered, Permissions::from_mode(DIRECTORY_MODE)).map_err(cannot)?;
    }
    let cannot = InitializeError::file(configuration, "cannot be opened for the agent");
    chown(configuration, None, gid).map_err(cannot)
}
