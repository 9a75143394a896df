//! The system calls for many datagrams at once, which the standard library does not have: recvmmsg, sendmmsg, their
//! control messages, and what became of datagrams. The only unsafe code of the crate.
#![expect(
    unsafe_code,
    reason = "recvmmsg, sendmmsg, control messages and SO_MEMINFO have no safe interface in std or socket2"
)]

use std::io;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;

use super::Datagram;

/// Room for one datagram, or for those that the kernel merged.
const SLOT: usize = 65_536;
/// Room for the control messages of one datagram: destination and segment size.
const CONTROL: usize = 128;

/// The local address that a datagram was sent to, to be the source of the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalAddress {
    pub(super) ip: IpAddr,
    /// The interface, which only link-local IPv6 addresses need; 0 for others.
    interface: u32,
}

impl LocalAddress {
    /// An address that is good at any interface.
    pub(super) const fn of_ip(ip: IpAddr) -> Self {
        Self { ip, interface: 0 }
    }
}

/// Control data, aligned for `cmsghdr`.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct ControlBuffer([u8; CONTROL]);

fn set_option(socket: BorrowedFd<'_>, level: i32, name: i32, value: i32) -> io::Result<()> {
    // SAFETY: the option value is a live c_int, and its exact size is given.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            ptr::from_ref(&value).cast(),
            size_of::<i32>() as libc::socklen_t,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Asks the kernel to tell the destination of each datagram.
pub(super) fn receive_destination(socket: BorrowedFd<'_>, family: IpAddr) -> io::Result<()> {
    match family {
        IpAddr::V4(_) => set_option(socket, libc::IPPROTO_IP, libc::IP_PKTINFO, 1),
        IpAddr::V6(_) => set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO, 1),
    }
}

/// Lets the kernel deliver several datagrams of one peer as one (UDP_GRO).
pub(super) fn merge_received(socket: BorrowedFd<'_>) -> io::Result<()> {
    set_option(socket, libc::IPPROTO_UDP, libc::UDP_GRO, 1)
}

/// Asks the kernel to keep what routers and hosts report about datagrams, with the address that each was sent to.
pub(super) fn queue_errors(socket: BorrowedFd<'_>, family: IpAddr) -> io::Result<()> {
    match family {
        IpAddr::V4(_) => set_option(socket, libc::IPPROTO_IP, libc::IP_RECVERR, 1),
        IpAddr::V6(_) => set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVERR, 1),
    }
}

/// The next of those reports: the address that was sent to, and the error.
pub(super) fn take_error(socket: BorrowedFd<'_>) -> io::Result<Option<(SocketAddr, io::Error)>> {
    // SAFETY: all-zero octets are a valid sockaddr_storage.
    let mut name = unsafe { mem::zeroed::<libc::sockaddr_storage>() };
    // sock_extended_err is followed by the address of who reports.
    let mut control = [ControlBuffer([0; CONTROL]); 4];
    let mut payload = [0_u8; 64];
    let mut vector = libc::iovec {
        iov_base: payload.as_mut_ptr().cast(),
        iov_len: payload.len(),
    };
    // SAFETY: all-zero octets are a valid msghdr.
    let mut header = unsafe { mem::zeroed::<libc::msghdr>() };
    header.msg_name = ptr::from_mut(&mut name).cast();
    header.msg_namelen = size_of_val(&name) as libc::socklen_t;
    header.msg_iov = &raw mut vector;
    header.msg_iovlen = 1;
    header.msg_control = control.as_mut_ptr().cast();
    header.msg_controllen = size_of_val(&control);
    let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
    // SAFETY: the header points to a live name, iovec, payload and control data with their true sizes.
    let result = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut header, flags) };
    if result < 0 {
        let error = io::Error::last_os_error();
        return match error.kind() {
            io::ErrorKind::WouldBlock => Ok(None),
            _ => Err(error),
        };
    }
    let length = header.msg_controllen.min(size_of_val(&control));
    let mut found = None;
    for (level, kind, data) in
        ControlMessages::new(control.map(|part| part.0).as_flattened(), length)
    {
        // sock_extended_err begins with the number of the error.
        let is_report = matches!(
            (level, kind),
            (libc::IPPROTO_IP, libc::IP_RECVERR) | (libc::IPPROTO_IPV6, libc::IPV6_RECVERR)
        );
        if is_report && let Some(number) = data.first_chunk() {
            found = Some(i32::from_ne_bytes(*number));
        }
    }
    Ok(found.and_then(|number| {
        let error = io::Error::from_raw_os_error(number);
        socket_address(&name).map(|address| (address, error))
    }))
}

/// Asks for room for received datagrams beyond the limit of unprivileged programs (SO_RCVBUFFORCE).
pub(super) fn force_receive_buffer(socket: BorrowedFd<'_>, octets: i32) -> io::Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, octets)
}

/// How many datagrams the kernel has thrown away since the socket was made, for lack of room or as damaged (sk_drops).
///
/// SO_RXQ_OVFL tells the same, but only along with the next datagram: what is lost after the last one stays unknown.
pub(super) fn dropped(socket: BorrowedFd<'_>) -> io::Result<u32> {
    // The values of linux/sock_diag.h, of which newer kernels may have more.
    const DROPS: usize = 8;
    let mut values = [0_u32; 16];
    let mut length = size_of_val(&values) as libc::socklen_t;
    // SAFETY: the buffer is live and writable, and its exact size in octets is given; the kernel writes no more.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            values.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    if (length as usize) < (DROPS + 1) * size_of::<u32>() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(values[DROPS])
}

/// Buffers for the datagrams of one system call.
pub struct ReceiveBatch {
    // Invariant: `headers` points into the other vectors, which keep their size and place as long as it lives.
    headers: Vec<libc::mmsghdr>,
    _vectors: Vec<libc::iovec>,
    names: Vec<libc::sockaddr_storage>,
    controls: Vec<ControlBuffer>,
    buffer: Vec<u8>,
    received: usize,
}

// SAFETY: the pointers of `headers` lead into vectors that the batch owns and that nothing else has pointers to.
unsafe impl Send for ReceiveBatch {}

impl std::fmt::Debug for ReceiveBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReceiveBatch")
            .field("capacity", &self.headers.len())
            .field("received", &self.received)
            .finish_non_exhaustive()
    }
}

impl ReceiveBatch {
    /// Buffers for up to `capacity` datagrams, each of which may be several that the kernel merged.
    ///
    /// The operating system provides only memory that datagrams fill.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let mut buffer = vec![0_u8; capacity * SLOT];
        // SAFETY: all-zero octets are a valid sockaddr_storage.
        let mut names = vec![unsafe { mem::zeroed::<libc::sockaddr_storage>() }; capacity];
        let mut controls = vec![ControlBuffer([0; CONTROL]); capacity];
        let mut vectors: Vec<_> = buffer
            .chunks_exact_mut(SLOT)
            .map(|slot| libc::iovec {
                iov_base: slot.as_mut_ptr().cast(),
                iov_len: SLOT,
            })
            .collect();
        let headers = names
            .iter_mut()
            .zip(&mut controls)
            .zip(&mut vectors)
            .map(|((name, control), vector)| {
                // SAFETY: all-zero octets are a valid mmsghdr (null pointers, zero lengths).
                let mut header = unsafe { mem::zeroed::<libc::mmsghdr>() };
                header.msg_hdr.msg_name = ptr::from_mut(name).cast();
                header.msg_hdr.msg_iov = vector;
                header.msg_hdr.msg_iovlen = 1;
                header.msg_hdr.msg_control = control.0.as_mut_ptr().cast();
                header
            })
            .collect();
        Self {
            headers,
            _vectors: vectors,
            names,
            controls,
            buffer,
            received: 0,
        }
    }

    pub(super) fn receive(&mut self, socket: BorrowedFd<'_>, wait: bool) -> io::Result<()> {
        self.received = 0;
        for header in &mut self.headers {
            header.msg_hdr.msg_namelen = size_of::<libc::sockaddr_storage>() as u32;
            header.msg_hdr.msg_controllen = CONTROL;
        }
        let flags = if wait {
            libc::MSG_WAITFORONE
        } else {
            libc::MSG_DONTWAIT
        };
        // SAFETY: each header points to one name, one control buffer and one iovec of its own with their true sizes;
        // all are owned by self, borrowed mutably here, and keep their place (see the invariant of `headers`).
        let received = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                self.headers.as_mut_ptr(),
                self.headers.len() as u32,
                flags,
                ptr::null_mut(),
            )
        };
        self.received = usize::try_from(received).map_err(|_| io::Error::last_os_error())?;
        Ok(())
    }

    /// Whether the last call filled all buffers, so that more datagrams may wait.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.received == self.headers.len()
    }

    /// The datagrams that the last call received; those that the kernel merged are taken apart again.
    pub fn datagrams(&self) -> impl Iterator<Item = Datagram<'_>> {
        (0..self.received).flat_map(|at| self.segments(at))
    }

    fn segments(&self, at: usize) -> impl Iterator<Item = Datagram<'_>> {
        let parts = self
            .headers
            .get(at)
            .zip(self.names.get(at))
            // A socket that is woken receives nothing from nobody.
            .filter(|(header, _)| header.msg_hdr.msg_namelen > 0)
            .and_then(|(header, name)| {
                let remote = socket_address(name)?;
                let start = at * SLOT;
                let octets = self.buffer.get(start..start + header.msg_len as usize)?;
                // A truncated datagram is not a message.
                let is_whole = header.msg_hdr.msg_flags & libc::MSG_TRUNC == 0;
                is_whole.then(|| (remote, self.control(at), octets))
            });
        parts.into_iter().flat_map(|(remote, control, octets)| {
            let segment = control.segment.filter(|&size| size > 0);
            // An empty datagram is one too.
            let empty = octets.is_empty().then_some(octets);
            octets
                .chunks(segment.unwrap_or(SLOT))
                .chain(empty)
                .map(move |payload| Datagram {
                    remote,
                    local: control.local,
                    payload,
                })
        })
    }

    fn control(&self, at: usize) -> Control {
        let mut found = Control {
            local: None,
            segment: None,
        };
        let (Some(header), Some(buffer)) = (self.headers.get(at), self.controls.get(at)) else {
            return found;
        };
        for (level, kind, data) in ControlMessages::new(&buffer.0, header.msg_hdr.msg_controllen) {
            found.take(level, kind, data);
        }
        found
    }
}

/// The control messages of a buffer: level, type and data of each.
struct ControlMessages<'a>(&'a [u8]);

impl<'a> ControlMessages<'a> {
    /// Those in the first `length` octets.
    fn new(buffer: &'a [u8], length: usize) -> Self {
        Self(buffer.get(..length).unwrap_or(buffer))
    }
}

impl<'a> Iterator for ControlMessages<'a> {
    type Item = (i32, i32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        const HEADER: usize = size_of::<libc::cmsghdr>();
        if self.0.len() < HEADER {
            return None;
        }
        // SAFETY: the slice has at least the size of a cmsghdr, which any octets are valid for; the read need not be
        // aligned.
        let message = unsafe { ptr::read_unaligned(self.0.as_ptr().cast::<libc::cmsghdr>()) };
        let data = self.0.get(HEADER..message.cmsg_len)?;
        let next = message
            .cmsg_len
            .next_multiple_of(align_of::<libc::cmsghdr>());
        self.0 = self.0.get(next..).unwrap_or(&[]);
        Some((message.cmsg_level, message.cmsg_type, data))
    }
}

/// What control messages tell or ask.
pub(super) struct Control {
    /// The local address.
    pub(super) local: Option<LocalAddress>,
    /// The size of the datagrams that are merged in one payload.
    pub(super) segment: Option<usize>,
}

impl Control {
    fn take(&mut self, level: i32, kind: i32, data: &[u8]) {
        match (level, kind) {
            (libc::IPPROTO_UDP, libc::UDP_GRO) => {
                let size = data.first_chunk().map(|octets| i32::from_ne_bytes(*octets));
                self.segment = size.and_then(|size| usize::try_from(size).ok());
            }
            (libc::IPPROTO_IP, libc::IP_PKTINFO) => {
                // in_pktinfo: ifindex, spec_dst (the local address that a reply should have), addr
                if let [_, _, _, _, a, b, c, d, ..] = *data {
                    self.local = Some(LocalAddress {
                        ip: IpAddr::V4(Ipv4Addr::new(a, b, c, d)),
                        interface: 0,
                    });
                }
            }
            (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
                // in6_pktinfo: addr, ifindex
                if let Some((octets, rest)) = data.split_first_chunk::<16>()
                    && let Some(interface) = rest.first_chunk()
                {
                    let ip = Ipv6Addr::from(*octets);
                    let is_link_local = ip.is_unicast_link_local();
                    self.local = (!ip.is_multicast()).then(|| LocalAddress {
                        ip: IpAddr::V6(ip),
                        interface: if is_link_local {
                            u32::from_ne_bytes(*interface)
                        } else {
                            0
                        },
                    });
                }
            }
            _ => {}
        }
    }

    /// Writes the control messages and returns their length.
    fn write(&self, buffer: &mut ControlBuffer) -> usize {
        let mut length = 0;
        match self.local {
            Some(LocalAddress {
                ip: IpAddr::V4(ip), ..
            }) => {
                let mut data = [0; 12];
                data[4..8].copy_from_slice(&ip.octets());
                append(
                    buffer,
                    &mut length,
                    libc::IPPROTO_IP,
                    libc::IP_PKTINFO,
                    &data,
                );
            }
            Some(LocalAddress {
                ip: IpAddr::V6(ip),
                interface,
            }) => {
                let mut data = [0; 20];
                data[..16].copy_from_slice(&ip.octets());
                data[16..].copy_from_slice(&interface.to_ne_bytes());
                append(
                    buffer,
                    &mut length,
                    libc::IPPROTO_IPV6,
                    libc::IPV6_PKTINFO,
                    &data,
                );
            }
            None => {}
        }
        if let Some(size) = self.segment.and_then(|size| u16::try_from(size).ok()) {
            let data = size.to_ne_bytes();
            append(
                buffer,
                &mut length,
                libc::IPPROTO_UDP,
                libc::UDP_SEGMENT,
                &data,
            );
        }
        length
    }
}

/// Appends one control message; what does not fit is left out (all that this module writes fits).
fn append(buffer: &mut ControlBuffer, length: &mut usize, level: i32, kind: i32, data: &[u8]) {
    const HEADER: usize = size_of::<libc::cmsghdr>();
    let total = (HEADER + data.len()).next_multiple_of(align_of::<libc::cmsghdr>());
    let Some(room) = buffer.0.get_mut(*length..*length + total) else {
        return;
    };
    // SAFETY: all-zero octets are a valid cmsghdr.
    let mut header = unsafe { mem::zeroed::<libc::cmsghdr>() };
    header.cmsg_len = HEADER + data.len();
    header.cmsg_level = level;
    header.cmsg_type = kind;
    // SAFETY: `room` has at least the size of a cmsghdr, and the write need not be aligned.
    unsafe { ptr::write_unaligned(room.as_mut_ptr().cast(), header) };
    if let Some(place) = room.get_mut(HEADER..HEADER + data.len()) {
        place.copy_from_slice(data);
    }
    *length += total;
}

fn socket_address(name: &libc::sockaddr_storage) -> Option<SocketAddr> {
    match i32::from(name.ss_family) {
        libc::AF_INET => {
            // SAFETY: the kernel wrote a sockaddr_in, as the family tells, and sockaddr_storage is larger and at least
            // as strictly aligned.
            let v4 = unsafe { &*ptr::from_ref(name).cast::<libc::sockaddr_in>() };
            let ip = Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr));
            Some(SocketAddrV4::new(ip, u16::from_be(v4.sin_port)).into())
        }
        libc::AF_INET6 => {
            // SAFETY: as above, with sockaddr_in6.
            let v6 = unsafe { &*ptr::from_ref(name).cast::<libc::sockaddr_in6>() };
            let ip = Ipv6Addr::from(v6.sin6_addr.s6_addr);
            let port = u16::from_be(v6.sin6_port);
            Some(SocketAddrV6::new(ip, port, v6.sin6_flowinfo, v6.sin6_scope_id).into())
        }
        _ => None,
    }
}

/// Datagrams for one system call.
pub(super) struct SendVector<'a> {
    names: Vec<socket2::SockAddr>,
    controls: Vec<(ControlBuffer, usize)>,
    vectors: Vec<libc::iovec>,
    /// How many of `vectors` belong to each datagram.
    counts: Vec<usize>,
    payloads: std::marker::PhantomData<&'a [u8]>,
}

impl<'a> SendVector<'a> {
    pub(super) fn with_capacity(datagrams: usize, payloads: usize) -> Self {
        Self {
            names: Vec::with_capacity(datagrams),
            controls: Vec::with_capacity(datagrams),
            vectors: Vec::with_capacity(payloads),
            counts: Vec::with_capacity(datagrams),
            payloads: std::marker::PhantomData,
        }
    }

    pub(super) fn push(
        &mut self,
        remote: SocketAddr,
        control: &Control,
        payloads: impl Iterator<Item = &'a [u8]>,
    ) {
        let before = self.vectors.len();
        self.vectors.extend(payloads.map(|payload| libc::iovec {
            // The kernel only reads from it.
            iov_base: payload.as_ptr().cast_mut().cast(),
            iov_len: payload.len(),
        }));
        self.counts.push(self.vectors.len() - before);
        self.names.push(remote.into());
        let mut buffer = ControlBuffer([0; CONTROL]);
        let length = control.write(&mut buffer);
        self.controls.push((buffer, length));
    }

    /// Sends all that can be sent. Returns the others: which of the datagrams, and why it cannot.
    pub(super) fn send(mut self, socket: BorrowedFd<'_>) -> Vec<(usize, io::Error)> {
        let mut vectors = self.vectors.as_mut_ptr();
        let mut headers = Vec::with_capacity(self.names.len());
        for ((name, (control, length)), &count) in
            self.names.iter().zip(&mut self.controls).zip(&self.counts)
        {
            // SAFETY: all-zero octets are a valid mmsghdr.
            let mut header = unsafe { mem::zeroed::<libc::mmsghdr>() };
            header.msg_hdr.msg_name = name.as_ptr().cast_mut().cast();
            header.msg_hdr.msg_namelen = name.len();
            header.msg_hdr.msg_iov = vectors;
            header.msg_hdr.msg_iovlen = count;
            if *length > 0 {
                header.msg_hdr.msg_control = control.0.as_mut_ptr().cast();
                header.msg_hdr.msg_controllen = *length;
            }
            headers.push(header);
            // SAFETY: `counts` sums up to the length of `vectors`, so the pointer stays inside or one behind its end.
            vectors = unsafe { vectors.add(count) };
        }
        let mut done = 0;
        let mut failed = Vec::new();
        while let Some(rest) = headers.get_mut(done..).filter(|rest| !rest.is_empty()) {
            // SAFETY: every header points to a name, control data and iovecs that self owns and that are not touched
            // until the call returns; the payloads outlive 'a. The kernel writes only msg_len.
            let result = unsafe {
                libc::sendmmsg(socket.as_raw_fd(), rest.as_mut_ptr(), rest.len() as u32, 0)
            };
            match usize::try_from(result) {
                Ok(count) => done += count.max(1),
                // The error is that of the first datagram: those behind it may have other peers.
                Err(_) => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        failed.push((done, error));
                        done += 1;
                    }
                }
            }
        }
        failed
    }
}

/// Sends one datagram, from this local address if one is given.
pub(super) fn send(
    socket: BorrowedFd<'_>,
    payload: &[u8],
    remote: SocketAddr,
    local: Option<LocalAddress>,
) -> io::Result<()> {
    let name = socket2::SockAddr::from(remote);
    let mut vector = libc::iovec {
        iov_base: payload.as_ptr().cast_mut().cast(),
        iov_len: payload.len(),
    };
    let mut buffer = ControlBuffer([0; CONTROL]);
    let control = Control {
        local,
        segment: None,
    };
    let length = control.write(&mut buffer);
    // SAFETY: all-zero octets are a valid msghdr.
    let mut header = unsafe { mem::zeroed::<libc::msghdr>() };
    header.msg_name = name.as_ptr().cast_mut().cast();
    header.msg_namelen = name.len();
    header.msg_iov = &raw mut vector;
    header.msg_iovlen = 1;
    if length > 0 {
        header.msg_control = buffer.0.as_mut_ptr().cast();
        header.msg_controllen = length;
    }
    loop {
        // SAFETY: the header points to a live name, iovec, payload and control data with their true sizes, which the
        // kernel only reads.
        let result = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const header, 0) };
        if result >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
