//! Messages to the service manager that started the program (`sd_notify(3)`).

use std::convert::Infallible;
use std::env;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The socket of the service manager.
const SOCKET: &str = "NOTIFY_SOCKET";
/// After so many microseconds without a message the service manager ends the program.
const WATCHDOG_MICROSECONDS: &str = "WATCHDOG_USEC";
/// The process that the watchdog watches.
const WATCHDOG_PROCESS: &str = "WATCHDOG_PID";

/// The environment variables that a process inherits without being meant.
pub const VARIABLES: [&str; 3] = [SOCKET, WATCHDOG_MICROSECONDS, WATCHDOG_PROCESS];

/// Sends a state, as `READY=1`, where a service manager waits for it.
pub fn notify(state: &str) {
    let Some(name) = env::var_os(SOCKET) else {
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

/// Says that the program serves, also after a reload.
pub fn notify_ready() {
    notify("READY=1");
}

/// Says that the configuration is being read again; [`notify_ready`] ends that.
pub fn notify_reloading() {
    let now = clock_gettime(ClockId::Monotonic);
    let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1000;
    notify(&format!("RELOADING=1\nMONOTONIC_USEC={microseconds}"));
}

/// Says that the program ends.
pub fn notify_stopping() {
    notify("STOPPING=1");
}

/// Says that the program is alive, where a watchdog waits for it.
pub fn notify_alive() {
    notify("WATCHDOG=1");
}

/// How often the watchdog is to be told that this process is alive: twice within its time. `None` without a watchdog.
#[must_use]
pub fn watchdog_interval() -> Option<Duration> {
    let text = |name| env::var(name).ok();
    interval(
        text(WATCHDOG_MICROSECONDS).as_deref(),
        text(WATCHDOG_PROCESS).as_deref(),
        std::process::id(),
    )
}

fn interval(microseconds: Option<&str>, process: Option<&str>, own: u32) -> Option<Duration> {
    let is_meant = process.is_none_or(|process| process.parse() == Ok(own));
    let time = Duration::from_micros(microseconds?.parse().ok()?);
    (is_meant && !time.is_zero()).then_some(time / 2)
}

/// Tells the watchdog from a task of its own, as long as that is run.
pub async fn notify_watchdog() -> Infallible {
    let Some(interval) = watchdog_interval() else {
        return std::future::pending().await;
    };
    loop {
        notify_alive();
        tokio::time::sleep(interval).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watchdog_is_pinged_twice_per_interval() {
        let half = Some(Duration::from_secs(15));
        assert_eq!(interval(Some("30000000"), None, 7), half);
        assert_eq!(interval(Some("30000000"), Some("7"), 7), half);
        assert_eq!(interval(Some("30000000"), Some("8"), 7), None);
        for odd in [None, Some("0"), Some("x"), Some("")] {
            assert_eq!(interval(odd, None, 7), None);
        }
    }
}
