//! Sessions that clients may resume.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use openssl::ssl::{SslRef, SslSessionRef};
use rustls::pki_types::CertificateDer;
use zeroize::Zeroize;

use super::system_library::FreshSession;

/// How many are kept, and in how many octets.
const MOST: usize = 128;
const ROOM: usize = 256 * 1024;

/// Sessions that clients may resume, of about a kB each, in one place: OpenSSL would keep them with all its structures, in 6 kB
/// that lie between what ended sessions leave, so that hardly any of that would go back to the system.
#[derive(Default)]
pub(super) struct ResumableSessions(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// The oldest first.
    entries: VecDeque<Entry>,
    /// The octets of all of them, in their order. Its room never grows, so that no copies of secrets stay behind.
    octets: Vec<u8>,
}

struct Entry {
    id: Identifier,
    /// Of the session as OpenSSL writes it, with the client's own certificate.
    session: usize,
    /// Of it and the other certificates that the client sent, each behind its length.
    length: usize,
}

/// A session's identifier (RFC 5246 section 7.4.1.2), filled up with zeros.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identifier(u8, [u8; 32]);

impl Identifier {
    fn of(octets: &[u8]) -> Option<Self> {
        let mut id = [0; 32];
        id.get_mut(..octets.len())?.copy_from_slice(octets);
        Some(Self(u8::try_from(octets.len()).ok()?, id))
    }
}

impl Kept {
    /// Where an entry is, and its octets.
    fn find(&self, id: &[u8]) -> Option<(usize, &Entry, &[u8])> {
        let id = Identifier::of(id)?;
        let at = self.entries.iter().position(|entry| entry.id == id)?;
        let entry = self.entries.get(at)?;
        let start = self.start(at);
        Some((at, entry, self.octets.get(start..start + entry.length)?))
    }

    fn start(&self, at: usize) -> usize {
        self.entries.iter().take(at).map(|entry| entry.length).sum()
    }

    fn remove(&mut self, at: usize) {
        let start = self.start(at);
        let Some(entry) = self.entries.remove(at) else {
            return;
        };
        if let Some(rest) = self.octets.get_mut(start..) {
            rest.rotate_left(entry.length.min(rest.len()));
        }
        let left = self.octets.len().saturating_sub(entry.length);
        if let Some(removed) = self.octets.get_mut(left..) {
            removed.zeroize();
        }
        self.octets.truncate(left);
    }

    fn add(&mut self, id: &[u8], session: &[u8], chain: &[Vec<u8>]) {
        let certificates: usize = chain.iter().map(|it| size_of::<u32>() + it.len()).sum();
        let length = session.len() + certificates;
        let Some(id) = Identifier::of(id).filter(|_| length <= ROOM) else {
            return;
        };
        if let Some(at) = self.entries.iter().position(|entry| entry.id == id) {
            self.remove(at);
        }
        while self.entries.len() >= MOST || self.octets.len() + length > ROOM {
            self.remove(0);
        }
        self.octets.reserve_exact(ROOM - self.octets.len());
        self.octets.extend_from_slice(session);
        for certificate in chain {
            let length = u32::try_from(certificate.len()).unwrap_or(u32::MAX);
            self.octets.extend_from_slice(&length.to_be_bytes());
            self.octets.extend_from_slice(certificate);
        }
        self.entries.push_back(Entry {
            id,
            session: session.len(),
            length,
        });
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.octets.zeroize();
    }
}

impl ResumableSessions {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the session of a handshake that is finished.
    pub(super) fn keep(&self, ssl: &SslRef, session: &SslSessionRef) {
        let Ok(mut octets) = session.to_der() else {
            return;
        };
        let chain = ssl.peer_cert_chain().into_iter().flatten();
        let chain = chain.filter_map(|certificate| certificate.to_der().ok());
        let chain: Vec<_> = chain.collect();
        self.kept().add(session.id(), &octets, &chain);
        octets.zeroize();
    }

    /// The session of this identifier.
    pub(super) fn find(&self, id: &[u8]) -> Option<FreshSession> {
        let kept = self.kept();
        let (_, entry, octets) = kept.find(id)?;
        FreshSession::of(octets.get(..entry.session)?)
    }

    /// Forgets a session, whose association ended in an error.
    pub(super) fn forget(&self, id: &[u8]) {
        let mut kept = self.kept();
        if let Some((at, ..)) = kept.find(id) {
            kept.remove(at);
        }
    }

    /// The certificates of the client beside its own, which a session that is resumed does not tell.
    pub(super) fn chain(&self, id: &[u8]) -> Vec<CertificateDer<'static>> {
        let kept = self.kept();
        let mut chain = Vec::new();
        let rest = kept
            .find(id)
            .and_then(|(_, entry, octets)| octets.get(entry.session..));
        let mut rest = rest.unwrap_or(&[]);
        while let Some((length, behind)) = rest.split_first_chunk() {
            let length = u32::from_be_bytes(*length) as usize;
            let Some((certificate, behind)) = behind.split_at_checked(length) else {
                break;
            };
            chain.push(CertificateDer::from(certificate.to_vec()));
            rest = behind;
        }
        chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(kept: &Kept) -> Vec<u8> {
        kept.entries.iter().map(|entry| entry.id.1[0]).collect()
    }

    #[test]
    fn the_oldest_make_room_and_what_is_removed_is_overwritten() {
        let mut kept = Kept::default();
        for number in 0..200 {
            kept.add(
                &[number; 32],
                &[number; 700],
                &[vec![number; 300], vec![9; 2]],
            );
        }
        assert_eq!(kept.entries.len(), MOST);
        assert_eq!(ids(&kept)[0], 200 - MOST as u8);
        let (_, entry, octets) = kept.find(&[150; 32]).unwrap();
        assert_eq!(octets[..entry.session], [150; 700]);
        assert_eq!(octets.len(), 700 + 4 + 300 + 4 + 2);
        let (at, ..) = kept.find(&[150; 32]).unwrap();
        kept.remove(at);
        assert!(kept.find(&[150; 32]).is_none());
        assert!(!kept.octets.contains(&150));
        assert_eq!(kept.find(&[151; 32]).unwrap().2[..700], [151; 700]);
        // Large ones, and one that is too large.
        kept.add(&[1; 32], &vec![1; ROOM - 10], &[]);
        assert_eq!(ids(&kept), [1]);
        kept.add(&[2; 32], &vec![1; ROOM + 1], &[]);
        assert_eq!(ids(&kept), [1]);
        // Again, and with an identifier that is shorter.
        kept.add(&[1; 32], &[5; 10], &[]);
        kept.add(&[1; 31], &[6; 10], &[]);
        assert_eq!(kept.octets, [[5; 10], [6; 10]].concat());
        assert_eq!(kept.octets.capacity(), ROOM);
    }

    #[test]
    fn certificates_come_back_as_they_were() {
        let sessions = ResumableSessions::default();
        let chain = [vec![1; 900], vec![2; 3]];
        sessions.kept().add(b"id", b"session", &chain);
        let found = sessions.chain(b"id");
        assert_eq!(found, chain.map(CertificateDer::from));
        sessions.forget(b"id");
        assert!(sessions.chain(b"id").is_empty());
    }
}
