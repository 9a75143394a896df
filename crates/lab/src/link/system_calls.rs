//! The system calls of namespaces and interfaces that no safe interface has.
#![allow(
    unsafe_code,
    reason = "unshare, ioctl of interfaces and packet sockets have no safe interface here"
)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use socket2::{SockAddr, SockAddrStorage, Socket};

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
    let mut request = request_about(name);
    request.ifr_ifru.ifru_flags = FLAGS;
    // SAFETY: TUNSETIFF reads and writes one ifreq, which lives until the call returns, and keeps no pointer to it.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF as _, &raw mut request) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// A request about the interface of that name.
fn request_about(name: &str) -> libc::ifreq {
    // SAFETY: ifreq is plain data, for which zero is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    let room = request.ifr_name.len() - 1;
    for (place, octet) in request.ifr_name.iter_mut().zip(name.bytes().take(room)) {
        *place = octet as libc::c_char;
    }
    request
}

/// The address of a packet socket (packet(7)).
pub(super) fn link_layer_address(interface: u32, protocol: u16, address: [u8; 6]) -> SockAddr {
    let mut storage = SockAddrStorage::zeroed();
    // SAFETY: sockaddr_ll is one of the forms of sockaddr_storage, and smaller; zero is valid for all of its fields.
    let link = unsafe { storage.view_as::<libc::sockaddr_ll>() };
    link.sll_family = libc::AF_PACKET as libc::sa_family_t;
    link.sll_protocol = protocol.to_be();
    link.sll_ifindex = interface.cast_signed();
    link.sll_halen = 6;
    for (place, octet) in link.sll_addr.iter_mut().zip(address) {
        *place = octet;
    }
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the family says that it is a sockaddr_ll, which is what was written, and the length is its length.
    unsafe { SockAddr::new(storage, length) }
}

/// Has a packet socket see what arrives alone.
pub(super) fn ignore_outgoing(socket: &Socket) -> io::Result<()> {
    const PACKET_IGNORE_OUTGOING: libc::c_int = 23;
    let yes: libc::c_int = 1;
    // SAFETY: the option is an int, which lives until the call returns, and its length is what is told.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            PACKET_IGNORE_OUTGOING,
            (&raw const yes).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Has the kernel make checksums and segments itself before packets leave by an interface of this thread's namespace.
pub(super) fn switch_off_offloads(socket: &Socket, name: &str) -> io::Result<()> {
    #[repr(C)]
    struct EthtoolValue {
        command: u32,
        data: u32,
    }
    const SIOCETHTOOL: libc::c_ulong = 0x8946;
    const ETHTOOL_STXCSUM: u32 = 0x17;
    const ETHTOOL_STSO: u32 = 0x1f;
    const ETHTOOL_SGSO: u32 = 0x24;
    for command in [ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_STXCSUM] {
        let mut value = EthtoolValue { command, data: 0 };
        let mut request = request_about(name);
        request.ifr_ifru.ifru_data = (&raw mut value).cast();
        // SAFETY: SIOCETHTOOL reads one ifreq, and by it one ethtool_value, as these commands have it; both live until the
        // call returns, and it keeps no pointer to them.
        let result = unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL as _, &raw mut request) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}
