//! Protecting messages and taking the protection off, for whichever engine is authoritative.

use std::ops::Range;

use varbind_codec::ber::{DecodeError, EncodeError, Reader, Tag, Writer};
use varbind_codec::message::{
    HeaderData, MsgFlags, ScopedPduData, UsmSecurityParameters, V3Message,
};

use super::authentication::LONGEST_DIGEST;
use super::privacy::{SALT_LENGTH, Salt};
use super::user::Protection;
use super::{EngineTime, Plaintext, UsmError};
use crate::engine_id::EngineId;
use crate::security::GlobalData;

/// msgSecurityModel of the user-based security model (RFC 3411 section 5, SnmpSecurityModel).
pub(crate) const SECURITY_MODEL: i32 = 3;

/// More octets than the headers of a message take besides user name, context engine ID and context name.
pub(crate) const HEADROOM: usize =
    V3Message::HEADROOM + EngineId::LONGEST + LONGEST_DIGEST + SALT_LENGTH + SALT_LENGTH;

/// What the model puts around a scopedPDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope<'a> {
    /// Of the authoritative engine; empty if it is not known.
    pub(crate) engine_id: &'a [u8],
    /// Of the authoritative engine; 0 in a request without protection (RFC 3414 section 3.1 (6)).
    pub(crate) engine_time: EngineTime,
    /// msgUserName.
    pub(crate) user_name: &'a [u8],
    /// The keys that the message needs, which say its security level.
    pub(crate) protection: Protection<'a>,
    /// A number that no other message under the privacy key has.
    pub(crate) salt: u64,
}

impl Envelope<'_> {
    /// Encloses the scopedPDU that was written (generateRequestMsg and generateResponseMsg, RFC 3414 section 3.1) and
    /// returns where in the buffer the message is.
    pub(crate) fn enclose(
        &self,
        global_data: GlobalData,
        mut writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let EngineTime { boots, time } = self.engine_time;
        let privacy_parameters = self
            .protection
            .privacy()
            .map(|key| key.privacy_parameters(boots, self.salt));
        // RFC 3414 3.1 (4)
        if let (Some(key), Some(privacy_parameters)) =
            (self.protection.privacy(), privacy_parameters)
        {
            let padding = [0; SALT_LENGTH];
            let padding = padding.get(..key.padding(writer.len())).unwrap_or(&[]);
            writer.limit_appended(usize::MAX);
            writer.append(padding)?;
            let salt = Salt {
                boots,
                time,
                privacy_parameters,
            };
            key.encrypt(&salt, writer.written_mut());
            writer.enclose(Tag::OCTET_STRING)?;
        }
        // RFC 3414 3.1 (5) to (7)
        let authentication = self.protection.authentication();
        let parameters = UsmSecurityParameters {
            authoritative_engine_id: self.engine_id,
            authoritative_engine_boots: boots,
            authoritative_engine_time: time,
            user_name: self.user_name,
            authentication_parameters: authentication.map_or(&[], |key| key.placeholder()),
            privacy_parameters: privacy_parameters.as_ref().map_or(&[], |salt| salt),
            digest_offset: 0,
        };
        let digest_from_end = writer.prepend_usm_security_parameters(&parameters)?;
        writer.prepend_v3_header(&HeaderData {
            msg_id: global_data.msg_id,
            msg_max_size: global_data.msg_max_size,
            msg_flags: MsgFlags {
                security_level: self.protection.security_level(),
                reportable: global_data.reportable,
            },
            msg_security_model: SECURITY_MODEL,
        })?;
        // RFC 3414 3.1 (8)
        if let Some(key) = authentication {
            let digest_offset = writer.len().saturating_sub(digest_from_end);
            key.sign(writer.written_mut(), digest_offset);
        }
        Ok(writer.range())
    }
}

/// A protected message. Readers authenticate it before they use its content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Protected<'a> {
    /// All of it, from the first octet to the last.
    pub(crate) whole: &'a [u8],
    /// msgSecurityParameters.
    pub(crate) parameters: UsmSecurityParameters<'a>,
    /// msgData.
    pub(crate) data: ScopedPduData<'a>,
}

impl<'a> Protected<'a> {
    /// The parts of a message whose octets these are; what may follow it is not a part of it.
    ///
    /// # Errors
    /// When msgSecurityParameters do not decode.
    pub(crate) fn new(octets: &'a [u8], message: &V3Message<'a>) -> Result<Self, DecodeError> {
        // RFC 3414 3.2 (1)
        let parameters = UsmSecurityParameters::decode(message.security_parameters)?;
        let whole = octets.get(..message.length).unwrap_or(octets);
        Ok(Self {
            whole,
            parameters,
            data: message.data,
        })
    }

    /// The time that the message has of the authoritative engine.
    pub(crate) const fn engine_time(&self) -> EngineTime {
        EngineTime {
            boots: self.parameters.authoritative_engine_boots,
            time: self.parameters.authoritative_engine_time,
        }
    }

    /// Checks the digest, where the level has one (RFC 3414 section 3.2 (6)). The time window is for the caller to check.
    ///
    /// # Errors
    /// [`UsmError::WrongDigest`].
    pub(crate) fn authenticate(&self, protection: Protection<'_>) -> Result<(), UsmError> {
        let Some(key) = protection.authentication() else {
            return Ok(());
        };
        let UsmSecurityParameters {
            authentication_parameters,
            digest_offset,
            ..
        } = self.parameters;
        if key.verify(self.whole, authentication_parameters, digest_offset) {
            Ok(())
        } else {
            Err(UsmError::WrongDigest)
        }
    }

    /// The scopedPDU, decrypted into `plaintext` if it was encrypted (RFC 3414 section 3.2 (8)).
    ///
    /// # Errors
    /// [`UsmError::DecryptionError`] when it cannot have been encrypted so, or is encrypted at a level that does not
    /// encrypt.
    pub(crate) fn decrypt<'p>(
        &self,
        protection: Protection<'_>,
        plaintext: &'p mut Plaintext,
    ) -> Result<Reader<'p>, UsmError>
    where
        'a: 'p,
    {
        let (key, encrypted) = match (protection.privacy(), self.data) {
            (None, ScopedPduData::Plaintext(reader)) => return Ok(reader),
            (Some(key), ScopedPduData::Encrypted(encrypted)) => (key, encrypted),
            // The flags say one thing and the data are another.
            _ => return Err(UsmError::DecryptionError),
        };
        let privacy_parameters = self.parameters.privacy_parameters;
        let salt = Salt {
            boots: self.parameters.authoritative_engine_boots,
            time: self.parameters.authoritative_engine_time,
            // RFC 3414 8.3.2 (1), RFC 3826 3.3.2 (1)
            privacy_parameters: privacy_parameters
                .try_into()
                .map_err(|_| UsmError::DecryptionError)?,
        };
        let octets = plaintext.fill(encrypted);
        if !key.decrypt(&salt, octets) {
            return Err(UsmError::DecryptionError);
        }
        Ok(Reader::new(octets))
    }
}
