//! What a user is asked when a session over SSH is opened.

use std::fmt::Write;
use std::path::Path;

use varbind::transport::ssh::{HostKeyAnswer, Interaction, Secret, UnknownHostKey};

use crate::prompt;

/// The user at the terminal, if there is one.
#[derive(Debug)]
pub(crate) struct AtTerminal;

impl Interaction for AtTerminal {
    fn unknown_host_key(&self, key: &UnknownHostKey) -> HostKeyAnswer {
        let mut question = format!(
            "The authenticity of host '{}' cannot be established.\n{} key fingerprint is {}.\n",
            key.host, key.algorithm, key.fingerprint
        );
        for line in &key.others {
            // Writing to a String cannot fail.
            let _ = writeln!(
                question,
                "It is known by a key of another type: {} line {}, {}",
                line.file.display(),
                line.line,
                line.fingerprint
            );
        }
        question.push_str("Trust it? yes (and remember), once, or no: ");
        match prompt::line(&question) {
            Ok(Some(answer)) => match answer.trim() {
                "yes" => HostKeyAnswer::AcceptAndRemember,
                "once" => HostKeyAnswer::AcceptOnce,
                _ => HostKeyAnswer::Refuse,
            },
            // Nobody is there, or said anything.
            Ok(None) | Err(_) => HostKeyAnswer::Refuse,
        }
    }

    fn passphrase(&self, file: &Path) -> Option<Secret> {
        secret(&format!("Passphrase of {}: ", file.display()))
    }

    fn password(&self, user: &str, host: &str) -> Option<Secret> {
        secret(&format!("Password of {user} at {host}: "))
    }
}

fn secret(question: &str) -> Option<Secret> {
    let typed = prompt::password(question).ok().flatten()?;
    String::from_utf8(typed).ok().map(Secret::new)
}
