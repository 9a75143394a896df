//! Sessions that clients may resume.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use openssl::ssl::{SslRef, SslSessionRef};
use rustls::pki_types::CertificateDer;
use zeroize::Zeroizing;

use super::super::system_library::FreshSession;

/// How many are kept.
const MOST: usize = 128;

/// Sessions that clients may resume, of about a kB each: OpenSSL would keep them with all its structures, in 6 kB that lie
/// between what ended sessions leave.
#[derive(Default)]
pub(in super::super) struct ResumableSessions(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    by_id: HashMap<Vec<u8>, Resumable>,
    /// The oldest first. Some may be gone.
    order: VecDeque<Vec<u8>>,
}

struct Resumable {
    /// As OpenSSL writes it, with the client's own certificate.
    session: Zeroizing<Vec<u8>>,
    /// The other certificates that the client sent.
    chain: Vec<CertificateDer<'static>>,
}

impl ResumableSessions {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the session of a handshake that is finished.
    pub(in super::super) fn keep(&self, ssl: &SslRef, session: &SslSessionRef) {
        let Ok(octets) = session.to_der() else {
            return;
        };
        let chain = ssl.peer_cert_chain().into_iter().flatten();
        let chain = chain.filter_map(|certificate| certificate.to_der().ok());
        let resumable = Resumable {
            session: Zeroizing::new(octets),
            chain: chain.map(CertificateDer::from).collect(),
        };
        let id = session.id().to_vec();
        let mut kept = self.kept();
        if kept.by_id.insert(id.clone(), resumable).is_none() {
            kept.order.push_back(id);
        }
        while kept.order.len() > MOST {
            if let Some(oldest) = kept.order.pop_front() {
                kept.by_id.remove(&oldest);
            }
        }
    }

    /// The session of this identifier.
    pub(in super::super) fn find(&self, id: &[u8]) -> Option<FreshSession> {
        let kept = self.kept();
        FreshSession::of(&kept.by_id.get(id)?.session)
    }

    /// Forgets a session, whose association ended in an error.
    pub(in super::super) fn forget(&self, id: &[u8]) {
        self.kept().by_id.remove(id);
    }

    /// The certificates of the client beside its own, which a session that is resumed does not tell.
    pub(in super::super) fn chain(&self, id: &[u8]) -> Vec<CertificateDer<'static>> {
        let kept = self.kept();
        kept.by_id
            .get(id)
            .map_or_else(Vec::new, |kept| kept.chain.clone())
    }
}
