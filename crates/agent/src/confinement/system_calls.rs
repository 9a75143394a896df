//! Seccomp: the kernel refuses system calls that an agent has no use for (seccomp(2)).
//!
//! They fail with ENOSYS, as on an older kernel, so that the C library takes the former way where it has one.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

use super::{ConfinementError, Mechanism};

/// Always allowed.
const ALLOWED: &[c_long] = &[
    // Files.
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_copy_file_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fchdir,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fcntl,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_linkat,
    libc::SYS_lseek,
    libc::SYS_mkdirat,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_pipe2,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_read,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_renameat2,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_sync_file_range,
    libc::SYS_truncate,
    libc::SYS_umask,
    libc::SYS_unlinkat,
    libc::SYS_utimensat,
    libc::SYS_write,
    libc::SYS_writev,
    // Sockets.
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_connect,
    libc::SYS_getpeername,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_listen,
    libc::SYS_recvfrom,
    libc::SYS_recvmmsg,
    libc::SYS_recvmsg,
    libc::SYS_sendfile,
    libc::SYS_sendmmsg,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_setsockopt,
    libc::SYS_shutdown,
    libc::SYS_socketpair,
    // Waiting.
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_futex,
    libc::SYS_getitimer,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_restart_syscall,
    libc::SYS_signalfd4,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_gettime,
    libc::SYS_timerfd_settime,
    // Memory.
    libc::SYS_brk,
    libc::SYS_get_mempolicy,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mincore,
    libc::SYS_mlock,
    libc::SYS_mlock2,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_munlock,
    libc::SYS_munmap,
    // The process and its threads.
    libc::SYS_capget,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getpgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getpriority,
    libc::SYS_getrandom,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getrlimit,
    libc::SYS_getrusage,
    libc::SYS_getsid,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_setrlimit,
    libc::SYS_sigaltstack,
    libc::SYS_sysinfo,
    libc::SYS_tgkill,
    libc::SYS_times,
    libc::SYS_uname,
    libc::SYS_wait4,
    libc::SYS_waitid,
];

/// Calls that newer architectures do without.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_arch_prctl,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_getdents,
    libc::SYS_getpgrp,
    libc::SYS_lchown,
    libc::SYS_link,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_open,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_time,
    libc::SYS_unlink,
];
#[cfg(target_arch = "aarch64")]
const ALLOWED_HERE: &[c_long] = &[libc::SYS_renameat];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ALLOWED_HERE: &[c_long] = &[];

/// The families of sockets that an agent has.
const FAMILIES: [i32; 4] = [
    libc::AF_INET,
    libc::AF_INET6,
    libc::AF_UNIX,
    libc::AF_NETLINK,
];

/// Restricts the calling thread; whether the kernel does that.
///
/// # Errors
/// When it is required and the kernel does not have it.
pub(super) fn restrict(wanted: Mechanism) -> Result<bool, ConfinementError> {
    if wanted == Mechanism::Off {
        return Ok(false);
    }
    let problem = match apply() {
        Ok(()) => return Ok(true),
        Err(problem) => problem,
    };
    if wanted == Mechanism::Required {
        return Err(ConfinementError::Unavailable {
            mechanism: "seccomp",
            problem,
        });
    }
    log::info!("not confined by seccomp: {problem}");
    Ok(false)
}

fn apply() -> Result<(), String> {
    let filter = filter().map_err(|error| error.to_string())?;
    apply_filter(&filter).map_err(|error| error.to_string())
}

fn filter() -> Result<BpfProgram, BackendError> {
    let architecture = TargetArch::try_from(ARCH)?;
    let mut allowed: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in ALLOWED.iter().chain(ALLOWED_HERE) {
        allowed.insert(*call, Vec::new());
    }
    // Threads, but no processes.
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    allowed.insert(
        libc::SYS_clone,
        vec![rule(0, SeccompCmpOp::MaskedEq(thread), thread)?],
    );
    let families = FAMILIES.map(|family| rule(0, SeccompCmpOp::Eq, family.unsigned_abs().into()));
    allowed.insert(
        libc::SYS_socket,
        families.into_iter().collect::<Result<_, _>>()?,
    );
    // No input is put into a terminal that others read from.
    allowed.insert(
        libc::SYS_ioctl,
        vec![rule(1, SeccompCmpOp::Ne, libc::TIOCSTI)?],
    );
    let refuse = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    SeccompFilter::new(allowed, refuse, SeccompAction::Allow, architecture)?.try_into()
}

/// A rule about one argument of a call.
fn rule(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
    SeccompRule::new(vec![condition])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confined_thread_starts_threads_and_no_programs() {
        // The filter is of the thread that this test made, and of those that it starts.
        let confined = std::thread::spawn(|| {
            apply().unwrap();
            let started = std::process::Command::new("/bin/true").spawn();
            let thread = std::thread::spawn(|| std::fs::read("/etc/hostname").is_ok());
            let raw = rustix::net::socket(
                rustix::net::AddressFamily::PACKET,
                rustix::net::SocketType::RAW,
                None,
            );
            (started.is_err(), thread.join().is_ok(), raw.unwrap_err())
        });
        let (is_refused, has_thread, raw) = confined.join().unwrap();
        assert!(is_refused && has_thread);
        assert_eq!(raw, rustix::io::Errno::NOSYS);
    }
}
