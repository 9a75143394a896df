//! Messages to the service manager that started the program (`sd_notify(3)`).

use std::env;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use rustix::time::{ClockId, clock_gettime};

/// Sends a state, as `READY=1`, where a service manager waits for it.
pub(crate) fn notify(state: &str) {
    let Some(name) = env::var_os("NOTIFY_SOCKET") else {
        return;
    };
    let address = match name.as_bytes() {
        [b'@', rest @ ..] => SocketAddr::from_abstract_name(rest),
        path => SocketAddr::from_pathname(std::ffi::OsStr::from_bytes(path)),
    };
    let sent = address.and_then(|address| {
        let socket = UnixDatagram::unbound()?;
        socket.send_to_addr(state.as_bytes(), &address)
    });
    if let Err(error) = sent {
        log::warn!(
            "the service manager at {} gets no message: {error}",
            name.display()
        );
    }
}

/// The configuration is being read again; `READY=1` ends that.
pub(crate) fn notify_reloading() {
    let now = clock_gettime(ClockId::Monotonic);
    let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1000;
    notify(&format!("RELOADING=1\nMONOTONIC_USEC={microseconds}"));
}
