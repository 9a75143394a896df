//! Replies that are sent together, and which of them the kernel can cut from one send.

use std::net::SocketAddr;
use std::ops::Range;

use super::batch_socket::Datagram;
use super::system_calls::LocalAddress;

/// The most segments that the kernel makes of one send (UDP_MAX_SEGMENTS of older kernels).
const MAX_SEGMENTS: usize = 64;
/// The most octets of one send: the largest UDP payload.
const MAX_PAYLOAD: usize = 65_507;

/// Replies to be sent together; their octets are in an arena of the caller.
#[derive(Debug, Default)]
pub struct SendBatch {
    pub(super) replies: Vec<SentReply>,
}

impl SendBatch {
    /// Adds a reply to `datagram` that is in `range` of the arena.
    pub fn push(&mut self, datagram: &Datagram<'_>, range: Range<usize>) {
        self.replies.push(SentReply {
            remote: datagram.remote,
            local: datagram.local,
            range,
        });
    }

    /// Adds a datagram to this peer that is in `range` of the arena.
    pub fn push_to(&mut self, remote: SocketAddr, range: Range<usize>) {
        self.replies.push(SentReply {
            remote,
            local: None,
            range,
        });
    }

    /// The number of replies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.replies.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.replies.is_empty()
    }

    /// Brings the replies to one peer together, in their order, where several peers were served.
    pub fn gather_peers(&mut self) {
        let is_mixed = self
            .replies
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a.remote != b.remote));
        if is_mixed {
            self.replies
                .sort_by_key(|reply| (reply.remote, reply.local.map(LocalAddress::ip)));
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct SentReply {
    pub(super) remote: SocketAddr,
    pub(super) local: Option<LocalAddress>,
    pub(super) range: Range<usize>,
}

/// How many replies at the beginning of `replies` can leave in one send: same peer, same size but the last, which may
/// be shorter.
pub(super) fn group_length(replies: &[SentReply]) -> usize {
    let Some((first, rest)) = replies.split_first() else {
        return 0;
    };
    let size = first.range.len();
    let mut total = size;
    let mut count = 1;
    for reply in rest.iter().take(MAX_SEGMENTS - 1) {
        total += reply.range.len();
        let is_same_peer = reply.remote == first.remote && reply.local == first.local;
        if !is_same_peer || reply.range.len() > size || total > MAX_PAYLOAD {
            break;
        }
        count += 1;
        if reply.range.len() < size {
            break;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(port: u16, range: Range<usize>) -> SentReply {
        SentReply {
            remote: SocketAddr::from(([127, 0, 0, 1], port)),
            local: None,
            range,
        }
    }

    #[test]
    fn replies_of_one_size_to_one_peer_form_a_group() {
        let same = [reply(1, 0..50), reply(1, 50..100), reply(1, 100..150)];
        assert_eq!(group_length(&same), 3);
        let shorter_last = [reply(1, 0..50), reply(1, 50..90), reply(1, 90..140)];
        assert_eq!(group_length(&shorter_last), 2);
        let longer = [reply(1, 0..50), reply(1, 50..101)];
        assert_eq!(group_length(&longer), 1);
        let other_peer = [reply(1, 0..50), reply(2, 50..100)];
        assert_eq!(group_length(&other_peer), 1);
        let large = [reply(1, 0..40_000), reply(1, 40_000..80_000)];
        assert_eq!(group_length(&large), 1);
    }
}
