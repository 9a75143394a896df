//! How the doctor puts things.

use std::fmt;
use std::time::Duration;

use varbind::engine::security::SecurityLevel;
use varbind::engine::security::usm::{AuthenticationProtocol, KeyExtension, PrivacyProtocol};

use super::probe::Answer;
use crate::arguments::{SessionArguments, level_name};
use crate::credentials::SecretOptions;
use crate::session::{context_options, quoted, transport_options};

/// What is found to work for the user.
pub(super) struct Working {
    pub(super) authentication: Option<AuthenticationProtocol>,
    pub(super) privacy: Option<PrivacyProtocol>,
    pub(super) answer: Answer,
}

/// The command line that works. Secrets are left to the environment.
pub(super) fn command_line(session: &SessionArguments, user: &str, working: &Working) -> String {
    let (mut variables, mut options) = (String::new(), transport_options(session, false));
    let mut protocols = String::new();
    let mut level = SecurityLevel::NoAuthNoPriv;
    let mut add = |secret: SecretOptions<'_>, protocol: String| {
        let (variable, option) = secret.words();
        variables += &variable;
        options += &option;
        protocols += &protocol;
    };
    if let Some(protocol) = working.authentication {
        level = SecurityLevel::AuthNoPriv;
        let secret = SecretOptions::authentication(&session.user);
        add(secret, format!("-a {protocol} "));
    }
    if let Some(protocol) = working.privacy {
        level = SecurityLevel::AuthPriv;
        let secret = SecretOptions::privacy(&session.user);
        add(secret, format!("-x {protocol} "));
    }
    let (user, level) = (quoted(user.as_ref()), level_name(level));
    let context = context_options(session);
    let target = &session.target;
    format!(
        "{variables}varbind get {options}-v3 -u {user} -l {level} {protocols}{context}{target} sysUpTime.0"
    )
}

/// How the key was made longer, where it had to be.
pub(super) fn extension(hash: AuthenticationProtocol, protocol: PrivacyProtocol) -> &'static str {
    if hash.key_length() >= protocol.key_length() {
        return "";
    }
    match protocol.key_extension() {
        KeyExtension::Blumenthal => " (keys extended as draft-blumenthal-aes-usm-04 says)",
        KeyExtension::Reeder => {
            " (keys extended as draft-reeder-snmpv3-usm-3desede-00 says, the way of Cisco)"
        }
    }
}

pub(super) const fn weakness(is_weak: bool) -> &'static str {
    if is_weak { ", which is weak" } else { "" }
}

pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A duration in the largest units.
pub(super) struct Days(pub(super) Duration);

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
        match (days, hours, minutes) {
            (0, 0, 0) => write!(f, "{seconds} s"),
            (0, 0, minutes) => write!(f, "{minutes} min {} s", seconds % 60),
            (0, hours, minutes) => write!(f, "{hours} h {minutes} min"),
            (days, hours, _) => write!(f, "{days} d {hours} h"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_reported_in_their_largest_units() {
        for (seconds, text) in [
            (5, "5 s"),
            (65, "1 min 5 s"),
            (7320, "2 h 2 min"),
            (180_000, "2 d 2 h"),
        ] {
            assert_eq!(Days(Duration::from_secs(seconds)).to_string(), text);
        }
    }
}
