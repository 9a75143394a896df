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

/// The addresses for subagents; none without the table.
pub(super) fn addresses(
    configured: Option<document::Agentx>,
) -> Result<Vec<AgentxAddress>, Problem> {
    let Some(document::Agentx {
        socket,
        listen,
        group,
        grace: _,
    }) = configured
    else {
        return Ok(Vec::new());
    };
    let unix = AgentxAddress::Unix {
        path: socket.unwrap_or_else(|| PathBuf::from(SOCKET)),
        group: group_id(group.as_ref())?,
    };
    let tcp = listen.into_iter().map(|address| address.0);
    Ok([unix].into_iter().chain(tcp).collect())
}

/// How long the objects of a subagent that ended are known as absent.
pub(super) fn grace(configured: Option<&document::Agentx>) -> Duration {
    let grace = configured.and_then(|agentx| agentx.grace);
    grace.map_or(Duration::ZERO, |grace| grace.0)
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
    use crate::configuration::Configuration;

    fn parse(text: &str) -> Result<Vec<String>, String> {
        let configuration = Configuration::parse_in(text, Path::new("/etc/varbind"));
        let configuration = configuration.map_err(|error| error.to_string())?;
        Ok(configuration
            .agentx
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
    fn groups_are_found_by_their_names() {
        let groups = "root:x:0:\nagentx:x:115:frr,lldpd\nodd\n";
        assert_eq!(find(groups, "agentx"), Some(115));
        assert_eq!(find(groups, "agent"), None);
        assert_eq!(find(groups, "odd"), None);
    }
}
