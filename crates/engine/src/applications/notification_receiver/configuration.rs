use std::sync::Arc;

use super::user_based::Users;
use super::{NotificationUser, Wanted};
use crate::local_configuration::LocalConfiguration;
use crate::security::CommunityTable;
use crate::security::tsm::TransportSecurityModel;
use crate::security::usm::LocalEngine;

/// Who may send notifications, and which of them are wanted.
#[derive(Clone, Debug, Default)]
pub struct ReceiverConfiguration {
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

/// What the configuration says.
#[derive(Debug)]
pub(super) struct Current {
    /// What the message processing of the agent knows, without any objects.
    pub(super) local: LocalConfiguration,
    pub(super) users: Users,
    pub(super) wanted: Wanted,
}

impl Current {
    pub(super) fn new(configuration: ReceiverConfiguration, former: Option<&Users>) -> Self {
        let ReceiverConfiguration {
            communities,
            users,
            transport_security_model,
            engine,
            wanted,
        } = configuration;
        let users = Users::new(users, former);
        let local = LocalConfiguration {
            users: engine
                .as_deref()
                .map(|engine| users.at(engine))
                .unwrap_or_default(),
            engine,
            transport_security_model,
            communities,
            ..LocalConfiguration::default()
        };
        Self {
            local,
            users,
            wanted,
        }
    }
}
