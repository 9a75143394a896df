use std::fmt;
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::str::FromStr;

/// What makes sessions over SSH slower than they need be: Nagle's algorithm, packets that are sent one by one, and a window
/// that has to be adjusted after every message.
///
/// The first implementation of SNMP over SSH had them (Marinov and Schönwälder, 2006, section 4), and the laboratory
/// measures what each of them costs. By default there is no handicap. In text it is as
/// `nagle=always,window=200,packets=each`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SshHandicap {
    /// How long small segments wait for the acknowledgement of those before.
    pub nagle: Nagle,
    /// How many octets may be sent to this side before it says that more are welcome, in place of so many that it seldom
    /// has to. A window of less than two messages is adjusted after each.
    pub window: Option<u32>,
    /// Whether each packet leaves by itself, though others follow it at once. Nagle's algorithm then has something to delay.
    pub sends_each_packet: bool,
}

/// How long Nagle's algorithm (RFC 9293 section 3.7.4) is left on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nagle {
    /// Not at all: TCP_NODELAY is set before the key exchange.
    #[default]
    Never,
    /// Until the user is authenticated.
    UntilAuthenticated,
    /// As long as the connection lasts.
    Always,
}

impl Nagle {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Never, "never"),
        (Self::UntilAuthenticated, "until-authenticated"),
        (Self::Always, "always"),
    ];

    /// Sets a connection that begins, or one whose user is authenticated. That it stays slow is no reason to end it.
    pub(super) fn set(self, socket: &impl AsFd, is_authenticated: bool) {
        let is_off = match self {
            Self::Never => true,
            Self::UntilAuthenticated => is_authenticated,
            Self::Always => false,
        };
        let _ = socket2::SockRef::from(socket).set_tcp_nodelay(is_off);
    }
}

/// A connection on which Nagle's algorithm is left on, until this goes away or longer.
pub(super) struct Handicapped {
    nagle: Nagle,
    socket: TcpStream,
}

impl Handicapped {
    pub(super) fn new(nagle: Nagle, socket: &impl AsFd) -> Option<Self> {
        // Listeners turn it off.
        if nagle == Nagle::Never {
            return None;
        }
        let socket = TcpStream::from(socket.as_fd().try_clone_to_owned().ok()?);
        nagle.set(&socket, false);
        Some(Self { nagle, socket })
    }
}

impl Drop for Handicapped {
    fn drop(&mut self) {
        self.nagle.set(&self.socket, true);
    }
}

impl fmt::Display for SshHandicap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Nagle::ALL.iter().find(|(nagle, _)| *nagle == self.nagle);
        write!(f, "nagle={}", name.map_or("never", |(_, name)| name))?;
        if let Some(window) = self.window {
            write!(f, ",window={window}")?;
        }
        if self.sends_each_packet {
            f.write_str(",packets=each")?;
        }
        Ok(())
    }
}

impl FromStr for SshHandicap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut handicap = Self::default();
        for part in text.split(',') {
            let wrong = || format!("{part} is not a handicap: write nagle=always or window=200");
            match part.split_once('=').ok_or_else(wrong)? {
                ("nagle", name) => {
                    let nagle = Nagle::ALL.iter().find(|(_, other)| *other == name);
                    handicap.nagle = nagle.ok_or_else(wrong)?.0;
                }
                ("window", octets) => {
                    handicap.window = Some(octets.parse().map_err(|_| wrong())?);
                }
                ("packets", "each") => handicap.sends_each_packet = true,
                _ => return Err(wrong()),
            }
        }
        Ok(handicap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_handicap_is_read_as_it_is_written() {
        for (text, nagle, window) in [
            ("nagle=never", Nagle::Never, None),
            ("nagle=always,window=200", Nagle::Always, Some(200)),
            ("nagle=until-authenticated", Nagle::UntilAuthenticated, None),
        ] {
            let handicap: SshHandicap = text.parse().unwrap();
            assert_eq!((handicap.nagle, handicap.window), (nagle, window));
            assert!(!handicap.sends_each_packet);
            assert_eq!(handicap.to_string(), text);
        }
        let each = "nagle=always,packets=each";
        let handicap: SshHandicap = each.parse().unwrap();
        assert!(handicap.sends_each_packet);
        assert_eq!(handicap.to_string(), each);
        for text in [
            "",
            "nagle",
            "nagle=2",
            "window=-1",
            "speed=0",
            "packets=all",
        ] {
            assert!(text.parse::<SshHandicap>().is_err(), "{text}");
        }
    }
}
