//! Users and groups of the operating system.

#![expect(
    unsafe_code,
    reason = "the C library alone asks all that the system's configuration names"
)]

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The largest room for the fields of an entry.
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

/// A group of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The number.
    pub gid: u32,
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
        // SAFETY: `name` ends with zero, and the call is one of those that `look_up` is for.
        unsafe {
            look_up(
                |entry, room, length, result| {
                    libc::getpwnam_r(name.as_ptr(), entry, room, length, result)
                },
                Self::read,
            )
        }
    }

    /// The user with a number; `None` if there is none.
    ///
    /// # Errors
    /// When the operating system does not tell.
    pub fn numbered(uid: u32) -> io::Result<Option<Self>> {
        // SAFETY: the call is one of those that `look_up` is for.
        unsafe {
            look_up(
                |entry, room, length, result| libc::getpwuid_r(uid, entry, room, length, result),
                Self::read,
            )
        }
    }

    fn read(entry: &libc::passwd) -> Self {
        let texts = [entry.pw_name, entry.pw_dir, entry.pw_shell, entry.pw_passwd];
        // SAFETY: the texts of an entry end with zero, and live as long as it does; all are copied.
        let [name, home, shell, password] = texts.map(|text| unsafe { CStr::from_ptr(text) });
        Self {
            name: name.to_string_lossy().into_owned(),
            uid: entry.pw_uid,
            gid: entry.pw_gid,
            home: OsStr::from_bytes(home.to_bytes()).into(),
            shell: OsStr::from_bytes(shell.to_bytes()).into(),
            password: password.to_bytes().to_vec(),
        }
    }
}

impl Group {
    /// The group with a name; `None` if there is none.
    ///
    /// # Errors
    /// When the operating system does not tell.
    pub fn named(name: &str) -> io::Result<Option<Self>> {
        let Ok(name) = CString::new(name) else {
            return Ok(None);
        };
        // SAFETY: `name` ends with zero, and the call is one of those that `look_up` is for.
        unsafe {
            look_up(
                |entry, room, length, result| {
                    libc::getgrnam_r(name.as_ptr(), entry, room, length, result)
                },
                |entry: &libc::group| Self { gid: entry.gr_gid },
            )
        }
    }
}

impl Shadow {
    /// The entry of the user with a name; `None` if there is none, or this process may not read it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = CString::new(name).ok()?;
        // SAFETY: `name` ends with zero, and the call is one of those that `look_up` is for.
        let found = unsafe {
            look_up(
                |entry, room, length, result| {
                    libc::getspnam_r(name.as_ptr(), entry, room, length, result)
                },
                Self::read,
            )
        };
        found.ok().flatten()
    }

    fn read(entry: &libc::spwd) -> Self {
        // SAFETY: the texts of an entry end with zero, and live as long as it does; this one is copied.
        let password = unsafe { CStr::from_ptr(entry.sp_pwdp) };
        Self {
            password: password.to_bytes().to_vec(),
            // -1 is not a date.
            expiry: (entry.sp_expire >= 0).then_some(entry.sp_expire),
        }
    }
}

/// Looks up an entry with a call like `getpwnam_r`, and reads it. `None` if there is none.
///
/// # Safety
/// `call` writes no more octets to the room than its length. When it returns 0, it has set the result to null, or to an
/// entry whose texts are in the room or live for ever, and end with zero.
unsafe fn look_up<E, T>(
    call: impl Fn(*mut E, *mut libc::c_char, libc::size_t, *mut *mut E) -> libc::c_int,
    read: impl FnOnce(&E) -> T,
) -> io::Result<Option<T>> {
    let mut room = vec![MaybeUninit::<u8>::uninit(); 1024];
    loop {
        let mut entry = MaybeUninit::<E>::uninit();
        let mut result = std::ptr::null_mut();
        let length = room.len();
        match call(
            entry.as_mut_ptr(),
            room.as_mut_ptr().cast(),
            length,
            &raw mut result,
        ) {
            // SAFETY: the result is null or an entry, which is read while the room is there.
            0 => return Ok(unsafe { result.as_ref() }.map(read)),
            libc::ERANGE if length < LARGEST => room.resize(length * 4, MaybeUninit::uninit()),
            // Different systems say in different ways that there is no such entry.
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
    #[test]
    fn groups_are_found_by_name() {
        assert_eq!(Group::named("root").unwrap(), Some(Group { gid: 0 }));
        assert_eq!(Group::named("no such group").unwrap(), None);
        assert_eq!(Group::named("zero\0inside").unwrap(), None);
    }
}
