//! The closing text of `varbind agent --init`.

use std::fmt::{self, Write};
use std::path::Path;

use varbind::transport::{Transport, TransportAddress};
use varbind_agent::Initialized;
use varbind_pki::Directory;

/// Tells what there is, and the command lines that work.
pub(super) fn write(text: &mut String, done: &Initialized) -> fmt::Result {
    for file in &done.files {
        let state = if file.is_new { "new" } else { "exists" };
        writeln!(text, "{}: {} ({state})", file.path.display(), file.purpose)?;
    }
    writeln!(text, "\nStart the agent:")?;
    if done.is_default_configuration {
        writeln!(text, "  varbind agent")?;
    } else {
        let path = quoted(&done.configuration);
        writeln!(text, "  varbind agent --config {path}")?;
    }
    let certificates = Certificates::new(&done.certificates);
    let has_key = done.has_administrator_key;
    let shown: Vec<_> = done
        .listen
        .iter()
        .filter_map(|it| target(it, done))
        .collect();
    if has_key {
        writeln!(text, "\nAsk it, here:")?;
    } else {
        writeln!(
            text,
            "\nAsk it, where {} has a certificate of this authority (`varbind pki issue manager {}`):",
            done.administrator, done.administrator
        )?;
    }
    for (transport, target) in &shown {
        let options = if *transport == Transport::Ssh || !has_key {
            String::new()
        } else {
            certificates.options()
        };
        writeln!(text, "  varbind get {options}{target} sysName.0")?;
    }
    if has_key
        && shown
            .iter()
            .any(|(transport, _)| *transport != Transport::Ssh)
    {
        let directory = &done.certificates;
        writeln!(
            text,
            "\nFrom another host, once these are copied to ~/.config/varbind/pki there, leave out the options:\n  {}\n  {}\n  {}\n\
             Other managers get their own: varbind pki issue manager NAME --directory {} --output DIR",
            directory.authority().certificate.display(),
            directory.manager().certificate.display(),
            directory.manager().key.display(),
            quoted(directory.path()),
        )?;
    }
    if shown
        .iter()
        .any(|(transport, _)| *transport == Transport::Ssh)
    {
        ssh(text, done)?;
    }
    Ok(())
}

fn ssh(text: &mut String, done: &Initialized) -> fmt::Result {
    if let Some(fingerprint) = &done.host_key_fingerprint {
        writeln!(text, "\nSSH shows the host key {fingerprint}.")?;
    }
    match &done.authorized_keys {
        Some((file, true)) => writeln!(
            text,
            "{} logs in with the keys in {}.",
            done.administrator,
            file.display()
        ),
        Some((file, false)) => writeln!(
            text,
            "{} cannot log in yet: put a public key into {}, as ssh-copy-id does.",
            done.administrator,
            file.display()
        ),
        None => Ok(()),
    }
}

/// The command line options that name the certificates, where they are not found by themselves.
struct Certificates<'d> {
    directory: &'d Directory,
}

impl<'d> Certificates<'d> {
    const fn new(directory: &'d Directory) -> Self {
        Self { directory }
    }

    fn options(&self) -> String {
        if *self.directory == Directory::of_user() {
            return String::new();
        }
        format!(
            "--certificate {} --trust {} ",
            quoted(&self.directory.manager().certificate),
            quoted(&self.directory.authority().certificate)
        )
    }
}

/// Where a manager finds the agent, if it is over a secure transport. Addresses of IPv4 stand for those of IPv6.
fn target(listen: &TransportAddress, done: &Initialized) -> Option<(Transport, TransportAddress)> {
    let is_any = |host: &str| matches!(host, "0.0.0.0" | "::");
    if !listen.transport.is_secure() || listen.host == "::" {
        return None;
    }
    let is_ssh = listen.transport == Transport::Ssh;
    let target = TransportAddress {
        user: is_ssh.then(|| done.administrator.clone()),
        host: if is_any(&listen.host) {
            done.host.clone()
        } else {
            listen.host.clone()
        },
        ..listen.clone()
    };
    Some((listen.transport, target))
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "/._-+".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_as_shells_want_it() {
        for (path, quoted_path) in [
            ("/etc/varbind/pki", "/etc/varbind/pki"),
            ("/home/a b/x", "'/home/a b/x'"),
            ("/it's", r"'/it'\''s'"),
        ] {
            assert_eq!(quoted(Path::new(path)), quoted_path);
        }
    }
}
