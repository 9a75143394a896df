//! Listeners, targets of notifications and programs, as text.

use varbind::transport::ssh::Account;
use varbind_codec::message::Version;
use varbind_engine::applications::notification_receiver::NotificationKind;
use varbind_engine::security::SecurityLevel;

use super::{AgentConfiguration, ConfiguredTarget};
use crate::extensions::{Program, RunAs, Task};

impl AgentConfiguration {
    /// Where managers, web clients, subagents and notifications arrive, and as whom the agent runs.
    pub(super) fn listeners(&self) -> Vec<String> {
        let listen = joined(self.listen.iter().map(|listen| &listen.address));
        let first = match &*listen {
            "" => "listens nowhere".to_owned(),
            addresses => format!("listens on {addresses}"),
        };
        let subsystem = self.secure_transports.ssh.subsystem.as_ref();
        let subsystem = subsystem.map(|socket| {
            let path = socket.path.display();
            format!("the SSH server of the host connects to {path}")
        });
        let others = [
            ("web clients connect to", joined(&self.web.listen)),
            ("subagents connect to", joined(&self.agentx.addresses)),
            (
                "notifications that are passed on arrive at",
                joined(&self.notification_listen),
            ),
        ];
        let others = others.into_iter().filter(|(_, all)| !all.is_empty());
        let user = self.process.user.as_ref();
        let user = user.map(|user| format!("becomes user {user} if root starts it"));
        [first]
            .into_iter()
            .chain(others.map(|(what, all)| format!("{what} {all}")))
            .chain(subsystem)
            .chain(user)
            .collect()
    }

    /// The programs, and as whom each runs. Arguments may be secrets.
    pub(super) fn programs(&self) -> Vec<String> {
        let extensions = self.extensions.iter().filter_map(run_of);
        let subtrees = self.pass_subtrees.iter().filter_map(run_of);
        extensions.chain(subtrees).collect()
    }
}

fn joined(addresses: impl IntoIterator<Item: ToString>) -> String {
    let addresses = addresses.into_iter();
    let addresses: Vec<_> = addresses.map(|address| address.to_string()).collect();
    addresses.join(", ")
}

fn run_of<T: Task>(task: &T) -> Option<String> {
    let Program {
        command, run_as, ..
    } = task.program()?;
    let user = match *run_as {
        None => "as the agent's user".to_owned(),
        Some(RunAs { uid, .. }) => {
            let account = Account::numbered(uid).ok().flatten();
            let name = account.map_or_else(|| uid.to_string(), |account| account.name);
            format!("as user {name}")
        }
    };
    Some(format!("{} runs {} {user}", task.title(), command.first()?))
}

impl ConfiguredTarget {
    /// What it gets and how, as `traps go to udp:192.0.2.9:162 in SNMPv2c, in clear text`.
    pub(super) fn describe(&self) -> String {
        let kind = match self.kind {
            NotificationKind::Trap => "traps",
            NotificationKind::Inform => "informs",
        };
        let is_secure = self.address.transport.is_secure();
        let (version, has_level) = match self.processing.version() {
            Version::V1 => ("SNMPv1", false),
            Version::V2c => ("SNMPv2c", false),
            Version::V3 => ("SNMPv3", true),
        };
        let safety = match self.principal.security_level {
            _ if is_secure => "encrypted",
            SecurityLevel::AuthPriv if has_level => "encrypted",
            SecurityLevel::AuthNoPriv if has_level => "authenticated, in clear text",
            _ => "in clear text",
        };
        format!("{kind} go to {} in {version}, {safety}", self.address)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rustix::process::geteuid;

    use super::*;

    #[test]
    fn listeners_targets_and_programs_have_a_line_each() {
        let text = r#"
            listen = ["udp:127.0.0.1:161"]
            community = []
            [process]
            user = "daemon"
            [web]
            listen = ["http://127.0.0.1:8080"]
            [agentx]
            socket = "/run/x"
            [[user]]
            name = "ops"
            authentication = { protocol = "SHA-256", password = "maple syrup" }
            access = "none"
            [[notification-target]]
            address = "udp:192.0.2.9:162"
            community = "secret"
            [[notification-target]]
            address = "udp:192.0.2.10:162"
            version = "v3"
            user = "ops"
            kind = "inform"
            [[extend]]
            name = "up"
            command = ["/usr/bin/uptime", "--token=secret"]
            [[pass]]
            oid = "1.3.6.1.4.1.99999"
            command = ["/bin/pass"]
        "#;
        let configuration = AgentConfiguration::parse_in(text, Path::new("/etc/varbind")).unwrap();
        let told = configuration.permissions();
        let user = match geteuid().is_root() {
            true => "as user nobody",
            false => "as the agent's user",
        };
        let expected = [
            "listens on udp:127.0.0.1:161",
            "web clients connect to http://127.0.0.1:8080",
            "subagents connect to agentx:/run/x",
            "becomes user daemon if root starts it",
            "user ops may do nothing",
            "traps go to udp:192.0.2.9:162 in SNMPv2c, in clear text",
            "informs go to udp:192.0.2.10:162 in SNMPv3, authenticated, in clear text",
            &format!("extend up runs /usr/bin/uptime {user}"),
            &format!("pass 1.3.6.1.4.1.99999 runs /bin/pass {user}"),
        ];
        assert_eq!(told, expected);
    }
}
