//! What the manual pages say besides options.

use varbind_terminal::manual::{
    CACHE_FILES, CATALOG_FILE, Concerns, Entry, LOG_VARIABLE, MODULE_FILES, Manual, NAMES_VARIABLES,
};

use crate::arguments::{EXAMPLES, EXIT_CODES, PAGES};

pub(crate) const MANUAL: Manual = Manual {
    examples: EXAMPLES,
    pages: PAGES,
    exit_codes: EXIT_CODES,
    environment: ENVIRONMENT,
    files: FILES,
    see_also: &["varbind-lab(1)"],
};

/// Commands that open a session with an agent.
const SESSIONS: Concerns = Concerns::Argument("target");

const ENVIRONMENT: &[Entry] = &[
    Entry::new(
        SESSIONS,
        "VARBIND_COMMUNITY",
        "Community of SNMPv1 and SNMPv2c where no option gives one.",
    ),
    Entry::new(
        SESSIONS,
        "VARBIND_AUTH_PASSWORD, VARBIND_PRIV_PASSWORD",
        "Passwords of an SNMPv3 user where no option gives them.",
    ),
    Entry::new(
        SESSIONS,
        "VARBIND_CERTIFICATE, VARBIND_KEY",
        "Own certificate and private key for TLS and DTLS.",
    ),
    Entry::new(
        SESSIONS,
        "VARBIND_TRUST, VARBIND_REVOCATION_LISTS",
        "Certificates of trusted authorities, and revocation lists.",
    ),
    Entry::new(
        SESSIONS,
        "SSH_AUTH_SOCK",
        "Socket of the SSH agent that holds keys.",
    ),
    NAMES_VARIABLES,
    Entry::new(
        SESSIONS,
        "VARBIND_HOSTS",
        "Inventory of hosts in place of the usual files.",
    ),
    Entry::new(
        Concerns::Command("usm"),
        "VARBIND_NEW_AUTH_PASSWORD, VARBIND_NEW_PRIV_PASSWORD",
        "New passwords where no option names a file with them.",
    ),
    Entry::new(
        Concerns::Command("usm"),
        "VARBIND_OLD_AUTH_PASSWORD, VARBIND_OLD_PRIV_PASSWORD",
        "Old passwords of another user than that of -u.",
    ),
    Entry::new(
        Concerns::Everybody,
        "NO_COLOR",
        "If set, output has no colours.",
    ),
    LOG_VARIABLE,
];

const FILES: &[Entry] = &[
    Entry::new(
        SESSIONS,
        "~/.config/varbind/pki, /etc/varbind/pki",
        "Certificates and keys of varbind pki, of a user and of root.",
    ),
    Entry::new(
        SESSIONS,
        "~/.ssh/config, ~/.ssh/known_hosts",
        "Configuration of OpenSSH's client, and host keys.",
    ),
    Entry::new(
        SESSIONS,
        "~/.config/varbind/hosts.toml, /etc/varbind/hosts.toml",
        "Hosts with their addresses, groups and credentials.",
    ),
    CATALOG_FILE,
    MODULE_FILES,
    CACHE_FILES,
    Entry::new(
        Concerns::Command("mib"),
        "~/.local/share/varbind/mibs.catalog",
        "Catalog that varbind mib compile writes and all commands read.",
    ),
    Entry::new(
        Concerns::Command("agent"),
        "/etc/varbind/agent.toml",
        "Configuration of varbind agent.",
    ),
    Entry::new(
        Concerns::Command("agent"),
        "/var/lib/varbind",
        "State of the agent: engine ID, number of starts, values set by SNMP.",
    ),
    Entry::new(
        Concerns::Command("receive"),
        "/etc/varbind/receive.toml",
        "Configuration of varbind receive.",
    ),
    Entry::new(
        Concerns::Command("receive"),
        "/var/lib/varbind/receive",
        "State of the receiver: its engine ID.",
    ),
    Entry::new(
        Concerns::Command("collect"),
        "snmp.yml",
        "Modules and auths, as snmp_exporter has them.",
    ),
    Entry::new(
        Concerns::Command("collect"),
        "generator.yml",
        "What modules are generated from, as snmp_exporter's generator has it.",
    ),
    Entry::new(
        Concerns::Command("simulate"),
        "simulation.toml",
        "Configuration of a simulation, in the folder of its recordings.",
    ),
    Entry::new(
        Concerns::Command("pki"),
        "~/.config/varbind/pki, /etc/varbind/pki",
        "The authority, certificates and keys of a user and of root.",
    ),
    Entry::new(
        Concerns::Command("web"),
        "~/.config/varbind/pki, /etc/varbind/pki",
        "Certificates of trusted authorities, and the own certificate.",
    ),
    Entry::new(
        Concerns::Command("ssh-subsystem"),
        "/run/varbind/ssh-subsystem.socket",
        "Socket on which the agent listens.",
    ),
    Entry::new(
        Concerns::Command("completions"),
        "~/.local/share/bash-completion/completions/varbind",
        "Where bash looks for completions.",
    ),
    Entry::new(
        Concerns::Command("man"),
        "~/.local/share/man/man1",
        "Where man looks for pages of a user.",
    ),
];
