use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::super::names::{SYS_CONTACT, get};
use super::super::{Cell, Experiment, Measure, NotificationTask, Scope, SessionTask};
use super::{HTTPS, MODELS, RESTCONF, SHA1_AES, V1, V2C, contact_by_restconf, models};
use crate::measurement::TransportKind;
use crate::security::{Protection, Scheme};

/// Exchanges in a session.
fn lengths(scope: Scope) -> &'static [u32] {
    match scope {
        Scope::Quick => &[50, 200, LONG],
        Scope::Full => &[50, 100, 200, 300, LONG],
    }
}

/// The longest sessions.
pub(super) const LONG: u32 = 400;

/// Experiment C.
const LEVELS: [(&str, Protection); 3] = [
    ("noAuthNoPriv", Protection::NoAuthNoPriv),
    (
        "authNoPriv",
        Protection::AuthNoPriv(AuthenticationProtocol::Sha1),
    ),
    ("authPriv", SHA1_AES),
];

/// Experiment D.
const PROTOCOLS: [(&str, Protection); 7] = [
    ("none", Protection::NoAuthNoPriv),
    (MD5, Protection::AuthNoPriv(AuthenticationProtocol::Md5)),
    (SHA1, Protection::AuthNoPriv(AuthenticationProtocol::Sha1)),
    (
        MD5_DES,
        Protection::AuthPriv(AuthenticationProtocol::Md5, PrivacyProtocol::Des),
    ),
    (
        MD5_AES,
        Protection::AuthPriv(AuthenticationProtocol::Md5, PrivacyProtocol::Aes128),
    ),
    (
        SHA1_DES,
        Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Des),
    ),
    ("SHA-1 + AES", SHA1_AES),
];

pub(super) const MD5: &str = "MD5";
pub(super) const SHA1: &str = "SHA-1";
pub(super) const MD5_DES: &str = "MD5 + DES";
pub(super) const MD5_AES: &str = "MD5 + AES";
pub(super) const SHA1_DES: &str = "SHA-1 + DES";

/// Sessions of this length, for each series.
fn by_length(scope: Scope, series: impl IntoIterator<Item = (String, SessionTask)>) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (name, task) in series {
        for &length in lengths(scope) {
            let task = task.clone().sessions_of(length);
            cells.push(Cell::new(&name, length, task, Measure::SessionTime));
        }
    }
    cells
}

/// Experiment C: security levels over UDP and TCP.
pub(super) fn security_levels(scope: Scope) -> Experiment {
    let transports = [("UDP", TransportKind::Udp), ("TCP", TransportKind::Tcp)];
    let series = LEVELS.into_iter().flat_map(|(level, protection)| {
        transports.map(|(name, transport)| {
            let scheme = Scheme::V3(protection);
            let task = SessionTask::new(scheme, transport, get(SYS_CONTACT));
            (format!("{level}, {name}"), task)
        })
    });
    Experiment::new("security-levels", by_length(scope, series))
}

/// Experiment D: authentication and privacy protocols.
pub(super) fn protocols(scope: Scope) -> Experiment {
    let series = PROTOCOLS.into_iter().map(|(name, protection)| {
        let scheme = Scheme::V3(protection);
        let task = SessionTask::new(scheme, TransportKind::Udp, get(SYS_CONTACT));
        (name.to_owned(), task)
    });
    Experiment::new("protocols", by_length(scope, series))
}

/// Experiment E: security models.
pub(super) fn security_models(scope: Scope) -> Experiment {
    let request = get(SYS_CONTACT);
    let secure = models(&request).filter(|(name, _)| ![V1, V2C].contains(name));
    let secure = secure.map(|(name, task)| (name.to_owned(), task));
    let mut cells = by_length(scope, secure);
    for &length in lengths(scope) {
        let task = contact_by_restconf().of(1, length);
        let secured = task.clone().secured();
        cells.push(Cell::new(RESTCONF, length, task, Measure::SessionTime));
        cells.push(Cell::new(HTTPS, length, secured, Measure::SessionTime));
    }
    Experiment::new("security-models", cells)
}

/// Their tool sends notifications too, which the paper does not describe: to a receiver of each subject.
pub(super) fn notifications() -> [Experiment; 2] {
    const MANY: u32 = 1000;
    const TOGETHER: u32 = 50;
    let ways = MODELS.into_iter().filter(|(name, ..)| *name != V1);
    let over_tcp = ("v2c, TCP", Scheme::V2c, TransportKind::Tcp);
    let ways: Vec<_> = ways.chain([over_tcp]).collect();
    let kinds = [
        ("trap", false, MANY, TOGETHER),
        ("inform", true, MANY, TOGETHER),
        ("inform, one at a time", true, MANY / 5, 1),
    ];
    let cells = |measure| {
        let mut cells = Vec::new();
        for &(name, scheme, transport) in &ways {
            for (at, is_inform, count, together) in kinds {
                let task = NotificationTask {
                    is_inform,
                    scheme,
                    transport,
                    count,
                    together,
                };
                cells.push(Cell::new(name, at, task, measure));
            }
        }
        cells
    };
    [
        Experiment::new("notifications", cells(Measure::Rate)),
        Experiment::new("notifications-cpu", cells(Measure::AgentCpu)),
    ]
}

/// The versions of IP, as places.
pub(super) const IPV4: &str = "IPv4";
pub(super) const IPV6: &str = "IPv6";

/// Their future work: versions of IP.
pub(super) fn ip_versions() -> Experiment {
    let mut cells = Vec::new();
    for (name, scheme, transport) in MODELS {
        for (place, is_ipv6) in [(IPV4, false), (IPV6, true)] {
            let task = SessionTask {
                is_ipv6,
                ..SessionTask::new(scheme, transport, get(SYS_CONTACT)).sessions_of(LONG)
            };
            cells.push(Cell::new(name, place, task, Measure::ResponseTime));
        }
    }
    Experiment::new("ip-versions", cells)
}
