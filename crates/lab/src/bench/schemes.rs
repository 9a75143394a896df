use varbind_codec::message::{SecurityLevel, Version};
use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::{BenchError, BenchOptions};
use crate::measurement::TransportKind;
use crate::security::{Protection, Scheme};
use crate::subject::{Subject, Users};

/// How the figures of SNMPv3 are protected: as in Gamess and Hernandez (2021).
pub(super) const FIGURES: Protection =
    Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Aes128);

/// The schemes that are measured.
pub(super) struct Schemes {
    over_all: Vec<Scheme>,
    over_first: Vec<Scheme>,
    /// Whether versions were named: then they go over secure transports too.
    are_named: bool,
    /// What was left out and why.
    pub(super) note: Option<String>,
}

impl Schemes {
    /// The schemes that the options name.
    pub(super) fn of_options(
        options: &BenchOptions,
        subjects: &[Subject],
    ) -> Result<Self, BenchError> {
        if options.versions.is_empty() {
            let levels = match options.security_levels.as_slice() {
                [] => &[SecurityLevel::AuthPriv][..],
                given => given,
            };
            let wanted = if speaks_plainly(options, subjects) {
                protections(options, levels)
            } else {
                Vec::new()
            };
            let possible = are_possible(&wanted, subjects);
            // Who names levels wants them.
            let note = match possible {
                Err(reason) if options.security_levels.is_empty() => Some(reason),
                other => other.map(|()| None).map_err(BenchError::Options)?,
            };
            let kept = if note.is_none() { wanted } else { Vec::new() };
            return Ok(Self {
                over_all: vec![Scheme::V2c, Scheme::V1, Scheme::V3Transport],
                over_first: kept.into_iter().map(Scheme::V3).collect(),
                are_named: false,
                note: note.map(|reason| format!("SNMPv3 was left out: {reason}")),
            });
        }
        let mut over_all = Vec::new();
        for version in &options.versions {
            match version {
                Version::V1 => over_all.push(Scheme::V1),
                Version::V2c => over_all.push(Scheme::V2c),
                Version::V3 => {
                    let levels = match options.security_levels.as_slice() {
                        [] => &[
                            SecurityLevel::NoAuthNoPriv,
                            SecurityLevel::AuthNoPriv,
                            SecurityLevel::AuthPriv,
                        ][..],
                        given => given,
                    };
                    let wanted = if speaks_plainly(options, subjects) {
                        protections(options, levels)
                    } else {
                        Vec::new()
                    };
                    are_possible(&wanted, subjects).map_err(BenchError::Options)?;
                    over_all.extend(wanted.into_iter().map(Scheme::V3));
                    over_all.push(Scheme::V3Transport);
                }
            }
        }
        Ok(Self {
            over_all,
            over_first: Vec::new(),
            are_named: true,
            note: None,
        })
    }

    /// All of them, with the transports over which they are measured: where the transport protects, SNMPv3 leaves it to the
    /// transport.
    pub(super) fn over(&self, options: &BenchOptions) -> Vec<(Scheme, Vec<TransportKind>)> {
        let (secure, plain): (Vec<_>, Vec<_>) = options
            .transports
            .iter()
            .partition(|transport| transport.is_secure());
        let first = plain.get(..1).unwrap_or_default();
        let transports = |scheme: Scheme| match scheme {
            Scheme::V3Transport => secure.clone(),
            Scheme::V1 | Scheme::V2c if self.are_named => options.transports.clone(),
            _ => plain.clone(),
        };
        let all = self
            .over_all
            .iter()
            .map(|&scheme| (scheme, transports(scheme)));
        let first = self
            .over_first
            .iter()
            .map(|&scheme| (scheme, first.to_vec()));
        all.chain(first)
            .filter(|(_, transports)| !transports.is_empty())
            .collect()
    }

    /// The scheme in which an agent that runs already is asked first.
    pub(super) fn first(options: &BenchOptions, transport: TransportKind) -> Scheme {
        let without_v3 = options
            .versions
            .iter()
            .find(|version| **version != Version::V3);
        match without_v3 {
            None if transport.is_secure() => Scheme::V3Transport,
            None if options.versions.is_empty() => Scheme::V2c,
            Some(Version::V1) => Scheme::V1,
            Some(_) => Scheme::V2c,
            None => {
                let levels = [SecurityLevel::NoAuthNoPriv];
                let levels = match options.security_levels.as_slice() {
                    [] => &levels[..],
                    given => given,
                };
                let first = protections(options, levels).into_iter().next();
                Scheme::V3(first.unwrap_or(Protection::NoAuthNoPriv))
            }
        }
    }

    /// Each protection once: for each the agents that are started have a user.
    pub(super) fn protections(&self) -> Vec<Protection> {
        let all = self.over_all.iter().chain(&self.over_first);
        let mut protections: Vec<Protection> =
            all.filter_map(|scheme| scheme.protection()).collect();
        if !protections.contains(&FIGURES) {
            protections.push(FIGURES);
        }
        protections
    }
}

/// The combinations of levels and protocols, each once.
fn protections(options: &BenchOptions, levels: &[SecurityLevel]) -> Vec<Protection> {
    let mut protections = Vec::new();
    let mut push = |protection| {
        if !protections.contains(&protection) {
            protections.push(protection);
        }
    };
    for level in levels {
        if *level == SecurityLevel::NoAuthNoPriv {
            push(Protection::NoAuthNoPriv);
            continue;
        }
        for &authentication in &options.authentication {
            if *level == SecurityLevel::AuthNoPriv {
                push(Protection::AuthNoPriv(authentication));
                continue;
            }
            for &privacy in &options.privacy {
                push(Protection::AuthPriv(authentication, privacy));
            }
        }
    }
    protections
}

/// Whether there is a transport that does not protect by itself, over which the user-based security model is measured.
fn speaks_plainly(options: &BenchOptions, subjects: &[Subject]) -> bool {
    let mut plain = options
        .transports
        .iter()
        .filter(|transport| !transport.is_secure());
    plain.any(|&transport| subjects.iter().any(|subject| subject.offers(transport)))
}

/// Whether every subject has a user for each protection.
fn are_possible(protections: &[Protection], subjects: &[Subject]) -> Result<(), String> {
    if protections.is_empty() {
        return Ok(());
    }
    for subject in subjects {
        let credentials = subject.credentials();
        if matches!(credentials.users, Users::None) {
            return Err(format!("no user of {} was given", subject.name()));
        }
        for protection in protections {
            credentials
                .security(Scheme::V3(*protection), false)
                .map_err(|missing| missing.to_string())?;
        }
    }
    Ok(())
}
