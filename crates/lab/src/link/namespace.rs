use std::fmt;
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::LinkError;
use super::device::{Device, INTERFACE, LinkDevice};
pub(super) use super::lane::End;
use super::route::{Address, RouteSocket};
use super::stir::stir;
use super::system_calls::unshare;

/// What is done in a namespace.
type Task = Box<dyn FnOnce() + Send>;

/// A network namespace, kept by a thread that is in it. What is in it stays as long as any program or socket does.
pub struct Namespace {
    tasks: Sender<Task>,
}

impl Namespace {
    /// A namespace with one end of a link.
    pub(super) fn create(
        end: End,
        mtu: u16,
        device: Option<LinkDevice>,
    ) -> Result<(Self, Device), LinkError> {
        let (tasks, waiting) = channel();
        let (result, is_made) = channel();
        std::thread::Builder::new()
            .name(format!("link-{}", end.name()))
            .spawn(move || {
                let made = furnish(end, mtu, device);
                let is_usable = made.is_ok();
                let _ = result.send(made);
                if is_usable {
                    carry_out(&waiting);
                }
            })
            .map_err(LinkError::thread)?;
        let device = is_made.recv().map_err(|_| LinkError::Ended)??;
        Ok((Self { tasks }, device))
    }

    /// Has what is sent to the other end of a lane leave from this end of the same lane, where the sender says nothing else:
    /// for all lanes up to this number.
    pub(super) fn keep_to_lanes(&self, end: End, lanes: u16) -> Result<(), LinkError> {
        self.run(move || route_lanes(end, lanes))?
            .map_err(|error| LinkError::new("routes in a network namespace", error))
    }

    /// Calls `task` in the namespace. A socket that is opened there belongs to it wherever it is used.
    ///
    /// # Errors
    /// When the thread of the namespace has ended: `task` panicked before.
    pub fn run<T: Send + 'static>(
        &self,
        task: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, LinkError> {
        let (result, is_done) = channel();
        let task = Box::new(move || {
            let _ = result.send(task());
        });
        self.tasks.send(task).map_err(|_| LinkError::Ended)?;
        is_done.recv().map_err(|_| LinkError::Ended)
    }

    /// Puts the calling thread into the namespace, with those and the programs that it starts from now on.
    ///
    /// # Errors
    /// When the system does not allow it.
    pub fn enter(&self) -> Result<(), LinkError> {
        let failed = |error| LinkError::new("entering a network namespace", error);
        let opened = self.run(|| fs::File::open("/proc/thread-self/ns/net"))?;
        let namespace = opened.map_err(failed)?;
        let kind = rustix::thread::LinkNameSpaceType::Network;
        rustix::thread::move_into_link_name_space(namespace.as_fd(), Some(kind))
            .map_err(|error| failed(error.into()))
    }

    /// Adds interfaces, which lead nowhere, until there are so many.
    ///
    /// # Errors
    /// When the system does not allow it.
    pub fn furnish(&self, interfaces: u32) -> Result<(), LinkError> {
        // Loopback and that of the link.
        const OWN: u32 = 2;
        self.run(move || furnish_network(interfaces.saturating_sub(OWN)))?
            .map_err(|error| LinkError::new("interfaces in a network namespace", error))
    }

    /// Starts a program in the namespace.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn spawn(&self, mut command: Command) -> io::Result<Child> {
        self.run(move || command.spawn())
            .unwrap_or_else(|error| Err(io::Error::other(error)))
    }
}

impl fmt::Debug for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Namespace").finish_non_exhaustive()
    }
}

fn carry_out(waiting: &Receiver<Task>) {
    while let Ok(task) = waiting.recv() {
        task();
    }
}

/// Puts this thread into a namespace of its own, and makes one end of the link in it.
fn furnish(end: End, mtu: u16, wanted: Option<LinkDevice>) -> Result<Device, LinkError> {
    unshare(libc::CLONE_NEWNET).map_err(|error| LinkError::new("network namespaces", error))?;
    let device = Device::open(wanted).map_err(|error| {
        let what = match wanted {
            Some(LinkDevice::Veth) => "virtual Ethernet interfaces",
            _ => "tunnels",
        };
        LinkError::new(what, error)
    })?;
    address(end, mtu, device.kind())
        .map_err(|error| LinkError::new("addresses in a network namespace", error))?;
    Ok(device)
}

fn address(end: End, mtu: u16, device: LinkDevice) -> io::Result<()> {
    const FIRST: u16 = 1;
    let v4 = |end: End, lane| Address::V4(end.address(lane).octets());
    let v6 = |end: End, lane| Address::V6(end.address_v6(lane).octets());
    let loopback = interface("lo")?;
    let link = interface(INTERFACE)?;
    let mut routes = RouteSocket::open()?;
    routes.set_up(loopback, None)?;
    match device {
        LinkDevice::Tunnel => routes.set_up(link, Some(u32::from(mtu)))?,
        LinkDevice::Veth => routes.set_up_without_arp(link, u32::from(mtu))?,
    }
    routes.add_address(link, v4(end, FIRST), 32)?;
    routes.add_route(link, v4(end.other(), 0), 16, false)?;
    // All lanes of this end are its own.
    routes.add_route(loopback, v4(end, 0), 16, true)?;
    // Not every machine has IPv6.
    let _ = routes
        .add_address(link, v6(end, FIRST), 128)
        .and_then(|()| routes.add_route(link, v6(end.other(), 0), 112, false))
        .and_then(|()| routes.add_route(loopback, v6(end, 0), 112, true));
    Ok(())
}

fn route_lanes(end: End, lanes: u16) -> io::Result<()> {
    let link = interface(INTERFACE)?;
    let mut routes = RouteSocket::open()?;
    let v4 = |end: End, lane| Address::V4(end.address(lane).octets());
    let v6 = |end: End, lane| Address::V6(end.address_v6(lane).octets());
    for lane in 1..=lanes {
        routes.add_host_route(link, v4(end.other(), lane), v4(end, lane))?;
        // Not every machine has IPv6.
        let _ = routes.add_host_route(link, v6(end.other(), lane), v6(end, lane));
    }
    Ok(())
}

/// The number of an interface of this thread's namespace: what sysfs shows is that of whoever mounted it.
pub(super) fn interface(name: &str) -> io::Result<u32> {
    rustix::net::netdevice::name_to_index(
        rustix::net::socket(
            rustix::net::AddressFamily::INET,
            rustix::net::SocketType::DGRAM,
            None,
        )?,
        name,
    )
    .map_err(io::Error::from)
}

/// Gives this process the right to make network namespaces, if it has not got it: it enters a user namespace.
///
/// It must be called before any thread is started. Afterwards the process sees itself as root, and has no more rights
/// over files than before.
///
/// # Errors
/// When the system does not allow it.
pub fn enter_user_namespace() -> Result<(), LinkError> {
    if has_network_rights() {
        return Ok(());
    }
    let denied = |error| LinkError::new("user namespaces", error);
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    unshare(libc::CLONE_NEWUSER).map_err(denied)?;
    // user_namespaces(7): without setgroups, a group may be mapped by anyone.
    fs::write("/proc/self/setgroups", "deny").map_err(denied)?;
    fs::write("/proc/self/uid_map", format!("0 {} 1", user.as_raw())).map_err(denied)?;
    fs::write("/proc/self/gid_map", format!("0 {} 1", group.as_raw())).map_err(denied)
}

/// Puts this thread, and those and the programs that it starts from now on, into a network namespace of its own with so
/// many interfaces, of which loopback is one and the others are connected with each other in pairs. All are up.
///
/// # Errors
/// When the system does not allow it; see [`enter_user_namespace`].
pub fn enter_network(interfaces: u32) -> Result<(), LinkError> {
    unshare(libc::CLONE_NEWNET).map_err(|error| LinkError::new("network namespaces", error))?;
    furnish_network(interfaces.saturating_sub(1))
        .map_err(|error| LinkError::new("interfaces in a network namespace", error))
}

/// Loopback, and so many others.
fn furnish_network(others: u32) -> io::Result<()> {
    let mut routes = RouteSocket::open()?;
    routes.set_up(interface("lo")?, None)?;
    let mut names = Vec::new();
    for pair in 0..others / 2 {
        let pair = [format!("va{pair}"), format!("vb{pair}")];
        let [one, other] = &pair;
        routes.add_pair([one, other])?;
        names.extend(pair);
    }
    for name in &names {
        routes.set_up(interface(name)?, None)?;
    }
    if others % 2 == 1 {
        let name = "bridge";
        routes.add_bridge(name)?;
        routes.set_up(interface(name)?, None)?;
    }
    stir(&names)
}

/// Whether this thread has CAP_SYS_ADMIN and CAP_NET_ADMIN.
fn has_network_rights() -> bool {
    const NEEDED: u64 = 1 << 21 | 1 << 12;
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let effective = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|text| u64::from_str_radix(text.trim(), 16).ok());
    effective.is_some_and(|effective| effective & NEEDED == NEEDED)
}
