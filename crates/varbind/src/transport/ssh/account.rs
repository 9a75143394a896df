//! Users of the operating system.

#![expect(
    unsafe_code,
    reason = "the C library alone asks all that the system's configuration names"
)]

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The largest room for the fields of a user.
const LARGEST: usize = 1 << 20;

/// A user of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The name by which the user logs in.
    pub name: String,
    /// The number.
    pub uid: u32,
    /// The number of its first group.
    pub gid: u32,
    /// The home directory.
    pub home: PathBuf,
    /// The program that the user is given after login; empty for that of the system.
    pub shell: PathBuf,
    /// The password field of `/etc/passwd`.
    pub(crate) password: Vec<u8>,
}

/// What `/etc/shadow` says of a user (shadow(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shadow {
    /// The password field.
    pub(crate) password: Vec<u8>,
    /// The last day of the account, in days since 1970.
    pub(crate) expiry: Option<libc::c_long>,
}

impl Account {
    /// The user whom this process runs as.
    #[must_use]
    pub fn current() -> Option<Self> {
        Self::numbered(rustix::process::geteuid().as_raw())
            .ok()
            .flatten()
    }

    /// The user with a name; `None` if there is none.
    ///
    /// # Errors
    /// When the operating system does not tell.
    pub fn named(name: &str) -> io::Result<Option<Self>> {
        let Ok(name) = CString::new(name) else {
            return Ok(None);
        };
        look_up(|entry, room, result| {
            // SAFETY: `name` ends with zero; `entry` and `result` may be written to, and `room` has the length given.
            unsafe {
                libc::getpwnam_r(
                    name.as_ptr(),
                    entry,
                    room.as_mut_ptr().cast(),
                    room.len(),
                    result,
                )
            }
        })
    }

    /// The user with a number; `None` if there is none.
    ///
    /// # Errors
    /// When the operating system does not tell.
    pub fn numbered(uid: u32) -> io::Result<Option<Self>> {
        look_up(|entry, room, result| {
            // SAFETY: `entry` and `result` may be written to, and `room` has the length given.
            unsafe { libc::getpwuid_r(uid, entry, room.as_mut_ptr().cast(), room.len(), result) }
        })
    }
}

impl Shadow {
    /// The entry of the user with a name; `None` if there is none, or this process may not read it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = CString::new(name).ok()?;
        let mut room = vec![0; 1024];
        loop {
            let mut entry = MaybeUninit::<libc::spwd>::uninit();
            let mut result = std::ptr::null_mut();
            // SAFETY: `name` ends with zero; `entry` and `result` may be written to, and `room` has the length given.
            let error = unsafe {
                libc::getspnam_r(
                    name.as_ptr(),
                    entry.as_mut_ptr(),
                    room.as_mut_ptr(),
                    room.len(),
                    &raw mut result,
                )
            };
            match error {
                0 if result.is_null() => return None,
                0 => {
                    // SAFETY: the call succeeded and found an entry, so that `entry` is written.
                    let entry = unsafe { entry.assume_init_ref() };
                    // SAFETY: its texts are in `room` and end with zero; the text is copied before `room` goes.
                    let password = unsafe { CStr::from_ptr(entry.sp_pwdp) };
                    return Some(Self {
                        password: password.to_bytes().to_vec(),
                        // -1 is no date.
                        expiry: (entry.sp_expire >= 0).then_some(entry.sp_expire),
                    });
                }
                libc::ERANGE if room.len() < LARGEST => {
                    let larger = room.len() * 4;
                    room.resize(larger, 0);
                }
                _ => return None,
            }
        }
    }
}

type Ask<'a> =
    &'a dyn Fn(*mut libc::passwd, &mut [MaybeUninit<u8>], *mut *mut libc::passwd) -> libc::c_int;

fn look_up(
    ask: impl Fn(*mut libc::passwd, &mut [MaybeUninit<u8>], *mut *mut libc::passwd) -> libc::c_int,
) -> io::Result<Option<Account>> {
    let ask: Ask<'_> = &ask;
    let mut room = vec![MaybeUninit::uninit(); 1024];
    loop {
        let mut entry = MaybeUninit::<libc::passwd>::uninit();
        let mut result = std::ptr::null_mut();
        match ask(entry.as_mut_ptr(), &mut room, &raw mut result) {
            0 if result.is_null() => return Ok(None),
            0 => {
                // SAFETY: the call succeeded and found a user, so that `entry` is written, and its texts are in `room`
                // or in static memory, and end with zero.
                let entry = unsafe { entry.assume_init_ref() };
                let texts = [entry.pw_name, entry.pw_dir, entry.pw_shell, entry.pw_passwd];
                // SAFETY: as above; all are copied before `room` goes.
                let [name, home, shell, password] =
                    texts.map(|text| unsafe { CStr::from_ptr(text) });
                return Ok(Some(Account {
                    name: name.to_string_lossy().into_owned(),
                    uid: entry.pw_uid,
                    gid: entry.pw_gid,
                    home: OsStr::from_bytes(home.to_bytes()).into(),
                    shell: OsStr::from_bytes(shell.to_bytes()).into(),
                    password: password.to_bytes().to_vec(),
                }));
            }
            libc::ERANGE if room.len() < LARGEST => {
                let larger = room.len() * 4;
                room.resize(larger, MaybeUninit::uninit());
            }
            // Different systems say in different ways that there is no such user.
            libc::ENOENT | libc::ESRCH | libc::EBADF | libc::EPERM => return Ok(None),
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_name_and_by_number() {
        let root = Account::numbered(0).unwrap().unwrap();
        assert_eq!(root.name, "root");
        assert_eq!(Account::named("root").unwrap(), Some(root));
        assert_eq!(Account::named("no such user").unwrap(), None);
        assert_eq!(Account::named("zero\0inside").unwrap(), None);
    }
}
