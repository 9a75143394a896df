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
    see_also: &["varbind(1)"],
};

const BENCH: Concerns = Concerns::Command("bench");

const ENVIRONMENT: &[Entry] = &[
    Entry::new(
        BENCH,
        "VARBIND_AUTH_PASSWORD, VARBIND_PRIV_PASSWORD",
        "Passwords of an SNMPv3 user where no option gives them.",
    ),
    Entry::new(
        BENCH,
        "VARBIND_CERTIFICATE, VARBIND_KEY, VARBIND_TRUST, VARBIND_REVOCATION_LISTS",
        "Own certificate and private key for TLS and DTLS, trusted authorities, and revocation lists.",
    ),
    NAMES_VARIABLES,
    Entry::new(BENCH, "NO_COLOR", "If set, output has no colours."),
    LOG_VARIABLE,
    Entry::new(
        Concerns::Command("run"),
        "VARBIND_SMALL_BOARD",
        "File with what scripts/small-board found, for the study gamess2021.",
    ),
    Entry::new(
        Concerns::Command("link"),
        "VARBIND_LINK_NEAR, VARBIND_LINK_FAR",
        "Set for the commands at both ends: the addresses of the ends.",
    ),
];

const FILES: &[Entry] = &[
    CATALOG_FILE,
    MODULE_FILES,
    CACHE_FILES,
    Entry::new(
        BENCH,
        "~/.config/varbind/pki, /etc/varbind/pki",
        "Certificates and keys of varbind pki, of a user and of root.",
    ),
];
