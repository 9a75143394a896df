//! What certificates say, and what is thought of them.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use varbind::transport::certificate::{
    CertificateDer, CertificateDescription, CertificateError, CertificateIdentity, Mapping,
    PeerIdentity, ServerAuthentication, UnixTime,
};
use varbind_pki::{IdentityFiles, Summary, Warning};
use varbind_terminal::Failure;

use super::{Own, Renewal, Trusting, bad, good, open};
use crate::session::quoted;

/// The rules by which an agent makes names of certificates, by their words in its configuration.
const MAPPINGS: [(&str, Mapping); 4] = [
    ("rfc822", Mapping::Rfc822Name),
    ("dns", Mapping::DnsName),
    ("ip", Mapping::IpAddress),
    ("common-name", Mapping::CommonName),
];
/// The most names that are listed.
const NAMES: usize = 6;
const DAY: i64 = 86_400;
/// When it is time to think of another certificate, in seconds.
const SOON: i64 = 30 * DAY;

/// Tells of the server's certificate; what would have to be trusted if it is not.
pub(super) fn print_server(
    server: &ServerAuthentication,
    chain: &[CertificateDer<'_>],
    host: &str,
) -> Result<Result<(), (CertificateError, Option<Trusting>)>, Failure> {
    let Some(description) = chain
        .first()
        .and_then(|leaf| CertificateDescription::read(leaf).ok())
    else {
        bad("server", "it has shown no certificate that can be read")?;
        return Ok(Err((CertificateError::Missing, None)));
    };
    let verdict = server.verify(chain, host, UnixTime::now());
    let subject = format!(
        "\"{}\"{}",
        description.subject.escape_debug(),
        names(&description)
    );
    match &verdict {
        Err(CertificateError::Expired(_)) => {
            bad(
                "server",
                &format!(
                    "{subject} has expired: it was valid until {}; renew it there (varbind pki renew), or correct the clock of this \
                     host",
                    description.valid_until()
                ),
            )?;
        }
        Err(CertificateError::NotYetValid(_)) => {
            bad(
                "server",
                &format!(
                    "{subject} is not valid before {}: look at both clocks",
                    description.valid_from()
                ),
            )?;
        }
        _ => good(
            "server",
            &format!("{subject}, valid until {}", validity(&description)),
        )?,
    }
    open("", &description.fingerprint.to_string())?;
    print_trust(server, chain, &description, &verdict)?;
    print_name(server, host, &description, &verdict)?;
    Ok(verdict.map_err(|error| {
        let trusting = trusting(&error, &description);
        (error, trusting)
    }))
}

fn print_trust(
    server: &ServerAuthentication,
    chain: &[CertificateDer<'_>],
    description: &CertificateDescription,
    verdict: &Result<(), CertificateError>,
) -> Result<(), Failure> {
    match (&server.identity, verdict) {
        (PeerIdentity::Fingerprint(expected), Err(CertificateError::WrongFingerprint { .. })) => {
            return bad(
                "trust",
                &format!("expected is the certificate {expected}, this is another"),
            );
        }
        (PeerIdentity::Fingerprint(_), _) => {
            return good(
                "trust",
                "it has the fingerprint that is expected, so it needs no authority",
            );
        }
        _ => {}
    }
    // Whether its authority is trusted is another question than whether it is out of date itself.
    let at = match verdict {
        Err(CertificateError::Expired(_)) => description.not_after,
        Err(CertificateError::NotYetValid(_)) => description.not_before,
        _ => now(),
    };
    let at = Duration::from_secs(u64::try_from(at).unwrap_or(0));
    match server.authorities(chain, UnixTime::since_unix_epoch(at)) {
        Ok(authorities) => match authorities.last() {
            Some(authority) => {
                let between = match authorities.len() {
                    1 => String::new(),
                    more => format!(", by way of {} others", more - 1),
                };
                good("trust", &format!("the authority {authority}{between}"))
            }
            None => good(
                "trust",
                "it is itself among the certificates that are trusted",
            ),
        },
        Err(reason) => bad(
            "trust",
            &format!(
                "signed by \"{}\": {reason}",
                description.issuer.escape_debug()
            ),
        ),
    }
}

fn print_name(
    server: &ServerAuthentication,
    host: &str,
    description: &CertificateDescription,
    verdict: &Result<(), CertificateError>,
) -> Result<(), Failure> {
    let expected = match &server.identity {
        PeerIdentity::Fingerprint(_) => return Ok(()),
        PeerIdentity::AnyTrusted => return good("name", "any name is accepted (--peer-name '*')"),
        PeerIdentity::Name(name) => name,
        _ => host,
    };
    // It is also looked at where no authority is trusted, since it would be the next question.
    let is_named = match verdict {
        Err(CertificateError::WrongName { .. }) => false,
        Err(CertificateError::Untrusted { .. }) => description.is_for_host(expected),
        Err(_) => return Ok(()),
        Ok(()) => true,
    };
    match is_named {
        true => good("name", &format!("{expected} is in the certificate")),
        false => bad(
            "name",
            &format!("{expected} is expected, and not in the certificate"),
        ),
    }
}

/// What the user may decide to trust.
fn trusting(error: &CertificateError, certificate: &CertificateDescription) -> Option<Trusting> {
    let fingerprint = &certificate.fingerprint;
    let by_fingerprint = || {
        Trusting {
        option: format!("--peer-fingerprint {fingerprint}"),
        condition: "If this fingerprint is that of the agent that you mean (compare it there: varbind pki fingerprint), this works"
            .to_owned(),
    }
    };
    match error {
        error if error.is_about_revocation() => None,
        CertificateError::Untrusted { .. } | CertificateError::WrongFingerprint { .. } => {
            Some(by_fingerprint())
        }
        CertificateError::WrongName { .. } => Some(match certificate.host_name() {
            Some(name) => Trusting {
                option: format!("--peer-name {name}"),
                condition: format!("If {name} is the agent that you mean, this works"),
            },
            None => by_fingerprint(),
        }),
        _ => None,
    }
}

/// Tells of our own certificate, and what an agent can make of it.
pub(super) fn print_own(
    identity: &CertificateIdentity,
    files: &IdentityFiles,
) -> Result<Own, Failure> {
    let description = identity.description();
    let subject = format!(
        "\"{}\"{}",
        description.subject.escape_debug(),
        names(description)
    );
    let now = now();
    if now > description.not_after {
        bad(
            "ours",
            &format!(
                "{subject} has expired: it was valid until {}",
                description.valid_until()
            ),
        )?;
    } else if now < description.not_before {
        bad(
            "ours",
            &format!("{subject} is not valid before {}", description.valid_from()),
        )?;
    } else {
        good(
            "ours",
            &format!("{subject}, valid until {}", validity(description)),
        )?;
    }
    open("", &description.fingerprint.to_string())?;
    open("", &described(files))?;
    for warning in warnings(identity) {
        bad("", &warning)?;
    }
    let made = MAPPINGS.iter().filter_map(|(word, mapping)| {
        let name = mapping.security_name(description).ok()?;
        Some((*word, name.to_string()))
    });
    let names: Vec<_> = made.collect();
    let texts: Vec<_> = names
        .iter()
        .map(|(word, name)| format!("{name} ({word})"))
        .collect();
    match texts.as_slice() {
        [] => open(
            "",
            "rules of the agent can make no name of it: they must say one",
        )?,
        texts => open(
            "",
            &format!("rules of the agent can name us {}", texts.join(", ")),
        )?,
    }
    let renewal = (now > description.not_after).then(|| renewal(description, files));
    Ok(Own::Certificate {
        fingerprint: description.fingerprint.to_string(),
        names,
        renewal,
    })
}

/// What to do about the certificate that has expired, and the command for it.
fn renewal(certificate: &CertificateDescription, files: &IdentityFiles) -> Renewal {
    let file = &files.certificate;
    Renewal {
        text: format!(
            "Our certificate {} has expired, at {}. Renew it where the key of its authority is; the agent needs no change if the name \
             stays",
            file.display(),
            certificate.valid_until()
        ),
        command: format!("varbind pki renew {}", quoted(file.as_os_str())),
    }
}

/// Defects of our certificate that matter to a manager, besides its dates.
fn warnings(identity: &CertificateIdentity) -> Vec<String> {
    let own = identity.chain().first().map_or(&[][..], AsRef::as_ref);
    let warnings =
        Summary::of(own, SystemTime::now()).map_or_else(|_| Vec::new(), |it| it.warnings);
    let matters = |warning: &Warning| {
        matches!(
            warning,
            Warning::WeakSignature(_)
                | Warning::ShortKey(_)
                | Warning::NotForClients
                | Warning::OldVersion
        )
    };
    warnings
        .iter()
        .filter(|it| matters(it))
        .map(ToString::to_string)
        .collect()
}

fn described(files: &IdentityFiles) -> String {
    let show = |file: &Path| file.display().to_string();
    match files.certificate == files.key {
        true => format!("{}, with the key to it", show(&files.certificate)),
        false => format!(
            "{}; the key to it is {}",
            show(&files.certificate),
            show(&files.key)
        ),
    }
}

fn names(certificate: &CertificateDescription) -> String {
    let shown = certificate.alternative_names.iter().take(NAMES);
    let mut names: Vec<_> = shown.map(ToString::to_string).collect();
    let more = certificate.alternative_names.len().saturating_sub(NAMES);
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    match names.is_empty() {
        true => String::new(),
        false => format!(" ({})", names.join(", ")),
    }
}

fn validity(certificate: &CertificateDescription) -> String {
    let until = certificate.valid_until();
    match certificate.not_after - now() {
        left if left < SOON => format!(
            "{until}, {} days from now: it is time for varbind pki renew",
            left / DAY
        ),
        _ => until.to_string(),
    }
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_secs()).unwrap_or(i64::MAX))
}
