//! The access of each community and user, as text.

use std::collections::BTreeSet;

use varbind_engine::access_control::AccessEntry;
use varbind_engine::security::{SecurityLevel, SecurityModel, SourceAddresses};

use super::access::ENGINE_ID;
use super::{AgentConfiguration, ConfiguredProxy, ConfiguredTarget};

impl AgentConfiguration {
    /// Where the agent listens, what each community and user may do, where notifications go, and what programs run, a line for
    /// each.
    pub(crate) fn permissions(&self) -> Vec<String> {
        let communities = self.communities.rows().iter().zip(1..);
        let communities = communities.map(|(community, number)| {
            let may = self.community_may(community.security_name.as_str());
            let from = from(&community.sources);
            format!("community {number} {may}; in clear text, from {from}")
        });
        let users = self.users.iter().map(|user| {
            let may = self.may(SecurityModel::UserBased, &user.name);
            format!("user {} {may}", user.name)
        });
        let groups = self.access_control.groups();
        let transport_users: BTreeSet<_> = groups
            .filter(|(model, ..)| *model == SecurityModel::Transport)
            .map(|(_, name, _)| name.as_str())
            .collect();
        let transport_users = transport_users.into_iter().map(|name| {
            let may = self.may(SecurityModel::Transport, name);
            format!("{name} over TLS, DTLS and SSH {may}")
        });
        let proxies = self.proxies.iter().map(ConfiguredProxy::describe);
        self.listeners()
            .into_iter()
            .chain(proxies)
            .chain(communities)
            .chain(users)
            .chain(transport_users)
            .chain(self.targets.iter().map(ConfiguredTarget::describe))
            .chain(self.programs())
            .collect()
    }

    /// What a security name of communities may do, in both versions that have them.
    fn community_may(&self, name: &str) -> String {
        let [v1, v2c] =
            [SecurityModel::SnmpV1, SecurityModel::SnmpV2c].map(|model| self.may(model, name));
        if v1 == v2c {
            v2c
        } else {
            format!("{v1} with SNMPv1, {v2c} with SNMPv2c")
        }
    }

    /// What a security name may do, as `reads all, writes interfaces`.
    fn may(&self, model: SecurityModel, name: &str) -> String {
        let entries = self.entries_of(model, name);
        let parts: Vec<_> = entries.filter_map(|entry| views(entry, model)).collect();
        match parts.is_empty() {
            true => "may do nothing".to_owned(),
            false => parts.join("; "),
        }
    }

    /// The access entries that count for a security name.
    pub(super) fn entries_of(
        &self,
        model: SecurityModel,
        name: &str,
    ) -> impl Iterator<Item = &AccessEntry> {
        let mut groups = self.access_control.groups();
        let found =
            groups.find(|(of, security_name, _)| *of == model && security_name.as_str() == name);
        let group = found.map(|(_, _, group)| group);
        let entries = self.access_control.access_entries().iter();
        entries.filter(move |entry| {
            group == Some(&*entry.group) && entry.security_model.is_none_or(|of| of == model)
        })
    }
}

/// The views of an entry, and the level without which they are not to be had.
fn views(entry: &AccessEntry, model: SecurityModel) -> Option<String> {
    let AccessEntry {
        read_view,
        write_view,
        notify_view,
        ..
    } = entry;
    // Each name in a certificate may find out whom it asks.
    if read_view == ENGINE_ID {
        return None;
    }
    let views = [
        ("reads", read_view, true),
        ("writes", write_view, true),
        ("is notified of", notify_view, notify_view != read_view),
    ];
    let parts: Vec<_> = views
        .into_iter()
        .filter(|(_, view, is_told)| *is_told && !view.is_empty())
        .map(|(verb, view, _)| format!("{verb} {view}"))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let mut parts = parts.join(", ");
    if !entry.context_prefix.is_empty() {
        parts = format!("{parts} in context {}", entry.context_prefix);
    }
    let is_community = matches!(model, SecurityModel::SnmpV1 | SecurityModel::SnmpV2c);
    Some(match entry.security_level {
        _ if is_community => parts,
        SecurityLevel::NoAuthNoPriv => format!("{parts}, even without a password"),
        SecurityLevel::AuthNoPriv => format!("{parts}, even unencrypted"),
        SecurityLevel::AuthPriv => format!("{parts}, only encrypted"),
    })
}

fn from(sources: &SourceAddresses) -> String {
    match sources {
        SourceAddresses::Any => "everywhere".to_owned(),
        local if *local == SourceAddresses::loopback() => "this host".to_owned(),
        SourceAddresses::Within(filters) if filters.is_empty() => "nowhere".to_owned(),
        SourceAddresses::Within(filters) => {
            let filters: Vec<_> = filters.iter().map(ToString::to_string).collect();
            filters.join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn permissions(text: &str) -> Vec<String> {
        let configuration = AgentConfiguration::parse_in(text, Path::new("/etc/varbind")).unwrap();
        configuration.permissions()
    }

    #[test]
    fn each_community_and_user_has_a_line() {
        let told = permissions(
            r#"
            listen = ["udp:127.0.0.1:161", "tls:127.0.0.1:10161"]
            [[community]]
            name = "secret"
            access = "read-write"
            [[community]]
            name = "other"
            sources = ["192.0.2.0/24", "2001:db8::1"]
            view = "system"
            [[community]]
            name = "none"
            access = "none"
            [[user]]
            name = "ops"
            authentication = { protocol = "SHA-256", password = "maple syrup" }
            privacy = { protocol = "AES", password = "apple sauce" }
            access = "read-write"
            [[transport-user]]
            name = "jo"
            access = "read-only"
            [[view]]
            name = "system"
            include = ["1.3.6.1.2.1.1"]
            "#,
        );
        let expected = [
            "listens on udp:127.0.0.1:161, tls:127.0.0.1:10161",
            "community 1 reads all, writes all; in clear text, from this host",
            "community 2 reads system; in clear text, from 192.0.2.0/24, 2001:db8::1",
            "community 3 may do nothing; in clear text, from this host",
            "user ops reads all, writes all, only encrypted",
            "jo over TLS, DTLS and SSH reads all, only encrypted",
        ];
        assert_eq!(told, expected);
        assert!(!told.concat().contains("secret"));
    }

    #[test]
    fn access_for_one_version_alone_is_told_as_such() {
        let group = |model: &str| {
            format!(
                "[[group]]\nname = \"old\"\nsecurity-model = \"{model}\"\nsecurity-names = [\"c\"]\n"
            )
        };
        let community = "listen = []\n[[community]]\nname = \"c\"\naccess = \"none\"\n";
        let access = "[[access]]\ngroup = \"old\"\nread = \"all\"\n";
        let told = permissions(&format!("{community}{}{access}", group("v1")));
        let expected = "community 1 reads all with SNMPv1, may do nothing with SNMPv2c; in clear text, from this host";
        assert_eq!(told[1], expected);
        let both = format!("{community}{}{}{access}", group("v1"), group("v2c"));
        let expected = "community 1 reads all; in clear text, from this host";
        assert_eq!(permissions(&both)[1], expected);
    }

    #[test]
    fn what_is_open_is_reported() {
        let told = permissions(
            r#"
            listen = []
            community = []
            [[user]]
            name = "open"
            level = "noAuthNoPriv"
            "#,
        );
        assert_eq!(
            told,
            [
                "listens nowhere",
                "user open reads all, even without a password"
            ]
        );
    }
}
