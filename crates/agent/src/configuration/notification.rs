//! Targets of notifications.

use std::time::Duration;

use toml::Spanned;
use varbind::transport::certificate::PeerIdentity;
use varbind::transport::{SecureTransportOptions, Transport, TransportAddress};
use varbind_engine::access_control::ViewTreeFamily;
use varbind_engine::applications::command_generator::{
    MessageProcessing, RetryPolicy, V3Parameters,
};
use varbind_engine::applications::notification_originator::TargetPrincipal;
use varbind_engine::applications::notification_receiver::NotificationKind;
use varbind_engine::security::usm::{
    AuthenticationSecret, Credentials, InvalidKey, MasterKey, PrivacySecret,
};
use varbind_engine::security::{SecurityModel, SecurityName};

use super::document::{self, CertificateFingerprint, Kind, Subtree, TargetVersion};
use super::error::Problem;
use super::{Authentication, ConfiguredUser, Secret, value};

/// How often an inform is sent again where only the time-out is written.
const RETRIES: u32 = 5;
/// How long an inform waits for its acknowledgement where only the retries are written.
const TIMEOUT: Duration = Duration::from_secs(1);
const MAX_WAITING: usize = 1000;
/// What lies below these is every name.
const ROOTS: [&[u32]; 4] = [&[0, 0], &[1, 0], &[1, 3], &[2, 0]];

/// A target, checked.
#[derive(Clone, Debug)]
pub(crate) struct ConfiguredTarget {
    /// snmpTargetAddrName, and the names of its parameters, tag and filter profile.
    pub(crate) name: String,
    pub(crate) address: TransportAddress,
    /// Which certificate the target must have, over TLS and DTLS.
    pub(crate) peer: PeerIdentity,
    /// Who the agent is over secure transports, once its files are read.
    pub(crate) secure: SecureTransportOptions,
    pub(crate) processing: MessageProcessing,
    /// Whose notify view decides what is sent.
    pub(crate) principal: TargetPrincipal,
    pub(crate) kind: NotificationKind,
    /// Which notifications are wanted; all of them if it is empty.
    pub(crate) filter: Vec<ViewTreeFamily>,
    /// `None` adapts to the target.
    pub(crate) retry: Option<RetryPolicy>,
    pub(crate) max_waiting: usize,
}

pub(super) fn targets(
    targets: Vec<(document::NotificationTarget, TargetPrincipal)>,
    users: &[ConfiguredUser],
) -> Result<Vec<ConfiguredTarget>, Problem> {
    targets
        .into_iter()
        .enumerate()
        .map(|(at, (written, principal))| target(at + 1, written, principal, users))
        .collect()
}

fn target(
    number: usize,
    target: document::NotificationTarget,
    principal: TargetPrincipal,
    users: &[ConfiguredUser],
) -> Result<ConfiguredTarget, Problem> {
    let place = target.address.span();
    let version = target.version();
    let address = target.address.into_inner().0;
    let peer = peer(target.peer_name, target.peer_fingerprint, &address)?;
    let kind = match (target.kind.get_ref(), version) {
        (Kind::Trap, _) => NotificationKind::Trap,
        (Kind::Inform, TargetVersion::V2c | TargetVersion::V3) => NotificationKind::Inform,
        (Kind::Inform, TargetVersion::V1) => {
            return Err(Problem::at(
                target.kind.span(),
                "SNMPv1 has no inform: write `kind = \"trap\"` or `version = \"v2c\"`",
            ));
        }
    };
    let is_of_transport = principal.security_model == SecurityModel::Transport;
    let processing = match (version, target.community, target.user) {
        (TargetVersion::V1, Some(community), None) => MessageProcessing::V1 {
            community: octets(community)?,
        },
        (TargetVersion::V2c, Some(community), None) => MessageProcessing::V2c {
            community: octets(community)?,
        },
        (TargetVersion::V3, None, _) if is_of_transport => {
            MessageProcessing::V3(Box::new(V3Parameters::transport()))
        }
        (TargetVersion::V3, None, Some(user)) => user_based(&user, users, kind)?,
        (TargetVersion::V3, ..) => {
            let message =
                "a target of version v3 needs `user`, the name of a [[user]], and no `community`";
            return Err(Problem::at(place, message));
        }
        _ => {
            let message = "a target of version v1 or v2c needs `community`, and no `user`";
            return Err(Problem::at(place, message));
        }
    };
    Ok(ConfiguredTarget {
        name: format!("target-{number}"),
        retry: retry(target.timeout, target.retries, kind, &address)?,
        address,
        peer,
        secure: SecureTransportOptions::default(),
        processing,
        principal,
        kind,
        filter: filter(target.include, target.exclude)?,
        max_waiting: target.queue.unwrap_or(MAX_WAITING),
    })
}

/// Which certificate the target must have.
pub(super) fn peer(
    name: Option<Spanned<String>>,
    fingerprint: Option<Spanned<CertificateFingerprint>>,
    address: &TransportAddress,
) -> Result<PeerIdentity, Problem> {
    let written = name.as_ref().map(Spanned::span);
    let written = written.or_else(|| fingerprint.as_ref().map(Spanned::span));
    match (name, fingerprint, written) {
        (_, _, Some(span)) if !matches!(address.transport, Transport::Tls | Transport::Dtls) => {
            Err(Problem::at(
                span,
                "`peer-name` and `peer-fingerprint` are about certificates, which TLS and DTLS have",
            ))
        }
        (Some(_), Some(fingerprint), _) => Err(Problem::at(
            fingerprint.span(),
            "a fingerprint identifies one certificate: remove `peer-name`",
        )),
        (Some(name), None, _) => Ok(PeerIdentity::Name(name.into_inner())),
        (None, Some(fingerprint), _) => Ok(PeerIdentity::Fingerprint(fingerprint.into_inner().0)),
        (None, None, _) => Ok(PeerIdentity::Target),
    }
}

fn octets(community: Spanned<String>) -> Result<Vec<u8>, Problem> {
    if community.get_ref().is_empty() {
        return Err(Problem::at(
            community.span(),
            "the community of a target must not be empty",
        ));
    }
    Ok(community.into_inner().into_bytes())
}

fn user_based(
    name: &Spanned<String>,
    users: &[ConfiguredUser],
    kind: NotificationKind,
) -> Result<MessageProcessing, Problem> {
    let wrong = |message: String| Problem::at(name.span(), message);
    let user = users
        .iter()
        .find(|user| user.name == *name.get_ref())
        .ok_or_else(|| wrong(format!("there is no [[user]] named {:?}", name.get_ref())))?;
    let credentials = credentials(user).map_err(|error| wrong(error.to_string()))?;
    if kind == NotificationKind::Inform && user.has_localized_key() {
        return Err(wrong(format!(
            "the keys of {:?} are good for this agent alone, and the target of an inform has keys of its own: \
             write `kind = \"trap\"`, or a user with passwords",
            user.name
        )));
    }
    let name = SecurityName::new(user.name.clone());
    let parameters =
        V3Parameters::user(name, credentials).map_err(|error| wrong(error.to_string()))?;
    Ok(MessageProcessing::V3(Box::new(parameters)))
}

/// The secrets of a user; passwords are for any engine.
pub(crate) fn credentials(user: &ConfiguredUser) -> Result<Credentials, InvalidKey> {
    let Some(Authentication {
        protocol,
        secret,
        privacy,
    }) = &user.authentication
    else {
        return Ok(Credentials::NoAuthNoPriv);
    };
    let authentication = match secret {
        Secret::Password(password) => {
            AuthenticationSecret::Master(MasterKey::derive(*protocol, password))
        }
        Secret::Key(key) => AuthenticationSecret::localized(*protocol, key.clone())?,
    };
    let Some(privacy) = privacy else {
        return Ok(Credentials::AuthNoPriv(authentication));
    };
    let privacy = match &privacy.secret {
        Secret::Password(password) => {
            PrivacySecret::Master(privacy.protocol, MasterKey::derive(*protocol, password))
        }
        Secret::Key(key) => PrivacySecret::localized(privacy.protocol, key.clone())?,
    };
    Ok(Credentials::AuthPriv(authentication, privacy))
}

fn retry(
    timeout: Option<Spanned<value::Duration>>,
    retries: Option<Spanned<u32>>,
    kind: NotificationKind,
    address: &TransportAddress,
) -> Result<Option<RetryPolicy>, Problem> {
    let written = timeout.as_ref().map(Spanned::span);
    let written = written.or_else(|| retries.as_ref().map(Spanned::span));
    match written {
        None => Ok(None),
        Some(span) if kind == NotificationKind::Trap => Err(Problem::at(
            span,
            "`timeout` and `retries` have no effect on traps, which nobody acknowledges; write `kind = \"inform\"`",
        )),
        Some(_) if address.transport.is_reliable() && retries.is_some() => Err(Problem::at(
            retries.map(|retries| retries.span()).unwrap_or_default(),
            "`retries` has no effect over streams (TCP, TLS, SSH), which retransmit lost data themselves",
        )),
        Some(_) => Ok(Some(RetryPolicy::Fixed {
            timeout: timeout.map_or(TIMEOUT, |timeout| timeout.into_inner().0),
            retries: retries.map_or(RETRIES, Spanned::into_inner),
        })),
    }
}

/// What is excluded alone is excluded from everything.
fn filter(include: Vec<Subtree>, exclude: Vec<Subtree>) -> Result<Vec<ViewTreeFamily>, Problem> {
    let is_everything = include.is_empty() && !exclude.is_empty();
    let included = include.into_iter().map(|subtree| subtree.0);
    let excluded = exclude.into_iter().map(|subtree| ViewTreeFamily {
        included: false,
        ..subtree.0
    });
    let mut families: Vec<_> = included.chain(excluded).collect();
    if is_everything {
        for root in ROOTS {
            families.push(ViewTreeFamily {
                subtree: varbind_codec::smi::Oid::new(root)
                    .map_err(|error| Problem::anywhere(error.to_string()))?,
                mask: varbind_engine::access_control::ViewMask::default(),
                included: true,
            });
        }
    }
    Ok(families)
}
