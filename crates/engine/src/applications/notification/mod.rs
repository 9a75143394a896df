//! Notifications in one form, whatever their version (RFC 3584 section 3).
//!
//! ```
//! use varbind_codec::pdu::GenericTrap;
//! use varbind_engine::applications::notification::Notification;
//!
//! let cold_start = Notification::new(0, "1.3.6.1.6.3.1.1.5.1".parse()?, Vec::new());
//! let parameters = cold_start.to_trap_v1([192, 0, 2, 1])?;
//! assert_eq!(parameters.generic_trap, GenericTrap::ColdStart);
//! assert_eq!(parameters.enterprise.to_string(), "1.3.6.1.6.3.1.1.5");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod filter;
mod trap_v1;

use varbind_codec::pdu::CommonPdu;
use varbind_codec::smi::{EncodedOid, Oid, Value, ValueRef, VarBind};

pub use error::{MalformedNotification, NoTrapV1};
pub use filter::NotificationFilter;
pub use trap_v1::TrapV1Parameters;

/// sysUpTime.0 (RFC 3418).
pub const SYS_UP_TIME: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 3, 0];
/// snmpTrapOID.0 (RFC 3418).
pub const SNMP_TRAP_OID: &[u32] = &[1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0];
/// snmpTrapEnterprise.0 (RFC 3418).
pub const SNMP_TRAP_ENTERPRISE: &[u32] = &[1, 3, 6, 1, 6, 3, 1, 1, 4, 3, 0];
/// snmpTrapAddress.0 (RFC 3584 section 9).
pub const SNMP_TRAP_ADDRESS: &[u32] = &[1, 3, 6, 1, 6, 3, 18, 1, 3, 0];
/// snmpTrapCommunity.0 (RFC 3584 section 9).
pub const SNMP_TRAP_COMMUNITY: &[u32] = &[1, 3, 6, 1, 6, 3, 18, 1, 4, 0];
/// snmpTraps: coldStart is the first below it (RFC 3418).
pub const SNMP_TRAPS: &[u32] = &[1, 3, 6, 1, 6, 3, 1, 1, 5];

/// The parameters of a notification, as an SNMPv2-Trap-PDU or InformRequest-PDU carries them (RFC 3416 section 4.2.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// sysUpTime.0, in hundredths of a second.
    pub up_time: u32,
    /// snmpTrapOID.0: which notification this is.
    pub trap_oid: Oid,
    /// The other variable bindings.
    pub var_binds: Vec<VarBind>,
}

impl Notification {
    /// A notification.
    #[must_use]
    pub const fn new(up_time: u32, trap_oid: Oid, var_binds: Vec<VarBind>) -> Self {
        Self {
            up_time,
            trap_oid,
            var_binds,
        }
    }

    /// Reads the variable bindings of an SNMPv2-Trap-PDU or InformRequest-PDU.
    ///
    /// sysUpTime.0 and snmpTrapOID.0 ought to be the first two, but devices exist that put something before them.
    ///
    /// # Errors
    /// When a variable binding cannot be decoded, or one of those two is missing.
    pub fn from_pdu(pdu: &CommonPdu<'_>) -> Result<Self, MalformedNotification> {
        let mut up_time = None;
        let mut trap_oid = None;
        let mut var_binds = Vec::new();
        for var_bind in pdu.var_binds.clone() {
            let var_bind = var_bind?;
            let name = var_bind.name.to_oid();
            match var_bind.value {
                ValueRef::TimeTicks(ticks) if up_time.is_none() && name.arcs() == SYS_UP_TIME => {
                    up_time = Some(ticks);
                }
                ValueRef::ObjectIdentifier(oid)
                    if trap_oid.is_none() && name.arcs() == SNMP_TRAP_OID =>
                {
                    trap_oid = Some(oid.to_oid());
                }
                value => var_binds.push(VarBind {
                    name,
                    value: value.to_owned(),
                }),
            }
        }
        Ok(Self {
            up_time: up_time.ok_or(MalformedNotification::NoUpTime)?,
            trap_oid: trap_oid.ok_or(MalformedNotification::NoTrapOid)?,
            var_binds,
        })
    }

    /// All variable bindings, sysUpTime.0 and snmpTrapOID.0 first (RFC 3416 section 4.2.6).
    #[must_use]
    pub fn to_var_binds(&self) -> Vec<VarBind> {
        let first = [
            VarBind::new(
                known(SYS_UP_TIME, &self.trap_oid),
                Value::TimeTicks(self.up_time),
            ),
            VarBind::new(known(SNMP_TRAP_OID, &self.trap_oid), &self.trap_oid),
        ];
        first
            .into_iter()
            .chain(self.var_binds.iter().cloned())
            .collect()
    }

    /// The value of the variable binding of this name, if there is one.
    #[must_use]
    pub fn value(&self, name: &[u32]) -> Option<&Value> {
        self.var_binds
            .iter()
            .find(|var_bind| var_bind.name.arcs() == name)
            .map(|var_bind| &var_bind.value)
    }

    /// Adds what a proxy adds to a Trap-PDU of SNMPv1 that it forwards, as far as it is not there (RFC 3584 section
    /// 3.1 (4)). The community would disclose to readers of the notification how to query the agent, so it can be omitted.
    pub fn append_origin(&mut self, origin: &TrapV1Parameters, community: Option<&[u8]>) {
        self.append_missing(SNMP_TRAP_ADDRESS, Value::IpAddress(origin.agent_address));
        if let Some(community) = community {
            self.append_missing(SNMP_TRAP_COMMUNITY, Value::OctetString(community.to_vec()));
        }
        self.append_missing(
            SNMP_TRAP_ENTERPRISE,
            Value::ObjectIdentifier(EncodedOid::from(&origin.enterprise)),
        );
    }

    fn append_missing(&mut self, name: &[u32], value: Value) {
        if self.value(name).is_none()
            && let Ok(name) = Oid::new(name)
        {
            self.var_binds.push(VarBind { name, value });
        }
    }
}

/// A constant name as an owned one. They are all valid; what stands in for one that is not is never used.
fn known(name: &[u32], instead: &Oid) -> Oid {
    Oid::new(name).unwrap_or_else(|_| instead.clone())
}
