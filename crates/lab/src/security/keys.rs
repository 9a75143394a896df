use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::{InvalidKey, MasterKey, PrivacyProtocol};

use super::cipher::Cipher;
use super::digest::Digest;

/// The keys of a user at one engine, prepared: a message costs no key schedule.
#[derive(Debug)]
pub(crate) struct Keys {
    digest: Option<Digest>,
    cipher: Option<Cipher>,
}

impl Keys {
    pub(super) const fn none() -> Self {
        Self {
            digest: None,
            cipher: None,
        }
    }

    pub(super) fn authentication(
        key: &MasterKey,
        engine_id: &EngineId,
    ) -> Result<Self, InvalidKey> {
        Ok(Self {
            digest: Some(Digest::new(key.protocol(), &key.localize(engine_id))?),
            cipher: None,
        })
    }

    pub(super) fn both(
        key: &MasterKey,
        protocol: PrivacyProtocol,
        privacy: &MasterKey,
        engine_id: &EngineId,
    ) -> Result<Self, InvalidKey> {
        let privacy = privacy.localize_for_privacy(protocol, engine_id);
        Ok(Self {
            cipher: Some(Cipher::new(protocol, &privacy)?),
            ..Self::authentication(key, engine_id)?
        })
    }

    pub(super) const fn digest(&self) -> Option<&Digest> {
        self.digest.as_ref()
    }

    pub(super) const fn cipher(&self) -> Option<&Cipher> {
        self.cipher.as_ref()
    }
}
