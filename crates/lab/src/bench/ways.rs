use varbind_codec::message::{SecurityLevel, Version};

use super::BenchOptions;
use crate::measurement::TransportKind;
use crate::security::{Protection, Scheme};

/// How messages are secured, and what carries them.
pub(super) type Way = (Scheme, TransportKind);

/// The ways to ask that the options name, each once. Where the transport protects, SNMPv3 leaves it to the transport.
pub(super) fn ways(options: &BenchOptions) -> Vec<Way> {
    let (secure, plain): (Vec<_>, Vec<_>) = options
        .transports
        .iter()
        .partition(|transport| transport.is_secure());
    let mut ways: Vec<Way> = Vec::new();
    let mut add = |scheme, transports: &[TransportKind]| {
        for &transport in transports {
            if !ways.contains(&(scheme, transport)) {
                ways.push((scheme, transport));
            }
        }
    };
    if options.versions.is_empty() {
        let first = plain.get(..1).unwrap_or_default();
        add(Scheme::V2c, &plain);
        add(Scheme::V1, &plain);
        add(Scheme::V3Transport, &secure);
        for protection in protections(options, &[SecurityLevel::AuthPriv]) {
            add(Scheme::V3(protection), first);
        }
        return ways;
    }
    for version in &options.versions {
        match version {
            Version::V1 => add(Scheme::V1, &options.transports),
            Version::V2c => add(Scheme::V2c, &options.transports),
            Version::V3 => {
                let all = [
                    SecurityLevel::NoAuthNoPriv,
                    SecurityLevel::AuthNoPriv,
                    SecurityLevel::AuthPriv,
                ];
                for protection in protections(options, &all) {
                    add(Scheme::V3(protection), &plain);
                }
                add(Scheme::V3Transport, &secure);
            }
        }
    }
    ways
}

/// The combinations of levels and protocols; `usual` are the levels if none is given.
fn protections(options: &BenchOptions, usual: &[SecurityLevel]) -> Vec<Protection> {
    let levels = match options.security_levels.as_slice() {
        [] => usual,
        given => given,
    };
    let authenticated = || options.authentication.iter().copied();
    let mut protections = Vec::new();
    for level in levels {
        match level {
            SecurityLevel::NoAuthNoPriv => protections.push(Protection::NoAuthNoPriv),
            SecurityLevel::AuthNoPriv => {
                protections.extend(authenticated().map(Protection::AuthNoPriv));
            }
            SecurityLevel::AuthPriv => protections.extend(authenticated().flat_map(|one| {
                let privacy = options.privacy.iter().copied();
                privacy.map(move |other| Protection::AuthPriv(one, other))
            })),
        }
    }
    protections
}
