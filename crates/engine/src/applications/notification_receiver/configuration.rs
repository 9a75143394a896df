use std::sync::Arc;

use super::{NotificationUser, Wanted};
use crate::security::CommunityTable;
use crate::security::tsm::TransportSecurityModel;
use crate::security::usm::LocalEngine;

/// Who may send notifications, and which of them are wanted.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The communities of SNMPv1 and SNMPv2c. By a secure transport none is looked at: there the name of the sender is
    /// the transport's.
    pub communities: CommunityTable,
    /// The users of SNMPv3.
    pub users: Vec<NotificationUser>,
    /// The transport security model, if notifications of SNMPv3 are taken with it: from whomever the secure transports
    /// let in, as far as they are [wanted](Wanted::security_names).
    pub transport_security_model: Option<TransportSecurityModel>,
    /// This engine, which answers informs of SNMPv3; traps need none.
    pub engine: Option<Arc<LocalEngine>>,
    /// What is passed on.
    pub wanted: Wanted,
}
