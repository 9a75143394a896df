use super::ReceivedNotification;
use crate::applications::notification::NotificationFilter;
use crate::security::{SecurityName, SourceAddresses};

/// Which notifications are wanted: all, unless something else is said.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// By name.
    pub filter: NotificationFilter,
    /// By the address that the message came from.
    pub sources: SourceAddresses,
    /// By sender; if empty, any sender with access.
    pub security_names: Vec<SecurityName>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            filter: NotificationFilter::default(),
            sources: SourceAddresses::Any,
            security_names: Vec::new(),
        }
    }
}

impl Wanted {
    pub(super) fn includes(&self, received: &ReceivedNotification) -> bool {
        let is_wanted_sender =
            self.security_names.is_empty() || self.security_names.contains(&received.security_name);
        is_wanted_sender
            && self.sources.contain(received.source)
            && self.filter.passes(&received.notification)
    }
}
