//! Another user for a program that has bound its ports as root.
#![expect(
    unsafe_code,
    reason = "the C library alone changes the user of all threads of a process"
)]

use std::fs;
use std::io;

use rustix::process::{getegid, geteuid, getgid, getgroups, getuid};
use varbind::transport::ssh::{Account, Group};
use varbind_terminal::Failure;

/// A user and a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunAs {
    text: String,
    uid: u32,
    gid: u32,
}

impl RunAs {
    /// Looks up `USER` or `USER:GROUP`, names or numbers. Without a group it is the first one of the user.
    pub(crate) fn find(text: &str) -> Result<Self, Failure> {
        let unknown = |what: &str, name: &str| {
            Failure::Usage(format!("--run-as {text}: there is no {what} {name:?} here"))
        };
        let failed = |error: io::Error| Failure::Usage(format!("--run-as {text}: {error}"));
        let (user, group) = match text.split_once(':') {
            Some((user, group)) => (user, Some(group)),
            None => (text, None),
        };
        let account = match user.parse() {
            Ok(uid) => Account::numbered(uid),
            Err(_) => Account::named(user),
        };
        let account = account
            .map_err(failed)?
            .ok_or_else(|| unknown("user", user))?;
        let gid = match group {
            None => account.gid,
            Some(group) => match group.parse() {
                Ok(gid) => gid,
                Err(_) => {
                    let found = Group::named(group).map_err(failed)?;
                    found.ok_or_else(|| unknown("group", group))?.gid
                }
            },
        };
        Ok(Self {
            text: text.to_owned(),
            uid: account.uid,
            gid,
        })
    }

    /// Makes the process one of this user for good: no other group and no capability is kept.
    ///
    /// # Errors
    /// When that is not possible, or something of the former user is left.
    pub(crate) fn assume(&self) -> Result<(), Failure> {
        let refused = |reason: String| {
            Failure::Usage(format!(
                "--run-as {}: {reason}; start the program as root, or without --run-as as that user",
                self.text
            ))
        };
        // SAFETY: no group is read from the address, since the number of them is zero.
        let result = check(unsafe { libc::setgroups(0, std::ptr::null()) })
            // SAFETY: the calls take numbers and touch no memory of ours.
            .and_then(|()| check(unsafe { libc::setgid(self.gid) }))
            // SAFETY: as above.
            .and_then(|()| check(unsafe { libc::setuid(self.uid) }));
        result.map_err(|error| refused(error.to_string()))?;
        let users = [getuid(), geteuid()].map(rustix::process::Uid::as_raw);
        let groups = [getgid(), getegid()].map(rustix::process::Gid::as_raw);
        let others = getgroups().map_err(|error| refused(error.to_string()))?;
        let is_assumed = users == [self.uid; 2] && groups == [self.gid; 2] && others.is_empty();
        if !is_assumed || (self.uid != 0 && has_capabilities()) {
            return Err(refused("privileges are left".to_owned()));
        }
        Ok(())
    }
}

fn check(result: libc::c_int) -> io::Result<()> {
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether the process is permitted more than its user (`proc_pid_status(5)`).
fn has_capabilities() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let permitted = status.lines().find_map(|line| line.strip_prefix("CapPrm:"));
    let permitted = permitted.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    permitted.is_some_and(|mask| mask != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_and_groups_are_found_by_name_and_by_number() {
        let root = RunAs::find("root").unwrap();
        assert_eq!((root.uid, root.gid), (0, 0));
        let other = RunAs::find("0:daemon").unwrap();
        assert_eq!(other.uid, 0);
        assert_ne!(other.gid, 0);
        assert_eq!(RunAs::find("root:77").unwrap().gid, 77);
        for wrong in ["nobody here", "root:no such group", ""] {
            let error = RunAs::find(wrong).unwrap_err().to_string();
            assert!(error.contains("there is no"), "{error}");
        }
    }
}
