//! Cookies by which a client shows that it receives what is sent to its address (RFC 6347 section 4.2.1).

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// How long a secret makes cookies; it is accepted for as long again.
const ROTATION: Duration = Duration::from_secs(60);

/// As long as a block of the digest.
type Secret = Zeroizing<[u8; 64]>;

/// Makes and checks cookies: a digest over the client's address with a secret that changes. Nothing is kept of clients.
pub(super) struct Cookies {
    current: Secret,
    previous: Option<Secret>,
    since: Instant,
}

impl Cookies {
    /// # Errors
    /// When the operating system has no random octets.
    pub(super) fn new(now: Instant) -> io::Result<Self> {
        Ok(Self {
            current: random_secret()?,
            previous: None,
            since: now,
        })
    }

    /// The cookie of a client.
    pub(super) fn make(&mut self, client: SocketAddr, now: Instant) -> io::Result<[u8; 32]> {
        self.rotate(now)?;
        Ok(digest(&self.current, client).finalize().into_bytes().into())
    }

    /// Whether this is a cookie of this client.
    pub(super) fn accept(&mut self, client: SocketAddr, cookie: &[u8], now: Instant) -> bool {
        let is_fresh = self.rotate(now).is_ok();
        let mut secrets = [Some(&self.current), self.previous.as_ref()]
            .into_iter()
            .flatten();
        is_fresh && secrets.any(|secret| digest(secret, client).verify_slice(cookie).is_ok())
    }

    fn rotate(&mut self, now: Instant) -> io::Result<()> {
        let age = now.saturating_duration_since(self.since);
        if age >= ROTATION {
            let next = random_secret()?;
            let former = std::mem::replace(&mut self.current, next);
            self.previous = (age < 2 * ROTATION).then_some(former);
            self.since = now;
        }
        Ok(())
    }
}

fn random_secret() -> io::Result<Secret> {
    let mut secret = Secret::new([0; 64]);
    let mut filled = 0;
    while let Some(rest) = secret.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(secret)
}

fn digest(secret: &Secret, client: SocketAddr) -> Hmac<Sha256> {
    let mut digest = <Hmac<Sha256> as KeyInit>::new(&(**secret).into());
    match client.ip() {
        IpAddr::V4(address) => digest.update(&address.octets()),
        IpAddr::V6(address) => digest.update(&address.octets()),
    }
    digest.update(&client.port().to_be_bytes());
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_holds_for_one_client_and_a_limited_time() {
        let start = Instant::now();
        let mut cookies = Cookies::new(start).unwrap();
        let client: SocketAddr = "192.0.2.1:4000".parse().unwrap();
        let cookie = cookies.make(client, start).unwrap();
        assert!(cookies.accept(client, &cookie, start));
        assert!(!cookies.accept("192.0.2.1:4001".parse().unwrap(), &cookie, start));
        assert!(!cookies.accept("192.0.2.2:4000".parse().unwrap(), &cookie, start));
        assert!(!cookies.accept(client, &cookie[..31], start));
        assert!(!cookies.accept(client, &[], start));
        assert!(cookies.accept(client, &cookie, start + ROTATION));
        assert!(!cookies.accept(client, &cookie, start + 2 * ROTATION));
    }

    #[test]
    fn a_cookie_that_was_made_before_a_long_silence_is_void() {
        let start = Instant::now();
        let mut cookies = Cookies::new(start).unwrap();
        let client: SocketAddr = "[2001:db8::1]:4000".parse().unwrap();
        let cookie = cookies.make(client, start).unwrap();
        assert!(!cookies.accept(client, &cookie, start + 3 * ROTATION));
    }
}
