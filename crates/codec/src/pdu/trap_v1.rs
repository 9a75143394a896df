use super::{PduType, VarBinds};
use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer};
use crate::smi::{OidRef, ip_address};

/// Trap-PDU of SNMPv1 (RFC 1157 section 4.1.6).
#[derive(Clone, Debug)]
pub struct TrapV1Pdu<'a> {
    /// The kind of object that sends the trap.
    pub enterprise: OidRef<'a>,
    /// agent-addr: where the trap comes from, 0.0.0.0 if unknown.
    pub agent_address: [u8; 4],
    /// generic-trap.
    pub generic_trap: GenericTrap,
    /// specific-trap.
    pub specific_trap: i32,
    /// sysUpTime of the sender, in hundredths of a second.
    pub time_stamp: u32,
    /// The variable bindings.
    pub var_binds: VarBinds<'a>,
}

/// generic-trap (RFC 1157 section 4.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GenericTrap {
    /// The agent starts and its configuration may have changed.
    ColdStart,
    /// The agent starts with the configuration it had.
    WarmStart,
    /// An interface went down.
    LinkDown,
    /// An interface came up.
    LinkUp,
    /// A message was not authentic.
    AuthenticationFailure,
    /// An EGP neighbour was lost.
    EgpNeighborLoss,
    /// specific-trap identifies.
    EnterpriseSpecific,
}

const GENERIC: [GenericTrap; 7] = [
    GenericTrap::ColdStart,
    GenericTrap::WarmStart,
    GenericTrap::LinkDown,
    GenericTrap::LinkUp,
    GenericTrap::AuthenticationFailure,
    GenericTrap::EgpNeighborLoss,
    GenericTrap::EnterpriseSpecific,
];

impl GenericTrap {
    /// The number on the wire.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::ColdStart => 0,
            Self::WarmStart => 1,
            Self::LinkDown => 2,
            Self::LinkUp => 3,
            Self::AuthenticationFailure => 4,
            Self::EgpNeighborLoss => 5,
            Self::EnterpriseSpecific => 6,
        }
    }

    /// The generic trap with this number.
    #[must_use]
    pub fn from_code(code: i32) -> Option<Self> {
        GENERIC.get(usize::try_from(code).ok()?).copied()
    }
}

impl<'a> TrapV1Pdu<'a> {
    pub(crate) fn decode(content: Reader<'a>) -> Result<Self, DecodeError> {
        let mut content = content;
        let enterprise = OidRef::from_content(&content.expect(Tag::OBJECT_IDENTIFIER)?)?;
        let agent_address = ip_address(&content.expect(Tag::IP_ADDRESS)?)?;
        let before = content;
        let generic_trap = GenericTrap::from_code(content.integer32()?)
            .ok_or_else(|| before.error(DecodeErrorKind::IntegerOutOfRange))?;
        let specific_trap = content.integer32()?;
        let time_stamp = content.expect(Tag::TIME_TICKS)?.unsigned32()?;
        let var_binds = VarBinds::new(content.expect(Tag::SEQUENCE)?);
        content.finish()?;
        Ok(Self {
            enterprise,
            agent_address,
            generic_trap,
            specific_trap,
            time_stamp,
            var_binds,
        })
    }
}

impl Writer<'_> {
    /// Encloses the variable bindings that were appended in a Trap-PDU of SNMPv1.
    ///
    /// The headroom must hold the enterprise too: at most 5 octets for each of its sub-identifiers, besides
    /// [`CommunityMessage::HEADROOM`](crate::message::CommunityMessage::HEADROOM).
    ///
    /// # Errors
    /// `BufferFull`, or `InvalidObjectIdentifier` for the enterprise.
    pub fn prepend_trap_v1(
        &mut self,
        enterprise: &[u32],
        agent_address: [u8; 4],
        generic_trap: GenericTrap,
        specific_trap: i32,
        time_stamp: u32,
    ) -> Result<(), EncodeError> {
        self.enclose(Tag::SEQUENCE)?;
        self.prepend_unsigned(Tag::TIME_TICKS, u64::from(time_stamp))?;
        self.prepend_integer(specific_trap)?;
        self.prepend_integer(generic_trap.code())?;
        self.prepend_element(Tag::IP_ADDRESS, &agent_address)?;
        self.prepend_oid(enterprise)?;
        self.enclose(PduType::TrapV1.tag())
    }
}
