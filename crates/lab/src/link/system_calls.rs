//! The system calls of namespaces and tunnels that no safe interface has. The only unsafe code of this crate.
#![allow(
    unsafe_code,
    reason = "unshare and the ioctl of tunnels have no safe interface here"
)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Puts this thread (for a user namespace, this process, which must have one thread) into new namespaces.
pub(super) fn unshare(flags: libc::c_int) -> io::Result<()> {
    // SAFETY: unshare takes no pointers. It changes what this thread sees of the system, not memory: descriptors stay
    // open, and CLONE_FILES and CLONE_VM are not among the flags used here.
    let result = unsafe { libc::unshare(flags) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Makes `device` (/dev/net/tun, open) the tunnel of that name, which carries IP packets without any header.
pub(super) fn make_tunnel(device: &File, name: &str) -> io::Result<()> {
    // IFF_TUN | IFF_NO_PI
    const FLAGS: libc::c_short = 0x0001 | 0x1000;
    // SAFETY: ifreq is plain data, for which zero is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    let room = request.ifr_name.len() - 1;
    for (place, octet) in request.ifr_name.iter_mut().zip(name.bytes().take(room)) {
        *place = octet as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = FLAGS;
    // SAFETY: TUNSETIFF reads and writes one ifreq, which lives until the call returns, and keeps no pointer to it.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF as _, &raw mut request) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
