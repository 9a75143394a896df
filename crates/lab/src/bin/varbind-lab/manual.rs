//! What the manual pages say besides options.

use varbind_terminal::manual::{
    CACHE_FILES, CATALOG_FILE, Concerns, Entry, LOG_VARIABLE, MODULE_FILES, Manual, NAMES_VARIABLES,
};

use crate::arguments::{EXIT_CODES, HELP};

pub(crate) const MANUAL: Manual = Manual {
    examples: HELP.examples,
    pages: HELP.pages,
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
    Entry::new(
        Concerns::Everybody,
        "NO_COLOR",
        "If set, output has no colours.",
    ),
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
    Entry::new(
        Concerns::Command("study"),
        "DIRECTORY/index.html, DIRECTORY/results.md",
        "Report and results of a run.",
    ),
    Entry::new(
        BENCH,
        "DIRECTORY/index.html, DIRECTORY/results.json, DIRECTORY/observations.jsonl",
        "Report, results and raw observations in the directory of --out.",
    ),
    Entry::new(
        Concerns::Command("link"),
        "/dev/net/tun",
        "Device of the emulated link, where it can be opened.",
    ),
    Entry::new(
        Concerns::Command("completions"),
        "~/.local/share/bash-completion/completions/varbind-lab",
        "Where bash looks for completions.",
    ),
    Entry::new(
        Concerns::Command("man"),
        "~/.local/share/man/man1",
        "Where man looks for pages of a user.",
    ),
    CATALOG_FILE,
    MODULE_FILES,
    CACHE_FILES,
    Entry::new(
        BENCH,
        "~/.config/varbind/pki, /etc/varbind/pki",
        "Certificates and keys of varbind pki, of a user and of root.",
    ),
];
