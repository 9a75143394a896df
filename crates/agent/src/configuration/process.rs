//! What the agent gives up at its start (`[process]`).

use super::document;
use crate::confinement::ProcessSettings;

pub(super) fn settings(configured: document::Process) -> ProcessSettings {
    ProcessSettings {
        user: configured.user,
        landlock: configured.landlock,
        seccomp: configured.seccomp,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::configuration::AgentConfiguration;
    use crate::confinement::Mechanism;

    #[test]
    fn mechanisms_are_used_unless_they_are_switched_off() {
        let parse = |text: &str| AgentConfiguration::parse_in(text, Path::new("/etc/varbind"));
        let usual = parse("").unwrap().process;
        assert_eq!(
            (usual.landlock, usual.seccomp),
            (Mechanism::IfAvailable, Mechanism::IfAvailable)
        );
        let chosen =
            parse("[process]\nuser = \"daemon\"\nlandlock = \"off\"\nseccomp = \"required\"\n");
        let chosen = chosen.unwrap().process;
        assert_eq!(
            (chosen.landlock, chosen.seccomp),
            (Mechanism::Off, Mechanism::Required)
        );
        assert_eq!(chosen.user.as_deref(), Some("daemon"));
        let told = parse("[process]\nlandlock = true\n")
            .unwrap_err()
            .to_string();
        assert!(told.contains("landlock"), "{told}");
    }
}
