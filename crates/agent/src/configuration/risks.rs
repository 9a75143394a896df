//! Warnings of access that others can misuse, and of programs that run as root.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use varbind_engine::security::{SecurityLevel, SecurityModel, SourceAddresses, SourceFilter};

use super::AgentConfiguration;
use super::reach::is_remote;
use crate::extensions::{RunAs, Task};

const ROOT: u32 = 0;

impl AgentConfiguration {
    /// Warns of access that others on the path can misuse, if the agent listens to other hosts without TLS, DTLS or SSH, and of
    /// programs that run as root.
    pub(super) fn risks(&self) -> Vec<String> {
        let mut listen = self.listen.iter();
        let is_exposed = listen.any(|listen| is_remote(&listen.address));
        let mut risks = self.programs_of_root();
        if is_exposed {
            risks.extend(self.open_communities());
            risks.extend(self.weak_users());
        }
        risks
    }

    /// Communities that write, or may be used from every address.
    fn open_communities(&self) -> Vec<String> {
        let mut risks = Vec::new();
        for (community, number) in self.communities.rows().iter().zip(1..) {
            if !is_used_by_others(&community.sources) {
                continue;
            }
            let name = community.security_name.as_str();
            let mut models = [SecurityModel::SnmpV1, SecurityModel::SnmpV2c].into_iter();
            if models.any(|model| self.writes(model, name)) {
                risks.push(format!(
                    "community {number} writes, and others on the path can read and use it: give write access to a [[user]]"
                ));
            }
            if is_everywhere(&community.sources) {
                risks.push(format!(
                    "community {number} may be used from every address: write the networks of your managers into `sources`"
                ));
            }
        }
        risks
    }

    fn writes(&self, model: SecurityModel, name: &str) -> bool {
        let mut entries = self.entries_of(model, name);
        entries.any(|entry| !entry.write_view.is_empty())
    }

    /// Users whose requests need no authentication or encryption.
    fn weak_users(&self) -> Vec<String> {
        let weak = self.users.iter().filter_map(|user| {
            let entries = self.entries_of(SecurityModel::UserBased, &user.name);
            let used =
                entries.filter(|entry| !entry.read_view.is_empty() || !entry.write_view.is_empty());
            let risk = match used.map(|entry| entry.security_level).min()? {
                SecurityLevel::AuthPriv => return None,
                SecurityLevel::AuthNoPriv => "without encryption",
                SecurityLevel::NoAuthNoPriv => "without a password",
            };
            Some(format!(
                "user {:?} has access {risk}: write level = \"authPriv\", or security-level in [[access]]",
                user.name
            ))
        });
        weak.collect()
    }

    fn programs_of_root(&self) -> Vec<String> {
        let extensions = self.extensions.iter().filter_map(of_root);
        let subtrees = self.pass_subtrees.iter().filter_map(of_root);
        extensions.chain(subtrees).collect()
    }
}

fn is_used_by_others(sources: &SourceAddresses) -> bool {
    match sources {
        SourceAddresses::Any => true,
        SourceAddresses::Within(filters) => {
            !filters.is_empty() && *sources != SourceAddresses::loopback()
        }
    }
}

fn is_everywhere(sources: &SourceAddresses) -> bool {
    let all = [
        IpAddr::from(Ipv4Addr::UNSPECIFIED),
        IpAddr::from(Ipv6Addr::UNSPECIFIED),
    ];
    match sources {
        SourceAddresses::Any => true,
        SourceAddresses::Within(filters) => all
            .map(|address| SourceFilter::network(address, 0))
            .iter()
            .any(|all| filters.contains(all)),
    }
}

fn of_root<T: Task>(task: &T) -> Option<String> {
    let program = task.program()?;
    let is_of_root = matches!(program.run_as, Some(RunAs { uid: ROOT, .. }));
    let path = program.command.first()?;
    is_of_root.then(|| {
        format!(
            "{} runs as root: name a `user` with fewer rights, or make sure that root alone can change {path}",
            task.title()
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rustix::process::geteuid;

    use super::*;

    fn risks(text: &str) -> Vec<String> {
        let configuration = AgentConfiguration::parse_in(text, Path::new("/")).unwrap();
        configuration.risks()
    }

    const REMOTE: &str = "listen = [\"udp:0.0.0.0\"]\n";
    const COMMUNITY: &str = "[[community]]\nname = \"secret\"\n";

    #[test]
    fn communities_that_others_can_use_are_warned_of() {
        let networks = "sources = [\"192.0.2.0/24\"]\n";
        let everywhere = "sources = [\"10.0.0.0/8\", \"0.0.0.0/0\"]\n";
        let writing = "access = \"read-write\"\n";
        for (community, expected) in [
            (networks.to_owned(), &[][..]),
            (writing.to_owned(), &[]),
            (format!("{networks}{writing}"), &["community 1 writes"]),
            (everywhere.to_owned(), &["from every address"]),
            ("sources = [\"::/0\"]\n".to_owned(), &["from every address"]),
            (
                format!("{everywhere}{writing}"),
                &["community 1 writes", "from every address"],
            ),
        ] {
            let found = risks(&format!("{REMOTE}{COMMUNITY}{community}"));
            assert_eq!(found.len(), expected.len(), "{community}: {found:?}");
            for (risk, part) in found.iter().zip(expected) {
                assert!(risk.contains(part) && !risk.contains("secret"), "{risk}");
            }
            for local in ["udp:127.0.0.1", "tls:0.0.0.0"] {
                let listen = format!("listen = [\"{local}\"]\n");
                assert_eq!(risks(&format!("{listen}{COMMUNITY}{community}")), [""; 0]);
            }
        }
    }

    #[test]
    fn users_below_auth_priv_are_warned_of() {
        let user = "[[user]]\nname = \"ops\"\nauthentication = { protocol = \"SHA-256\", password = \"maple syrup\" }\n";
        let privacy = "privacy = { protocol = \"AES\", password = \"apple sauce\" }\n";
        for (more, expected) in [
            (privacy, None),
            ("access = \"none\"\n", None),
            ("level = \"authNoPriv\"\n", Some("without encryption")),
            ("level = \"noAuthNoPriv\"\n", Some("without a password")),
        ] {
            let found = risks(&format!("{REMOTE}{user}{more}"));
            assert_eq!(found.len(), expected.iter().len(), "{more}: {found:?}");
            for (risk, part) in found.iter().zip(expected) {
                assert!(risk.contains(part), "{more}: {risk}");
            }
        }
    }

    #[test]
    fn programs_of_root_are_warned_of() {
        let program = "listen = []\n[[extend]]\nname = \"up\"\ncommand = [\"/usr/bin/uptime\"]\n";
        assert_eq!(risks(program), [""; 0]);
        if geteuid().is_root() {
            let [risk] = &risks(&format!("{program}user = \"root\"\n"))[..] else {
                panic!("one warning");
            };
            assert!(risk.starts_with("extend up runs as root"), "{risk}");
        }
    }
}
