use std::io;
use std::path::PathBuf;

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// This machine does not let us make namespaces or tunnels: whatever needs a link is to be skipped.
    #[error(
        "this machine does not allow {what} ({}): an emulated link needs user or root rights over network namespaces, \
         and /dev/net/tun or virtual Ethernet interfaces",
        denial(.error)
    )]
    Denied {
        /// What was not allowed.
        what: &'static str,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// A part of the link could not be made.
    #[error("{what} failed: {error}")]
    Failed {
        /// Which.
        what: &'static str,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// The capture cannot be written.
    #[error("cannot write the capture {path}: {error}")]
    Capture {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// The thread of the link has ended.
    #[error("the link has ended")]
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

fn denial(error: &io::Error) -> String {
    match error.raw_os_error() {
        // unshare(2): what the error usually means is not meant.
        Some(libc::ENOSPC) => {
            "one more is above a limit of /proc/sys/user/max_*_namespaces".to_owned()
        }
        _ => error.to_string(),
    }
}
