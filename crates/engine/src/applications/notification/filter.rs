use crate::access_control::{ViewTree, ViewTreeFamily};

use super::Notification;

/// Which notifications are wanted, by their names and those of their objects (RFC 3413 section 6, the rows of one
/// profile in snmpNotifyFilterTable).
#[derive(Clone, Debug, Default)]
pub struct NotificationFilter {
    /// Without any family, everything is wanted.
    families: Option<ViewTree>,
}

impl NotificationFilter {
    /// A filter of these families; none lets everything pass.
    #[must_use]
    pub fn new(families: Vec<ViewTreeFamily>) -> Self {
        Self {
            families: (!families.is_empty()).then(|| ViewTree::new(families)),
        }
    }

    /// The filter of a profile: without any family, nothing passes.
    #[must_use]
    pub fn of_profile(families: Vec<ViewTreeFamily>) -> Self {
        Self {
            families: Some(ViewTree::new(families)),
        }
    }

    /// Whether a notification is wanted: its snmpTrapOID is in an included subtree, and none of its objects in an
    /// excluded one.
    #[must_use]
    pub fn passes(&self, notification: &Notification) -> bool {
        let Some(families) = &self.families else {
            return true;
        };
        families.includes(notification.trap_oid.arcs())
            && !notification
                .var_binds
                .iter()
                .any(|var_bind| families.excludes(var_bind.name.arcs()))
    }
}
