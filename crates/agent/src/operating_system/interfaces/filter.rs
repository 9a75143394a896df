//! Hidden interfaces.

use std::collections::BTreeSet;

use serde::Deserialize;

/// Pairs of virtual devices, one for each container of a host.
const DEFAULT: &str = "veth*";

/// The names of hidden interfaces.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub(crate) struct HiddenInterfaces(Vec<String>);

impl Default for HiddenInterfaces {
    fn default() -> Self {
        Self(vec![DEFAULT.to_owned()])
    }
}

impl TryFrom<Vec<String>> for HiddenInterfaces {
    type Error = String;

    fn try_from(patterns: Vec<String>) -> Result<Self, String> {
        let is_wrong = |pattern: &&String| {
            let beginning = pattern.strip_suffix('*').unwrap_or(pattern);
            beginning.is_empty() || beginning.contains('*')
        };
        match patterns.iter().find(is_wrong) {
            Some(wrong) => Err(format!(
                "{wrong:?}: expected the name of an interface, or the beginning of names and *, as \"veth*\""
            )),
            None => Ok(Self(patterns)),
        }
    }
}

impl HiddenInterfaces {
    /// Whether an interface of this name is hidden.
    pub(super) fn contain(&self, name: &str) -> bool {
        let matches = |pattern: &String| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern,
        };
        self.0.iter().any(matches)
    }
}

/// Remembers which interfaces are hidden, since addresses have the numbers of interfaces alone.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) hidden: HiddenInterfaces,
    numbers: BTreeSet<u32>,
}

impl Filter {
    pub(super) const fn new(hidden: HiddenInterfaces) -> Self {
        Self {
            hidden,
            numbers: BTreeSet::new(),
        }
    }

    /// Whether the interface with this number and name is visible.
    pub(super) fn admits(&mut self, number: u32, name: &str) -> bool {
        if self.hidden.contain(name) {
            self.numbers.insert(number);
        } else {
            self.numbers.remove(&number);
        }
        !self.hides(number)
    }

    /// Whether an interface with this number was hidden last.
    pub(super) fn hides(&self, number: u32) -> bool {
        self.numbers.contains(&number)
    }

    /// Takes in that there is no interface with this number.
    pub(super) fn forget(&mut self, number: u32) {
        self.numbers.remove(&number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(patterns: &[&str]) -> Result<HiddenInterfaces, String> {
        let patterns: Vec<_> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        patterns.try_into()
    }

    #[test]
    fn names_and_beginnings_of_names_hide_interfaces() {
        let hidden_ones = hidden(&["tap*", "eth1"]).unwrap();
        for (name, is_hidden) in [
            ("tap", true),
            ("tap0", true),
            ("ta", false),
            ("eth1", true),
            ("eth10", false),
            ("veth1", false),
        ] {
            assert_eq!(hidden_ones.contain(name), is_hidden, "{name}");
        }
        assert!(HiddenInterfaces::default().contain("veth1a2b"));
        for wrong in ["", "*", "a*b", "**"] {
            assert!(hidden(&[wrong]).unwrap_err().contains("veth*"), "{wrong}");
        }
    }

    #[test]
    fn an_interface_that_gets_another_name_is_reported() {
        let mut filter = Filter::new(HiddenInterfaces::default());
        assert!(!filter.admits(7, "veth7"));
        assert!(filter.hides(7));
        assert!(filter.admits(7, "uplink") && !filter.hides(7));
        assert!(!filter.admits(8, "veth8"));
        filter.forget(8);
        assert!(!filter.hides(8));
    }
}
