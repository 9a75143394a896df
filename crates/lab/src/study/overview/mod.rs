//! What the report's first page shows: what security costs SNMP today, and which transport suits whom.

mod answers;
mod costs;

use super::{Experiment, Scope, Study};

/// The page, made as studies are, without a paper.
pub(super) const OVERVIEW: Study = Study {
    name: "overview",
    authors: "varbind",
    year: 2026,
    title: "What security costs SNMP today",
    venue: "this report",
    question: "What does security cost SNMP today, and which transport when?",
    system: "Each row is a way to ask an agent for sysDescr.0, on one core without a network between. v2c has no security. v3 USM \
             protects each message by keys from passwords (SHA-1, AES-128). v3 over TLS, DTLS or SSH is protected by the transport \
             (TSM), with certificates of ECDSA (P-256) or keys of Ed25519; resumed sessions take up a former one. Keys and \
             certificates are at hand; discovery and handshakes count.",
    experiments,
    claims: &[],
    own_claims: answers::ANSWERS,
};

fn experiments(scope: Scope) -> Vec<Experiment> {
    let mut experiments = costs::columns();
    experiments.extend([
        costs::memory(scope),
        costs::lengths(scope),
        costs::by_loss(scope),
        costs::by_objects(scope),
    ]);
    experiments
}
