use super::TsmError;
use crate::security::{SecurityLevel, SecurityName};
use crate::transport::{SecureTransport, TransportState};

/// The settings of the transport security model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransportSecurityModel {
    /// snmpTsmConfigurationUsePrefix: whether security names tell the transport, as in `tls:alice`. Without it, whoever
    /// has one name is the same to access control, by whichever transport the name was proved.
    pub use_prefix: bool,
}

impl TransportSecurityModel {
    /// Who sent a message of that level (processIncomingMsg, RFC 5591 section 5.2).
    ///
    /// # Errors
    /// `InvalidCache` if the transport is not a secure one, `InadequateSecurityLevel` if it provides less than the level.
    pub fn process_incoming_message<'a>(
        &self,
        state: Option<&'a TransportState>,
        level: SecurityLevel,
    ) -> Result<&'a SecurityName, TsmError> {
        // RFC 5591 5.2 (2)
        let state = state.ok_or(TsmError::InvalidCache)?;
        // RFC 5591 5.2 (4)
        if level > state.security_level() {
            return Err(TsmError::InadequateSecurityLevel);
        }
        Ok(self.security_name(state))
    }

    /// Who is at the other end of a session (RFC 5591 section 5.2 (3)). Every secure transport has a prefix of one to
    /// four characters.
    #[must_use]
    pub const fn security_name<'a>(&self, state: &'a TransportState) -> &'a SecurityName {
        if self.use_prefix {
            state.prefixed_security_name()
        } else {
            state.security_name()
        }
    }

    /// As whom the transport is to open a session for a message in the name of `security_name` (tmSecurityName, RFC 5591
    /// section 5.1 (2)): the same, but without the prefix.
    ///
    /// # Errors
    /// `UnknownPrefix` if the transport is not a secure one, `InvalidPrefix` if the name does not begin with its prefix,
    /// or is nothing but that. Neither without prefixes.
    pub fn transport_security_name<'n>(
        &self,
        transport: Option<SecureTransport>,
        security_name: &'n SecurityName,
    ) -> Result<&'n str, TsmError> {
        let name = security_name.as_str();
        if !self.use_prefix {
            return Ok(name);
        }
        let prefix = transport.ok_or(TsmError::UnknownPrefix)?.prefix();
        name.strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix(':'))
            .filter(|rest| !rest.is_empty())
            .ok_or(TsmError::InvalidPrefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(use_prefix: bool, level: SecurityLevel) -> Result<String, TsmError> {
        let name = SecurityName::new("alice");
        let provided = SecurityLevel::AuthNoPriv;
        let state = TransportState::new(SecureTransport::Ssh, name, provided, 1);
        TransportSecurityModel { use_prefix }
            .process_incoming_message(Some(&state), level)
            .map(ToString::to_string)
    }

    /// RFC 5591 5.2 (2) to (4)
    #[test]
    fn the_name_is_that_of_the_transport_if_the_level_is_provided() {
        for level in [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv] {
            assert_eq!(name_of(false, level).as_deref(), Ok("alice"));
            assert_eq!(name_of(true, level).as_deref(), Ok("ssh:alice"));
        }
        let error = Err(TsmError::InadequateSecurityLevel);
        assert_eq!(name_of(true, SecurityLevel::AuthPriv), error);
        let model = TransportSecurityModel::default();
        let nobody = model.process_incoming_message(None, SecurityLevel::NoAuthNoPriv);
        assert_eq!(nobody, Err(TsmError::InvalidCache));
    }

    /// RFC 5591 5.1 (2)
    #[test]
    fn the_prefix_is_taken_off_for_its_transport_alone() {
        let name_for = |use_prefix, transport, name: &str| {
            TransportSecurityModel { use_prefix }
                .transport_security_name(transport, &SecurityName::new(name))
                .map(str::to_owned)
        };
        let (tls, dtls) = (Some(SecureTransport::Tls), Some(SecureTransport::Dtls));
        assert_eq!(name_for(true, tls, "tls:alice").as_deref(), Ok("alice"));
        assert_eq!(
            name_for(false, tls, "tls:alice").as_deref(),
            Ok("tls:alice")
        );
        assert_eq!(name_for(false, None, "alice").as_deref(), Ok("alice"));
        for wrong in ["alice", "tls:", "tlsalice", "ssh:alice", ""] {
            assert_eq!(name_for(true, tls, wrong), Err(TsmError::InvalidPrefix));
        }
        let wrong = name_for(true, dtls, "tls:alice");
        assert_eq!(wrong, Err(TsmError::InvalidPrefix));
        let unknown = name_for(true, None, "tls:alice");
        assert_eq!(unknown, Err(TsmError::UnknownPrefix));
    }
}
