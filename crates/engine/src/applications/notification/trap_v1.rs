use varbind_codec::pdu::{GenericTrap, TrapV1Pdu};
use varbind_codec::smi::{Oid, Value};

use super::{
    MalformedNotification, NoTrapV1, Notification, SNMP_TRAP_ADDRESS, SNMP_TRAP_ENTERPRISE,
    SNMP_TRAPS,
};

/// The parameters of a Trap-PDU of SNMPv1 besides its variable bindings (RFC 1157 section 4.1.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrapV1Parameters {
    /// enterprise.
    pub enterprise: Oid,
    /// agent-addr.
    pub agent_address: [u8; 4],
    /// generic-trap.
    pub generic_trap: GenericTrap,
    /// specific-trap.
    pub specific_trap: i32,
    /// time-stamp, in hundredths of a second.
    pub time_stamp: u32,
}

impl From<&TrapV1Pdu<'_>> for TrapV1Parameters {
    fn from(pdu: &TrapV1Pdu<'_>) -> Self {
        Self {
            enterprise: pdu.enterprise.to_oid(),
            agent_address: pdu.agent_address,
            generic_trap: pdu.generic_trap,
            specific_trap: pdu.specific_trap,
            time_stamp: pdu.time_stamp,
        }
    }
}

impl TrapV1Parameters {
    /// snmpTrapOID.0 of the same notification (RFC 3584 section 3.1).
    ///
    /// # Errors
    /// When the enterprise leaves no room for two more sub-identifiers.
    pub fn trap_oid(&self) -> Result<Oid, MalformedNotification> {
        let oid = match self.generic_trap {
            // RFC 3584 3.1 (2)
            GenericTrap::EnterpriseSpecific => self
                .enterprise
                .child(&[0, self.specific_trap.cast_unsigned()]),
            // RFC 3584 3.1 (3)
            generic => Oid::new(SNMP_TRAPS).and_then(|traps| traps.child(&[generic_arc(generic)])),
        };
        oid.map_err(|_| MalformedNotification::EnterpriseTooLong)
    }
}

/// coldStart, which is generic-trap 0, is snmpTraps.1.
const fn generic_arc(generic: GenericTrap) -> u32 {
    generic.code().cast_unsigned() + 1
}

/// The generic trap that a standard snmpTrapOID stands for.
fn generic_trap(trap_oid: &Oid) -> Option<GenericTrap> {
    let [arc] = *trap_oid.arcs().strip_prefix(SNMP_TRAPS)? else {
        return None;
    };
    let code = arc.checked_sub(1)?;
    GenericTrap::from_code(i32::try_from(code).ok()?)
        .filter(|generic| *generic != GenericTrap::EnterpriseSpecific)
}

impl Notification {
    /// The notification that a Trap-PDU of SNMPv1 is (RFC 3584 section 3.1), without what a proxy adds.
    ///
    /// # Errors
    /// When a variable binding cannot be decoded, or the enterprise is too long.
    pub fn from_trap_v1(pdu: &TrapV1Pdu<'_>) -> Result<Self, MalformedNotification> {
        let var_binds = pdu
            .var_binds
            .clone()
            .map(|var_bind| Ok(var_bind?.to_owned()))
            .collect::<Result<Vec<_>, MalformedNotification>>()?;
        Ok(Self {
            // RFC 3584 3.1 (1)
            up_time: pdu.time_stamp,
            trap_oid: TrapV1Parameters::from(pdu).trap_oid()?,
            var_binds,
        })
    }

    /// The parameters of the Trap-PDU of SNMPv1 that this notification is (RFC 3584 section 3.2); its variable
    /// bindings are those of the notification. `agent_address` is the address of the agent that it comes from, or
    /// 0.0.0.0; one that forwards passes [`agent_address`](Self::agent_address).
    ///
    /// # Errors
    /// When a value is a Counter64, or snmpTrapOID is too short.
    pub fn to_trap_v1(&self, agent_address: [u8; 4]) -> Result<TrapV1Parameters, NoTrapV1> {
        // RFC 3584 3.2 (6)
        let has_counter64 = self
            .var_binds
            .iter()
            .any(|var_bind| matches!(var_bind.value, Value::Counter64(_)));
        if has_counter64 {
            return Err(NoTrapV1::Counter64);
        }
        let parameters = |enterprise, generic_trap, specific_trap| TrapV1Parameters {
            enterprise,
            agent_address,
            generic_trap,
            specific_trap,
            time_stamp: self.up_time,
        };
        if let Some(generic) = generic_trap(&self.trap_oid) {
            return Ok(parameters(self.enterprise_of_generic()?, generic, 0));
        }
        // RFC 3584 3.2 (1) and (4)
        let (enterprise, specific) = match self.trap_oid.arcs() {
            [enterprise @ .., 0, specific] | [enterprise @ .., specific] => (enterprise, *specific),
            [] => return Err(NoTrapV1::TrapOidTooShort),
        };
        // BER encodes no name with fewer than two sub-identifiers.
        if enterprise.len() < 2 {
            return Err(NoTrapV1::TrapOidTooShort);
        }
        let enterprise = Oid::new(enterprise).map_err(|_| NoTrapV1::TrapOidTooShort)?;
        Ok(parameters(
            enterprise,
            GenericTrap::EnterpriseSpecific,
            specific.cast_signed(),
        ))
    }

    /// RFC 3584 3.2 (1): snmpTrapEnterprise.0 if it is there, else snmpTraps.
    fn enterprise_of_generic(&self) -> Result<Oid, NoTrapV1> {
        match self.value(SNMP_TRAP_ENTERPRISE) {
            Some(Value::ObjectIdentifier(oid)) => Ok(oid.as_oid_ref().to_oid()),
            _ => Oid::new(SNMP_TRAPS).map_err(|_| NoTrapV1::TrapOidTooShort),
        }
    }

    /// Where a forwarded notification came from: snmpTrapAddress.0, or 0.0.0.0 (RFC 3584 section 3.2 (2)).
    #[must_use]
    pub fn agent_address(&self) -> [u8; 4] {
        match self.value(SNMP_TRAP_ADDRESS) {
            Some(Value::IpAddress(address)) => *address,
            _ => [0; 4],
        }
    }
}
