use super::Report;
use crate::applications::command_generator::{GeneratorDiscard, UserParameters};
use crate::clock::Instant;
use crate::message_processing::Peer;
use crate::security::usm::{Credentials, RemoteEngine, UsmError};

/// Finds out which engine a user speaks to (RFC 3414 section 4), and makes the keys for it.
#[derive(Debug)]
pub(super) struct EngineDiscovery {
    credentials: Credentials,
    /// Whether the engine reported its engine ID, and sent nothing since.
    is_silent: bool,
}

impl EngineDiscovery {
    /// The discovery, and the peer, whose engine may be known already.
    pub(super) fn new(user: &UserParameters, seed: u64) -> (Self, Peer) {
        let discovery = Self {
            credentials: user.credentials.clone(),
            is_silent: false,
        };
        let mut peer = Peer::of_user(user.user_name().clone(), mixed(seed));
        if let Some(engine) = &user.engine {
            discovery.adopt(&mut peer, engine.clone());
        }
        (discovery, peer)
    }

    pub(super) const fn is_silent(&self) -> bool {
        self.is_silent
    }

    /// Has the peer be this engine from now on; `false` if there are no keys for it.
    fn adopt(&self, peer: &mut Peer, engine: RemoteEngine) -> bool {
        let Ok(security) = self.credentials.localize(engine.id()) else {
            return false;
        };
        peer.adopt(engine, security);
        true
    }

    /// Learns from a Report who the engine is; `false` if that is nothing new.
    pub(super) fn discover(&mut self, peer: &mut Peer, now: Instant, report: &Report) -> bool {
        let Some(id) = report.engine_id else {
            return false;
        };
        if peer.engine().is_some_and(|engine| *engine.id() == id) {
            return false;
        }
        let mut engine = RemoteEngine::new(id).with_hint(now, report.engine_time);
        engine.set_max_message_size(usize::try_from(report.msg_max_size).unwrap_or(usize::MAX));
        self.is_silent = self.adopt(peer, engine);
        self.is_silent
    }

    /// Learns from a response about its sender.
    pub(super) fn accept_response(
        &mut self,
        peer: &mut Peer,
        report: &Report,
        max_message_size: usize,
    ) -> Result<(), GeneratorDiscard> {
        match peer.engine_mut() {
            Some(engine) if report.engine_id == Some(*engine.id()) => {
                engine.set_max_message_size(max_message_size);
                self.is_silent = false;
                Ok(())
            }
            _ => Err(GeneratorDiscard::Usm(UsmError::UnknownEngineId)),
        }
    }
}

/// Another number than those that request-ids are drawn from.
const fn mixed(seed: u64) -> u64 {
    let mixed = (seed ^ 0x6a09_e667_f3bc_c908).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 29)
}
