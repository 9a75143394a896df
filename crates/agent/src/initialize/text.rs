//! The configuration that is written.

use std::path::PathBuf;

/// What is in it.
pub(super) struct Contents<'a> {
    pub(super) listen: &'a [String],
    pub(super) administrator: &'a str,
    pub(super) host_key: Option<&'a str>,
    pub(super) state_directory: Option<PathBuf>,
    /// The user whom the agent becomes.
    pub(super) user: Option<&'a str>,
}

pub(super) fn configuration(contents: &Contents<'_>) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let listen: Vec<_> = contents
        .listen
        .iter()
        .map(|address| format!("    {},\n", quoted(address)))
        .collect();
    let state_directory = contents
        .state_directory
        .as_ref()
        .map(|path| format!("state-directory = {}\n", quoted(&path.to_string_lossy())))
        .unwrap_or_default();
    let host_keys = match contents.host_key {
        Some(key) => format!("host-keys = [{}]\n", quoted(key)),
        None => "# host-keys: those of OpenSSH's server\n".to_owned(),
    };
    let process = contents
        .user
        .map(|user| {
            let user = quoted(user);
            format!(
                "# Root alone can open the agent's ports: it gives up all other rights, and becomes this user.\n\
                 [process]\nuser = {user}\n\n"
            )
        })
        .unwrap_or_default();
    let logins = match contents.user {
        Some(_) => {
            "# By SSH, if that is listened on, managers log in with the public keys in these files: %u is the user.\n\
             [ssh]\n\
             authorized-keys = [\"ssh/authorized-keys/%u\"]\n"
        }
        None => {
            "# By SSH, users of this host log in with the keys in their ~/.ssh/authorized_keys.\n\
             [ssh]\n\
             accounts = true\n"
        }
    };
    let administrator = quoted(contents.administrator);
    let listen = listen.concat();
    format!(
        "# Made by varbind: this agent listens on secure transports alone, and one administrator may read\n\
         # and write. docs/agent.md explains all keys.\n\
         listen = [\n{listen}]\n{state_directory}\n\
         # Certificates are in the directory pki beside this file. A manager is known by the common name in its certificate, if\n\
         # our authority has signed that: `varbind pki issue manager NAME`, where the authority's key is, makes more of them.\n\
         [[tls.map]]\n\
         certificate = \"pki/ca.pem\"\n\
         to = \"common-name\"\n\n\
         {process}{logins}{host_keys}\n\
         # A name alone gives no access: one of these has to say what its owner may do.\n\
         [[transport-user]]\n\
         name = {administrator}\n\
         access = \"read-write\"\n"
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::configuration::AgentConfiguration;

    #[test]
    fn what_is_written_can_be_read() {
        let text = configuration(&Contents {
            listen: &["tls:0.0.0.0".to_owned(), "ssh:[::]:5161".to_owned()],
            administrator: "Jürgen \"x\" \\",
            host_key: Some("ssh/host-key"),
            state_directory: Some("/var/lib/a \"b\"".into()),
            user: None,
        });
        let read = AgentConfiguration::parse_in(&text, Path::new("/etc/varbind")).unwrap();
        assert_eq!(read.listen.len(), 2);
        assert_eq!(read.state_directory, Path::new("/var/lib/a \"b\""));
        assert!(read.allows_writing);
        let ssh = read.secure_transports.ssh;
        assert_eq!(ssh.host_keys, [Path::new("/etc/varbind/ssh/host-key")]);
        assert!(ssh.accounts && read.process.user.is_none());
    }

    #[test]
    fn an_agent_with_a_user_of_its_own_reads_no_files_of_other_users() {
        let text = configuration(&Contents {
            listen: &["tls:0.0.0.0".to_owned()],
            administrator: "ops",
            host_key: Some("ssh/host-key"),
            state_directory: None,
            user: Some("daemon"),
        });
        let read = AgentConfiguration::parse_in(&text, Path::new("/etc/varbind")).unwrap();
        assert!(read.process.user.is_some() && !read.secure_transports.ssh.accounts);
        assert_eq!(read.state_directory, Path::new("/var/lib/varbind"));
    }
}
