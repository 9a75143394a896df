use crate::access_control::{AccessDenied, AccessRequest, Vacm, ViewType};
use crate::applications::notification::Notification;
use crate::security::{SecurityLevel, SecurityModel, SecurityName};

/// In whose name a target is sent to, which decides what it may learn (a row of snmpTargetParamsTable, RFC 3413
/// section 4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetPrincipal {
    /// snmpTargetParamsSecurityModel.
    pub security_model: SecurityModel,
    /// snmpTargetParamsSecurityName.
    pub security_name: SecurityName,
    /// snmpTargetParamsSecurityLevel.
    pub security_level: SecurityLevel,
    /// The context of the objects; the default context has the empty name.
    pub context_name: String,
}

impl TargetPrincipal {
    /// Whether the notify view holds the notification and each of its objects (RFC 3413 section 3.3 (3)).
    ///
    /// sysUpTime.0 and snmpTrapOID.0, which every notification has, need not be in the view: they are what the headers
    /// of a trap are in SNMPv1.
    ///
    /// # Errors
    /// Why it may not be sent.
    pub fn may_learn(
        &self,
        access_control: &Vacm,
        notification: &Notification,
    ) -> Result<(), AccessDenied> {
        let view = access_control.view(&AccessRequest {
            security_model: self.security_model,
            security_name: &self.security_name,
            security_level: self.security_level,
            view_type: ViewType::Notify,
            context_name: &self.context_name,
        })?;
        let names = notification.var_binds.iter().map(|var_bind| &var_bind.name);
        let is_visible = std::iter::once(&notification.trap_oid)
            .chain(names)
            .all(|name| view.includes(name.arcs()));
        if is_visible {
            Ok(())
        } else {
            Err(AccessDenied::NotInView)
        }
    }
}
