use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why there is no link.
#[derive(Debug)]
#[non_exhaustive]
pub enum LinkError {
    /// This machine does not let us make namespaces or tunnels: whatever needs a link is to be skipped.
    Denied {
        /// What was not allowed.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// A part of the link could not be made.
    Failed {
        /// Which.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// The capture cannot be written.
    Capture {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The thread of the link has ended.
    Ended,
}

impl LinkError {
    /// Why that could not be done: a matter of rights, or another one.
    pub(super) fn new(what: &'static str, error: io::Error) -> Self {
        const DENIED: [i32; 6] = [
            libc::EPERM,
            libc::EACCES,
            libc::ENOSPC,
            libc::ENOENT,
            libc::ENODEV,
            libc::ENOSYS,
        ];
        if error
            .raw_os_error()
            .is_some_and(|number| DENIED.contains(&number))
        {
            Self::Denied { what, error }
        } else {
            Self::Failed { what, error }
        }
    }

    pub(super) const fn thread(error: io::Error) -> Self {
        Self::Failed {
            what: "starting a thread",
            error,
        }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied { what, error } => {
                write!(f, "this machine does not allow {what} (")?;
                match error.raw_os_error() {
                    // unshare(2): what the error usually means is not meant.
                    Some(libc::ENOSPC) => {
                        f.write_str(
                            "one more is above a limit of /proc/sys/user/max_*_namespaces",
                        )?;
                    }
                    _ => error.fmt(f)?,
                }
                f.write_str(
                    "): an emulated link needs user or root rights over network namespaces, and /dev/net/tun or virtual \
                     Ethernet interfaces",
                )
            }
            Self::Failed { what, error } => write!(f, "{what} failed: {error}"),
            Self::Capture { path, error } => {
                write!(f, "cannot write the capture {}: {error}", path.display())
            }
            Self::Ended => write!(f, "the link has ended"),
        }
    }
}

impl std::error::Error for LinkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Denied { error, .. }
            | Self::Failed { error, .. }
            | Self::Capture { error, .. } => Some(error),
            Self::Ended => None,
        }
    }
}
