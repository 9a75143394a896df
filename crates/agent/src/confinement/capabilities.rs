//! Root's capabilities (capabilities(7)): an agent keeps those that its configuration needs.

use std::fs;
use std::path::Path;
use std::thread;

use rustix::fs::{Access, access};
use rustix::io::{self, Errno};
use rustix::process::getegid;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set,
    set_capabilities,
};

use super::files::Files;

/// The right to listen on ports below 1024, the only one that another user keeps. Receive buffers beyond net.core.rmem_max
/// (SO_RCVBUFFORCE) are no reason for more: CAP_NET_ADMIN could change addresses, routes and firewall of the host.
pub(super) const LISTEN: CapabilitySet = CapabilitySet::NET_BIND_SERVICE;

/// Removes all capabilities except these from the calling thread, and from the programs that it could start.
///
/// # Errors
/// With the refusal of the kernel.
pub(super) fn keep(kept: CapabilitySet) -> io::Result<()> {
    limit(kept);
    hold(kept)
}

/// Removes all other capabilities from the bounding set.
pub(super) fn limit(kept: CapabilitySet) {
    for number in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        if kept.contains(capability) {
            continue;
        }
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // The kernel has no capability of this number, and none beyond.
            Err(Errno::INVAL) => return,
            Err(error) => {
                log::debug!("the bounding set of capabilities stays: {error}");
                return;
            }
        }
    }
}

/// Removes all other capabilities from the calling thread.
///
/// # Errors
/// With the refusal of the kernel.
pub(super) fn hold(kept: CapabilitySet) -> io::Result<()> {
    let held = capabilities(None)?.permitted & kept;
    set_capabilities(
        None,
        CapabilitySets {
            effective: held,
            permitted: held,
            inheritable: CapabilitySet::empty(),
        },
    )
}

/// The capabilities that an agent of root needs for these files, and for a socket of this group.
pub(super) fn needed(files: &Files, group: Option<u32>) -> CapabilitySet {
    let mut kept = LISTEN | of_files(files);
    if files.of_users {
        kept |= CapabilitySet::DAC_READ_SEARCH;
    }
    if group.is_some_and(|group| group != getegid().as_raw()) {
        kept |= CapabilitySet::CHOWN;
    }
    kept
}

/// What root needs for files of other owners. A thread without capabilities tries to open them.
fn of_files(files: &Files) -> CapabilitySet {
    let attempt = || {
        let mut needed = CapabilitySet::empty();
        if hold(LISTEN).is_err() {
            return needed;
        }
        let mut named = files.named.iter();
        if let Some(path) = named.find(|path| is_denied(path, Access::READ_OK)) {
            log_kept("CAP_DAC_READ_SEARCH", path);
            needed |= CapabilitySet::DAC_READ_SEARCH;
        }
        let mut written = files.written.iter().chain(&files.sockets);
        if let Some(path) = written.find(|path| is_of_other(path)) {
            log_kept("CAP_DAC_OVERRIDE", path);
            needed |= CapabilitySet::DAC_OVERRIDE;
        }
        needed
    };
    thread::scope(|scope| scope.spawn(attempt).join()).unwrap_or(CapabilitySet::empty())
}

/// Whether root without capabilities cannot use a directory or a file in it.
fn is_of_other(directory: &Path) -> bool {
    let all = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
    let file = Access::READ_OK | Access::WRITE_OK;
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    is_denied(directory, all)
        || entries
            .map(|entry| entry.path())
            .any(|path| path.is_file() && is_denied(&path, file))
}

fn is_denied(path: &Path, wanted: Access) -> bool {
    access(path, wanted) == Err(Errno::ACCESS)
}

fn log_kept(capability: &str, path: &Path) {
    log::info!(
        "the agent keeps {capability}, because root cannot use {} without it: set `user` of [process] to the owner",
        path.display()
    );
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, chown};

    use rustix::process::geteuid;
    use rustix::thread::capability_is_in_bounding_set;
    use varbind_testkit::peers::skip;

    use super::*;

    fn is_root() -> bool {
        if !geteuid().is_root() {
            skip("only root has capabilities to give up");
        }
        geteuid().is_root()
    }

    #[test]
    fn a_thread_keeps_only_the_named_capabilities() {
        if !is_root() {
            return;
        }
        // Capabilities are those of a thread.
        let reduced = thread::spawn(|| {
            keep(LISTEN).unwrap();
            let bounding = [LISTEN, CapabilitySet::SYS_PTRACE, CapabilitySet::PERFMON]
                .map(|capability| capability_is_in_bounding_set(capability).unwrap());
            (capabilities(None).unwrap(), bounding)
        });
        let (held, bounding) = reduced.join().unwrap();
        assert_eq!((held.effective, held.permitted), (LISTEN, LISTEN));
        assert!(held.inheritable.is_empty());
        assert_eq!(bounding, [true, false, false]);
    }

    #[test]
    fn files_of_other_owners_need_capabilities_and_those_of_root_do_not() {
        if !is_root() {
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("key"), "").unwrap();
        fs::create_dir(path("state")).unwrap();
        fs::write(path("state/values"), "").unwrap();
        for name in ["key", "state/values"] {
            fs::set_permissions(path(name), fs::Permissions::from_mode(0o600)).unwrap();
        }
        let files = Files {
            named: vec![path("key"), path("missing")],
            written: vec![path("state")],
            ..Files::default()
        };
        assert_eq!(needed(&files, None), LISTEN);
        chown(path("key"), Some(65534), Some(65534)).unwrap();
        let read = LISTEN | CapabilitySet::DAC_READ_SEARCH;
        assert_eq!(needed(&files, None), read);
        chown(path("state/values"), Some(65534), Some(65534)).unwrap();
        let written = read | CapabilitySet::DAC_OVERRIDE;
        assert_eq!(needed(&files, None), written);
        assert_eq!(needed(&files, Some(65534)), written | CapabilitySet::CHOWN);
    }

    #[test]
    fn keys_in_homes_need_a_capability() {
        let files = Files {
            of_users: true,
            ..Files::default()
        };
        assert_eq!(
            needed(&files, None),
            LISTEN | CapabilitySet::DAC_READ_SEARCH
        );
    }
}
