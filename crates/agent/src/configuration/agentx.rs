//! Where subagents connect (`[agentx]`).

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use toml::Spanned;

use super::document;
use super::error::Problem;
use crate::agentx::AgentxAddress;

/// Where the libraries of subagents look by themselves (RFC 2741 section 8.1.2).
const SOCKET: &str = "/var/agentx/master";
/// Whose members may connect, where the system has it.
const GROUP: &str = "agentx";
const GROUPS: &str = "/etc/group";

/// How subagents are served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SubagentSettings {
    /// Where they connect; nowhere without the table.
    pub(crate) addresses: Vec<AgentxAddress>,
    /// How long the objects of one that ended are known as absent.
    pub(crate) grace: Duration,
    /// Where they may serve objects, beside the default context.
    pub(crate) contexts: Vec<String>,
}

pub(super) fn settings(configured: Option<document::Agentx>) -> Result<SubagentSettings, Problem> {
    let Some(document::Agentx {
        socket,
        listen,
        group,
        grace,
        context,
    }) = configured
    else {
        return Ok(SubagentSettings::default());
    };
    let unix = AgentxAddress::Unix {
        path: socket.unwrap_or_else(|| PathBuf::from(SOCKET)),
        group: group_id(group.as_ref())?,
    };
    let tcp = listen.into_iter().map(|address| address.0);
    let contexts = context.into_iter();
    Ok(SubagentSettings {
        addresses: [unix].into_iter().chain(tcp).collect(),
        grace: grace.map_or(Duration::ZERO, |grace| grace.0),
        contexts: contexts.map(|context| context.name.into_inner()).collect(),
    })
}

fn group_id(configured: Option<&Spanned<String>>) -> Result<Option<u32>, Problem> {
    let groups = fs::read_to_string(GROUPS).unwrap_or_default();
    let Some(configured) = configured else {
        return Ok(find(&groups, GROUP));
    };
    let name = configured.get_ref();
    let found = name.parse().ok().or_else(|| find(&groups, name));
    found.map(Some).ok_or_else(|| {
        let message = format!("{GROUPS} has no group {name:?}: addgroup --system {name} makes it");
        Problem::at(configured.span(), message)
    })
}

/// The number of a group in the text of /etc/group: NAME:PASSWORD:NUMBER:MEMBERS.
fn find(groups: &str, name: &str) -> Option<u32> {
    let mut lines = groups.lines().map(|line| line.split(':'));
    lines.find_map(|mut fields| {
        let is_it = fields.next() == Some(name);
        is_it.then(|| fields.nth(1)?.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::configuration::AgentConfiguration;

    fn parse(text: &str) -> Result<Vec<String>, String> {
        let configuration = AgentConfiguration::parse_in(text, Path::new("/etc/varbind"));
        let configuration = configuration.map_err(|error| error.to_string())?;
        Ok(configuration
            .agentx
            .addresses
            .iter()
            .map(AgentxAddress::to_string)
            .collect())
    }

    #[test]
    fn subagents_are_served_if_that_is_configured() {
        assert_eq!(parse("").unwrap(), Vec::<String>::new());
        assert_eq!(parse("[agentx]").unwrap(), ["agentx:/var/agentx/master"]);
        let both = "[agentx]\nsocket = \"/run/x\"\nlisten = [\"tcp:127.0.0.1:705\"]\ngroup = \"0\"";
        assert_eq!(
            parse(both).unwrap(),
            ["agentx:/run/x", "agentx:tcp:127.0.0.1:705"]
        );
        for (wrong, expected) in [
            ("group = \"nobody-has-this\"", "addgroup"),
            ("listen = [\"udp:127.0.0.1:705\"]", "tcp:127.0.0.1:705"),
            ("listen = [\"tcp:x\"]", "tcp:127.0.0.1:705"),
            ("sockets = 1", "socket"),
        ] {
            let told = parse(&format!("[agentx]\n{wrong}")).unwrap_err();
            assert!(told.contains(expected), "{wrong}: {told}");
        }
    }

    #[test]
    fn contexts_are_for_the_users_that_they_name() {
        let text = "[[user]]\nname = \"ops\"\naccess = \"read-only\"\nlevel = \"no-auth-no-priv\"\n\
                    [[community]]\nname = \"red\"\ncontext = \"vrf-red\"\n";
        let parse = |context: &str| {
            let text = format!("{text}[agentx]\n[[agentx.context]]\n{context}");
            let configuration = AgentConfiguration::parse_in(&text, Path::new("/etc/varbind"));
            configuration.map_err(|error| error.to_string())
        };
        let configuration = parse("name = \"vrf-red\"\nusers = [\"ops\"]").unwrap();
        assert_eq!(configuration.agentx.contexts, ["vrf-red"]);
        let access = configuration.access_control.access_entries();
        let contexts: Vec<_> = access
            .iter()
            .map(|entry| entry.context_prefix.as_str())
            .collect();
        assert_eq!(contexts, ["", "vrf-red", "vrf-red"]);
        for (wrong, expected) in [
            ("name = \"\"", "default context"),
            ("name = \"vrf-blue\"", "there is no context \"vrf-red\""),
            ("name = \"vrf-red\"\nusers = [\"nobody\"]", "nobody"),
            (
                "name = \"vrf-red\"\n[[agentx.context]]\nname = \"vrf-red\"",
                "another context",
            ),
        ] {
            let told = parse(wrong).unwrap_err();
            assert!(told.contains(expected), "{wrong}: {told}");
        }
    }

    #[test]
    fn groups_are_found_by_their_names() {
        let groups = "root:x:0:\nagentx:x:115:frr,lldpd\nodd\n";
        assert_eq!(find(groups, "agentx"), Some(115));
        assert_eq!(find(groups, "agent"), None);
        assert_eq!(find(groups, "odd"), None);
    }
}
