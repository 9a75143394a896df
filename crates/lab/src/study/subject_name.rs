use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Whose agent is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SubjectName {
    /// The agent of varbind. Tasks without an agent count as its own.
    Varbind,
    /// Net-SNMP's snmpd.
    NetSnmp,
    /// One that runs already: [`ExternalAgent`](super::ExternalAgent).
    External(AgentName),
}

impl SubjectName {
    /// Whether it runs already.
    pub(super) const fn is_external(self) -> bool {
        matches!(self, Self::External(_))
    }

    /// Nothing for ours, and the reason for every other.
    pub(super) fn ours_alone(self, reason: impl FnOnce() -> String) -> Result<(), String> {
        match self {
            Self::Varbind => Ok(()),
            Self::NetSnmp | Self::External(_) => Err(reason()),
        }
    }
}

impl fmt::Display for SubjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Varbind => VARBIND,
            Self::NetSnmp => NET_SNMP,
            Self::External(name) => name.as_str(),
        })
    }
}

impl TryFrom<String> for SubjectName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Ok(match text.as_str() {
            VARBIND => Self::Varbind,
            NET_SNMP => Self::NetSnmp,
            other => Self::External(other.parse()?),
        })
    }
}

impl From<SubjectName> for String {
    fn from(name: SubjectName) -> Self {
        name.to_string()
    }
}

const VARBIND: &str = "varbind";
const NET_SNMP: &str = "net-snmp";
const LONGEST_NAME: usize = 24;

/// What reports call an agent that runs already: 1 to 24 letters of ASCII, digits, dots and hyphens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentName {
    /// Filled up with zeros.
    letters: [u8; LONGEST_NAME],
}

impl AgentName {
    fn as_str(&self) -> &str {
        let text = str::from_utf8(&self.letters).unwrap_or_default();
        text.trim_end_matches('\0')
    }
}

/// `external`.
impl Default for AgentName {
    fn default() -> Self {
        Self {
            letters: *b"external\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        }
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for AgentName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if matches!(text, VARBIND | NET_SNMP) {
            return Err(format!(
                "{text} is the name of an agent that the laboratory starts"
            ));
        }
        let is_allowed = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '-');
        let mut letters = [0; LONGEST_NAME];
        match letters.get_mut(..text.len()) {
            Some(place) if !text.is_empty() && text.chars().all(is_allowed) => {
                place.copy_from_slice(text.as_bytes());
                Ok(Self { letters })
            }
            _ => Err(format!(
                "{text} is no name of an agent: use 1 to {LONGEST_NAME} letters, digits, dots and hyphens"
            )),
        }
    }
}

impl TryFrom<String> for AgentName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<AgentName> for String {
    fn from(name: AgentName) -> Self {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_that_run_already_have_names_of_their_own() {
        for name in ["external", "snmp4j", "Router-1.example.net", "x"] {
            let subject = SubjectName::External(name.parse().unwrap());
            let written = serde_json::to_string(&subject).unwrap();
            assert_eq!(written, format!("\"{name}\""));
            let read: SubjectName = serde_json::from_str(&written).unwrap();
            assert_eq!(read, subject);
        }
        assert_eq!(AgentName::default().to_string(), "external");
        let long = "x".repeat(25);
        for wrong in [
            "",
            "varbind",
            "net-snmp",
            "a b",
            "\u{e9}t\u{e9}",
            "a\0",
            &long,
        ] {
            wrong.parse::<AgentName>().unwrap_err();
        }
    }
}
