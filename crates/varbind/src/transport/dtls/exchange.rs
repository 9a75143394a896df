use std::io::{self, Read, Write};
use std::ops::Range;

/// The datagrams that one call into OpenSSL takes and gives: OpenSSL reads and writes here and never touches a socket.
///
/// An association holds an empty one. The caller's exchange, which has the octets, takes its place during the call, so that
/// idle associations need no buffers.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    arrived: Vec<u8>,
    has_arrived: bool,
    departing: Vec<u8>,
    /// Where the datagrams in `departing` end.
    ends: Vec<usize>,
}

impl Exchange {
    /// Gives a datagram to be read; one that was given before and not read is forgotten.
    pub(super) fn give(&mut self, datagram: &[u8]) {
        self.arrived.clear();
        self.arrived.extend_from_slice(datagram);
        self.has_arrived = true;
    }

    /// The datagram that waits to be read; empty if none does.
    pub(super) fn waiting(&self) -> &[u8] {
        if self.has_arrived { &self.arrived } else { &[] }
    }

    /// Cuts the datagram that waits.
    pub(super) fn truncate_waiting(&mut self, length: usize) {
        self.arrived.truncate(length);
    }

    /// Forgets a datagram that was not read.
    pub(super) const fn withdraw(&mut self) {
        self.has_arrived = false;
    }

    /// The octets of all datagrams written since [`clear`](Self::clear).
    pub(super) fn departing(&self) -> &[u8] {
        &self.departing
    }

    /// Where in [`departing`](Self::departing) the datagrams are, beginning with the one of this number.
    pub(super) fn datagrams(&self, first: usize) -> impl Iterator<Item = Range<usize>> {
        let start = match first.checked_sub(1) {
            None => 0,
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
        };
        let ends = self.ends.get(first..).unwrap_or(&[]).iter();
        ends.scan(start, |start, &end| {
            Some(std::mem::replace(start, end)..end)
        })
    }

    /// How many datagrams were written.
    pub(super) const fn count(&self) -> usize {
        self.ends.len()
    }

    /// Adds a datagram that is not of OpenSSL's making.
    pub(super) fn add(&mut self, datagram: &[u8]) {
        self.departing.extend_from_slice(datagram);
        self.ends.push(self.departing.len());
    }

    /// Forgets what was written, when it is sent.
    pub(super) fn clear(&mut self) {
        self.departing.clear();
        self.ends.clear();
    }
}

impl Read for Exchange {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // No octets at all would be the end of a stream.
        if !std::mem::take(&mut self.has_arrived) || self.arrived.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let length = self.arrived.len().min(buffer.len());
        if let (Some(room), Some(octets)) = (buffer.get_mut(..length), self.arrived.get(..length)) {
            room.copy_from_slice(octets);
        }
        Ok(length)
    }
}

impl Write for Exchange {
    fn write(&mut self, datagram: &[u8]) -> io::Result<usize> {
        self.add(datagram);
        Ok(datagram.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_stay_apart() {
        let mut exchange = Exchange::default();
        let mut buffer = [0; 8];
        assert!(exchange.read(&mut buffer).is_err());
        exchange.give(b"abc");
        assert_eq!(exchange.read(&mut buffer).unwrap(), 3);
        assert!(exchange.read(&mut buffer).is_err());
        exchange.write_all(b"first").unwrap();
        exchange.write_all(b"second").unwrap();
        let all: Vec<_> = exchange.datagrams(0).collect();
        assert_eq!(all, [0..5, 5..11]);
        assert_eq!(exchange.datagrams(1).next(), Some(5..11));
        assert_eq!(exchange.datagrams(1).count(), 1);
    }
}
