//! The question about an unknown host key when a session over SSH is opened.

use std::fmt::Write;
use std::path::Path;

use varbind::transport::ssh::{HostKeyAnswer, Interaction, Secret, UnknownHostKey};

use crate::messages::print_message;
use crate::prompt;

/// The user at the terminal, if there is one.
#[derive(Debug)]
pub struct AtTerminal {
    /// Whether remembered keys are reported on standard error.
    pub reports_new_keys: bool,
}

impl Interaction for AtTerminal {
    fn unknown_host_key(&self, key: &UnknownHostKey) -> HostKeyAnswer {
        let mut question = introduction(key);
        loop {
            // There is no terminal, or the user gave no answer.
            let Ok(Some(answer)) = prompt::line(&question) else {
                return HostKeyAnswer::Refuse;
            };
            if let Some(answer) = understand(&answer, &key.fingerprint) {
                return answer;
            }
            "Please type 'yes', 'once', 'no' or the fingerprint: ".clone_into(&mut question);
        }
    }

    fn host_key_remembered(&self, key: &UnknownHostKey, result: Result<(), &str>) {
        if !self.reports_new_keys {
            return;
        }
        let (host, algorithm) = (&key.host, &key.algorithm);
        match (result, &key.file) {
            (Ok(()), Some(file)) => print_message(format_args!(
                "the {algorithm} key of {host} was added to {}",
                file.display()
            )),
            (Ok(()), None) => {}
            (Err(problem), _) => print_message(format_args!(
                "the {algorithm} key of {host} is trusted this once, and not remembered: {problem}"
            )),
        }
    }

    fn passphrase(&self, file: &Path) -> Option<Secret> {
        secret(&format!("Passphrase of {}: ", file.display()))
    }

    fn password(&self, user: &str, host: &str) -> Option<Secret> {
        secret(&format!("Password of {user} at {host}: "))
    }
}

/// The question, in the words of OpenSSH's client.
fn introduction(key: &UnknownHostKey) -> String {
    let mut question = format!(
        "The authenticity of host '{}' can't be established.\n{} key fingerprint is {}.\n",
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
    question.push_str("Are you sure you want to continue connecting (yes/once/no/[fingerprint])? ");
    question
}

/// Interprets the answer. A user who types the fingerprint knows it from another source and need not compare it.
fn understand(answer: &str, fingerprint: &str) -> Option<HostKeyAnswer> {
    let answer = answer.trim();
    match answer.to_ascii_lowercase().as_str() {
        "yes" => Some(HostKeyAnswer::AcceptAndRemember),
        "once" => Some(HostKeyAnswer::AcceptOnce),
        "no" => Some(HostKeyAnswer::Refuse),
        _ if answer == fingerprint => Some(HostKeyAnswer::AcceptAndRemember),
        _ => None,
    }
}

fn secret(question: &str) -> Option<Secret> {
    let typed = prompt::password(question).ok().flatten()?;
    String::from_utf8(typed).ok().map(Secret::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood_as_openssh_does() {
        use HostKeyAnswer::{AcceptAndRemember, AcceptOnce, Refuse};
        let fingerprint = "SHA256:AbC";
        for (answer, expected) in [
            ("yes", Some(AcceptAndRemember)),
            (" YES\r", Some(AcceptAndRemember)),
            ("once", Some(AcceptOnce)),
            ("no", Some(Refuse)),
            ("SHA256:AbC", Some(AcceptAndRemember)),
            // Fingerprints are case-sensitive.
            ("SHA256:abc", None),
            ("SHA256:Ab", None),
            ("y", None),
            ("", None),
        ] {
            assert_eq!(understand(answer, fingerprint), expected, "{answer:?}");
        }
    }
}
