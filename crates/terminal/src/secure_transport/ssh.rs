use std::sync::Arc;

use varbind::transport::ssh::{HostKeyChecking, SshError, SshOptions};

use crate::Failure;
use crate::arguments::SshArguments;
use crate::host_question::AtTerminal;

/// How sessions over SSH are opened.
///
/// # Errors
/// If a private key that an option names does not exist.
pub fn ssh(arguments: &SshArguments) -> Result<SshOptions, Failure> {
    for file in &arguments.identity {
        // Other problems are told where the key is tried.
        if matches!(file.try_exists(), Ok(false)) {
            return Err(Failure::Usage(format!(
                "--identity {}: there is no such file; name a private key, or leave the option out for those of ~/.ssh and the \
                 SSH agent",
                file.display()
            )));
        }
    }
    Ok(SshOptions {
        identity_files: arguments.identity.clone(),
        known_hosts: arguments.known_hosts.clone(),
        host_key_checking: arguments
            .accept_new_host_key
            .then_some(HostKeyChecking::AcceptNew),
        interaction: Arc::new(AtTerminal {
            reports_new_keys: true,
        }),
        ..SshOptions::default()
    })
}

/// The option that helps against a failure over SSH, to be appended to it.
#[must_use]
pub fn ssh_advice(error: &SshError) -> &'static str {
    match error {
        SshError::HostKeyUnknown { .. } => {
            " (--accept-new-host-key does that, or the answer yes on a terminal)"
        }
        SshError::AuthenticationRefused { tried, .. } if tried.is_empty() => {
            "; name a private key with --identity, or add one to the SSH agent"
        }
        // The server has seen none of it.
        SshError::AuthenticationRefused { tried, .. }
            if tried.iter().all(|attempt| attempt.problem.is_some()) =>
        {
            "; name another private key with --identity"
        }
        SshError::AuthenticationRefused { accepted, .. } if accepted.contains("publickey") => {
            "; add the public key to the user's authorized keys there, or name another private key with --identity"
        }
        SshError::AuthenticationRefused {
            tried, accepted, ..
        } if accepted.contains("password")
            && tried.iter().all(|attempt| attempt.with != "password") =>
        {
            "; run the command on a terminal, which asks for the password"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_key_that_does_not_exist_is_an_error() {
        let arguments = SshArguments {
            identity: vec!["/nonexistent/nope".into()],
            ..SshArguments::default()
        };
        let error = ssh(&arguments).unwrap_err().to_string();
        assert!(
            error.starts_with("--identity /nonexistent/nope: "),
            "{error}"
        );
    }
}
