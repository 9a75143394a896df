//! What the manual pages say besides options.

use varbind_terminal::manual::{
    CACHE_FILES, CATALOG_FILE, Concerns, Entry, LOG_VARIABLE, MODULE_FILES, Manual, NAMES_VARIABLES,
};

use crate::arguments::{EXIT_CODES, PAGES};

pub(crate) const MANUAL: Manual = Manual {
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
    Entry::new(SESSIONS, "NO_COLOR", "If set, output has no colours."),
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
    CATALOG_FILE,
    MODULE_FILES,
    CACHE_FILES,
    Entry::new(
        Concerns::Command("agent"),
        "/etc/varbind/agent.toml",
        "Configuration of varbind agent.",
    ),
];
