//! Who may do what, told for people.

use std::collections::BTreeSet;

use varbind_engine::access_control::AccessEntry;
use varbind_engine::security::{SecurityLevel, SecurityModel, SourceAddresses};

use super::access::ENGINE_ID;
use super::{Configuration, ConfiguredProxy};

impl Configuration {
    /// Where the agent listens, and what each community and user may do, a line for each.
    pub(crate) fn permissions(&self) -> Vec<String> {
        let listen: Vec<_> = self
            .listen
            .iter()
            .map(|listen| listen.address.to_string())
            .collect();
        let listen = match &*listen.join(", ") {
            "" => "listens nowhere".to_owned(),
            addresses => format!("listens on {addresses}"),
        };
        let communities = self.communities.rows().iter().zip(1..);
        let communities = communities.map(|(community, number)| {
            let may = self.may(SecurityModel::SnmpV2c, community.security_name.as_str());
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
        std::iter::once(listen)
            .chain(proxies)
            .chain(communities)
            .chain(users)
            .chain(transport_users)
            .collect()
    }

    /// What a security name may do, as `reads all, writes interfaces`.
    fn may(&self, model: SecurityModel, name: &str) -> String {
        let mut groups = self.access_control.groups();
        let found =
            groups.find(|(of, security_name, _)| *of == model && security_name.as_str() == name);
        let entries = self.access_control.access_entries().iter();
        let entries = entries.filter(|entry| {
            found.is_some_and(|(_, _, group)| entry.group == group)
                && entry.security_model.is_none_or(|of| of == model)
        });
        let parts: Vec<_> = entries.filter_map(|entry| views(entry, model)).collect();
        match parts.is_empty() {
            true => "may do nothing".to_owned(),
            false => parts.join("; "),
        }
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
        let configuration = Configuration::parse_in(text, Path::new("/etc/varbind")).unwrap();
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
