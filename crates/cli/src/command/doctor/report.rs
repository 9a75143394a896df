//! How the doctor puts things.

use std::fmt;
use std::time::Duration;

use varbind::engine::security::usm::{AuthenticationProtocol, KeyExtension, PrivacyProtocol};

use super::probe::Answer;
use super::secure::transport_options;
use crate::arguments::SessionArguments;

/// What is found to work for the user.
pub(super) struct Working {
    pub(super) authentication: Option<AuthenticationProtocol>,
    pub(super) privacy: Option<PrivacyProtocol>,
    pub(super) answer: Answer,
}

/// The command line that works. Secrets are left to the environment.
pub(super) fn command_line(session: &SessionArguments, user: &str, working: &Working) -> String {
    let (arguments, target) = (&session.user, &session.target);
    let mut line = String::new();
    let mut options = format!("-v3 -u {user}");
    let level = match (working.authentication, working.privacy) {
        (None, _) => "noAuthNoPriv",
        (Some(_), None) => "authNoPriv",
        (Some(_), Some(_)) => "authPriv",
    };
    options += &format!(" -l {level}");
    if let Some(protocol) = working.authentication {
        line += "VARBIND_AUTH_PASSWORD=.. ";
        options += &format!(" -a {protocol}");
    }
    if let Some(protocol) = working.privacy {
        line += "VARBIND_PRIV_PASSWORD=.. ";
        options += &format!(" -x {protocol}");
    }
    if !arguments.context.is_empty() {
        options += &format!(" -n {}", arguments.context);
    }
    let transport = transport_options(session, false);
    format!("{line}varbind get {transport}{options} {target} sysUpTime.0")
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
