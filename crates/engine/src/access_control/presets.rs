//! Access control for those who need no views: everything for a name, to be read or to be written.

use varbind_codec::oid;

use super::vacm::{Vacm, VacmBuilder};
use super::{AccessEntry, ContextMatch, ViewMask, ViewTreeFamily};
use crate::security::{SecurityLevel, SecurityModel, SecurityName};

/// The view of everything (RFC 3415 section 4).
const EVERYTHING: &str = "everything";
/// What messages have to be at least.
const LEAST_LEVELS: [(SecurityModel, SecurityLevel); 4] = [
    (SecurityModel::SnmpV1, SecurityLevel::NoAuthNoPriv),
    (SecurityModel::SnmpV2c, SecurityLevel::NoAuthNoPriv),
    (SecurityModel::UserBased, SecurityLevel::AuthNoPriv),
    BY_TRANSPORT,
];
const BY_TRANSPORT: (SecurityModel, SecurityLevel) =
    (SecurityModel::Transport, SecurityLevel::AuthNoPriv);

impl Vacm {
    /// Everything in the default context can be read by this name: that of a community, of a user, or of a certificate.
    ///
    /// Messages of users have to be authenticated (authNoPriv at least).
    ///
    /// ```
    /// use varbind_engine::access_control::Vacm;
    ///
    /// let vacm = Vacm::read_only("public");
    /// ```
    #[must_use]
    pub fn read_only(name: &str) -> Self {
        Self::builder().read_only(name).build_complete()
    }

    /// Everything in the default context can be read and written by this name, otherwise as [`read_only`](Self::read_only).
    #[must_use]
    pub fn read_write(name: &str) -> Self {
        Self::builder().read_write(name).build_complete()
    }
}

impl VacmBuilder {
    /// Lets a name read everything in the default context, as [`Vacm::read_only`].
    #[must_use]
    pub fn read_only(self, name: &str) -> Self {
        self.everything(name, "", &LEAST_LEVELS)
    }

    /// Lets a name read and write everything in the default context.
    #[must_use]
    pub fn read_write(self, name: &str) -> Self {
        self.everything(name, EVERYTHING, &LEAST_LEVELS)
    }

    /// Lets a user read everything in the default context, by messages of this level at least.
    #[must_use]
    pub fn read_only_by_user(self, name: &str, level: SecurityLevel) -> Self {
        self.everything(name, "", &[(SecurityModel::UserBased, level)])
    }

    /// Lets a user read and write everything in the default context, by messages of this level at least.
    #[must_use]
    pub fn read_write_by_user(self, name: &str, level: SecurityLevel) -> Self {
        self.everything(name, EVERYTHING, &[(SecurityModel::UserBased, level)])
    }

    /// Lets a name that a secure transport authenticates read everything in the default context, in SNMPv3.
    #[must_use]
    pub fn read_only_by_transport(self, name: &str) -> Self {
        self.everything(name, "", &[BY_TRANSPORT])
    }

    /// Lets a name that a secure transport authenticates read and write everything in the default context, in SNMPv3.
    #[must_use]
    pub fn read_write_by_transport(self, name: &str) -> Self {
        self.everything(name, EVERYTHING, &[BY_TRANSPORT])
    }

    /// A name is put into a group of its own, which has an entry for each of these security models, with the level that
    /// messages have at least.
    fn everything(
        self,
        name: &str,
        write_view: &str,
        levels: &[(SecurityModel, SecurityLevel)],
    ) -> Self {
        let mut builder = self.context("");
        for subtree in [oid!("0"), oid!("1"), oid!("2")] {
            let family = ViewTreeFamily {
                subtree,
                mask: ViewMask::default(),
                included: true,
            };
            builder = builder.view(EVERYTHING, family);
        }
        for &(security_model, security_level) in levels {
            builder = builder
                .group(security_model, SecurityName::new(name), name)
                .access(AccessEntry {
                    group: name.to_owned(),
                    context_prefix: String::new(),
                    context_match: ContextMatch::Exact,
                    security_model: Some(security_model),
                    security_level,
                    read_view: EVERYTHING.to_owned(),
                    write_view: write_view.to_owned(),
                    notify_view: EVERYTHING.to_owned(),
                });
        }
        builder
    }

    /// The tables of a builder that names no view but its own, so that there is no error.
    fn build_complete(self) -> Vacm {
        self.build().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access_control::{AccessDenied, AccessRequest, ViewType};

    #[test]
    fn a_name_reads_everything_and_writes_what_it_may() {
        let allows = |vacm: &Vacm, model, level, name: &str, view_type| {
            let request = AccessRequest {
                context_name: "",
                security_model: model,
                security_name: &SecurityName::new(name),
                security_level: level,
                view_type,
            };
            vacm.is_access_allowed(&request, &[1, 3, 6, 1, 2, 1, 1, 5, 0])
        };
        use SecurityLevel::{AuthPriv, NoAuthNoPriv};
        use SecurityModel::{SnmpV2c, UserBased};
        let reader = Vacm::read_only("ops");
        let writer = Vacm::read_write("ops");
        for vacm in [&reader, &writer] {
            assert_eq!(
                allows(vacm, SnmpV2c, NoAuthNoPriv, "ops", ViewType::Read),
                Ok(())
            );
            assert_eq!(
                allows(vacm, UserBased, AuthPriv, "ops", ViewType::Read),
                Ok(())
            );
            // Who knows the name of a user alone has no right by it.
            let denied = allows(vacm, UserBased, NoAuthNoPriv, "ops", ViewType::Read);
            assert_eq!(denied, Err(AccessDenied::NoAccessEntry));
            let denied = allows(vacm, SnmpV2c, NoAuthNoPriv, "others", ViewType::Read);
            assert_eq!(denied, Err(AccessDenied::NoGroupName));
        }
        let denied = allows(&reader, UserBased, AuthPriv, "ops", ViewType::Write);
        assert_eq!(denied, Err(AccessDenied::NoSuchView));
        assert_eq!(
            allows(&writer, UserBased, AuthPriv, "ops", ViewType::Write),
            Ok(())
        );
        // A user of the same name has no right by the transport's, and a community none.
        let builder = Vacm::builder().read_write_by_transport("ops");
        let by_transport = builder.build().unwrap();
        for (model, level, allowed) in [
            (SecurityModel::Transport, AuthPriv, Ok(())),
            (UserBased, AuthPriv, Err(AccessDenied::NoGroupName)),
            (SnmpV2c, NoAuthNoPriv, Err(AccessDenied::NoGroupName)),
        ] {
            let found = allows(&by_transport, model, level, "ops", ViewType::Write);
            assert_eq!(found, allowed);
        }
    }
}
