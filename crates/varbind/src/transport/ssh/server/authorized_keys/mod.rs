//! The lines of `authorized_keys` (AUTHORIZED_KEYS FILE FORMAT of sshd(8)) that a subsystem needs.
//!
//! Options that only concern terminals, forwarding and the environment change nothing here. A line with an option that
//! restricts the login and is not supported, such as `command`, makes the key unusable.

use std::net::IpAddr;

use russh::keys::ssh_key::certificate::CertType;
use russh::keys::{Certificate, HashAlg, PublicKey};

use crate::transport::ssh::{local_time, pattern};

/// What a client shows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Credential<'a> {
    Key(&'a PublicKey),
    Certificate(&'a Certificate),
}

/// Who shows it, from where, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client<'a> {
    pub(crate) user: &'a str,
    pub(crate) address: IpAddr,
    /// Seconds since 1970.
    pub(crate) now: u64,
}

/// What a file says of a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Authorized,
    /// No line is about it.
    Unknown,
    /// A line is about it, but does not hold.
    Refused {
        line: usize,
        why: String,
    },
}

/// What a line demands of a client.
#[derive(Debug, Default, PartialEq, Eq)]
struct Demands {
    is_authority: bool,
    /// The principals of which a certificate must have one.
    principals: Option<Vec<String>>,
    from: Option<String>,
    expiry: Option<u64>,
}

/// The name of an option, and what it is set to.
type LineOption = (String, Option<String>);

/// Options that have no meaning for a subsystem.
const WITHOUT_MEANING: [&str; 15] = [
    "agent-forwarding",
    "environment",
    "no-agent-forwarding",
    "no-port-forwarding",
    "no-pty",
    "no-user-rc",
    "no-x11-forwarding",
    "permitlisten",
    "permitopen",
    "port-forwarding",
    "pty",
    "restrict",
    "tunnel",
    "user-rc",
    "x11-forwarding",
];

/// Looks for a line that authorizes a client.
pub(crate) fn authorize(text: &str, credential: Credential<'_>, client: &Client<'_>) -> Verdict {
    let mut refused = Verdict::Unknown;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((options, key)) = parse(line) else {
            log::debug!("authorized keys, line {}: is not understood", index + 1);
            continue;
        };
        let is_it = match credential {
            Credential::Key(offered) => key.key_data() == offered.key_data(),
            Credential::Certificate(offered) => key.key_data() == offered.signature_key(),
        };
        if !is_it {
            continue;
        }
        match demands(&options)
            .and_then(|demands| demands.refuse(credential, client).map_or(Ok(()), Err))
        {
            Ok(()) => return Verdict::Authorized,
            Err(why) => {
                let line = index + 1;
                refused = Verdict::Refused { line, why };
            }
        }
    }
    refused
}

/// Why a certificate is not one that this authority gave to this user for now; `None` if it is.
pub(crate) fn refuse_certificate(
    certificate: &Certificate,
    principals: Option<&[String]>,
    client: &Client<'_>,
) -> Option<String> {
    if certificate.cert_type() != CertType::User {
        return Some("the certificate is not for a user".to_owned());
    }
    let signer = certificate.signature_key().fingerprint(HashAlg::Sha256);
    if certificate.validate_at(client.now, [&signer]).is_err() {
        return Some("the certificate has expired or is not yet valid".to_owned());
    }
    let own;
    let wanted = match principals {
        Some(principals) => principals,
        None => {
            own = [client.user.to_owned()];
            &own
        }
    };
    let has = certificate.valid_principals();
    if !has.iter().any(|principal| wanted.contains(principal)) {
        return Some(format!(
            "the certificate is for {}",
            if has.is_empty() {
                "nobody by name".to_owned()
            } else {
                has.join(", ")
            }
        ));
    }
    for (name, value) in certificate.critical_options().iter() {
        match name.as_str() {
            "source-address" if is_from(value, client.address) => {}
            "source-address" => {
                return Some(format!("the certificate is for clients at {value}"));
            }
            other => return Some(format!("the certificate has the critical option {other}")),
        }
    }
    None
}

impl Demands {
    fn refuse(&self, credential: Credential<'_>, client: &Client<'_>) -> Option<String> {
        if let Some(from) = &self.from
            && !is_from(from, client.address)
        {
            return Some(format!("it is for clients at {from}"));
        }
        if self.expiry.is_some_and(|expiry| client.now >= expiry) {
            return Some("it has expired".to_owned());
        }
        match (credential, self.is_authority) {
            (Credential::Key(_), false) => None,
            (Credential::Key(_), true) => Some("it is an authority, not a user's key".to_owned()),
            (Credential::Certificate(_), false) => {
                Some("the key that signed the certificate is not an authority".to_owned())
            }
            (Credential::Certificate(certificate), true) => {
                refuse_certificate(certificate, self.principals.as_deref(), client)
            }
        }
    }
}

/// The options of a line, and its key.
fn parse(line: &str) -> Option<(Vec<LineOption>, PublicKey)> {
    if let Some(key) = key(line) {
        return Some((Vec::new(), key));
    }
    let (options, rest) = options(line)?;
    Some((options, key(rest.trim_start())?))
}

fn key(text: &str) -> Option<PublicKey> {
    let mut words = text.split_ascii_whitespace();
    let (algorithm, octets) = (words.next()?, words.next()?);
    PublicKey::from_openssh(&format!("{algorithm} {octets}")).ok()
}

/// Takes options from the beginning of a line: names, some with a value in quotes, with commas between them.
fn options(line: &str) -> Option<(Vec<LineOption>, &str)> {
    let mut options = Vec::new();
    let mut rest = line;
    loop {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))?;
        let (name, behind) = rest.split_at_checked(end)?;
        if name.is_empty() {
            return None;
        }
        rest = behind;
        let value = match rest.strip_prefix("=\"") {
            Some(quoted) => {
                let (value, behind) = quoted_value(quoted)?;
                rest = behind;
                Some(value)
            }
            None => None,
        };
        options.push((name.to_ascii_lowercase(), value));
        match rest.chars().next()? {
            ',' => rest = rest.get(1..)?,
            ' ' | '\t' => return Some((options, rest)),
            _ => return None,
        }
    }
}

/// What stands before the closing quote, and what behind it.
fn quoted_value(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' if characters.next_if(|(_, next)| *next == '"').is_some() => value.push('"'),
            other => value.push(other),
        }
    }
    None
}

fn demands(options: &[LineOption]) -> Result<Demands, String> {
    let mut demands = Demands::default();
    for (name, value) in options {
        match (name.as_str(), value) {
            // OpenSSH refuses a line with two of these as well.
            ("from", Some(_)) if demands.from.is_some() => {
                return Err("it has two options from".to_owned());
            }
            ("principals", Some(_)) if demands.principals.is_some() => {
                return Err("it has two options principals".to_owned());
            }
            ("cert-authority", None) => demands.is_authority = true,
            ("principals", Some(list)) => {
                demands.principals = Some(list.split(',').map(|p| p.trim().to_owned()).collect());
            }
            ("from", Some(list)) => demands.from = Some(list.clone()),
            ("expiry-time", Some(time)) => {
                let time = expiry(time).ok_or_else(|| format!("{time:?} is not an expiry-time"))?;
                demands.expiry = Some(demands.expiry.map_or(time, |other| other.min(time)));
            }
            (name, _) if WITHOUT_MEANING.contains(&name) => {}
            (name, _) => return Err(format!("its option {name} is not supported")),
        }
    }
    Ok(demands)
}

/// Seconds since 1970 of YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS: local time, or UTC with `Z` behind it.
fn expiry(text: &str) -> Option<u64> {
    let (digits, is_utc) = match text.strip_suffix(['Z', 'z']) {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if !matches!(digits.len(), 8 | 12 | 14) || !digits.bytes().all(|octet| octet.is_ascii_digit()) {
        return None;
    }
    let part = |range| {
        digits
            .get(range)
            .map_or(Some(0), |part: &str| part.parse::<i32>().ok())
    };
    let (year, month, day) = (part(0..4)?, part(4..6)?, part(6..8)?);
    let (hour, minute, second) = (part(8..10)?, part(10..12)?, part(12..14)?);
    let in_range = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    if !in_range {
        return None;
    }
    let seconds = if is_utc {
        let days = days_since_1970(year, month, day);
        days * 86_400 + i64::from(hour * 3600 + minute * 60 + second)
    } else {
        local_time::seconds(year, month, day, hour, minute, second)?
    };
    Some(u64::try_from(seconds).unwrap_or(0))
}

/// Days of the Gregorian calendar, with years that begin in March so that the leap day is the last.
fn days_since_1970(year: i32, month: i32, day: i32) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    i64::from(year) * 365 + i64::from(leap_days + day_of_year) - 719_468
}

/// Whether an address is in a list of patterns and of networks in CIDR notation. Names match nothing: who asks the
/// resolver believes the client's.
fn is_from(list: &str, address: IpAddr) -> bool {
    let address = address.to_canonical();
    let text = address.to_string();
    let mut found = false;
    for item in list.split(',') {
        let item = item.trim();
        let (is_negated, item) = match item.strip_prefix('!') {
            Some(item) => (true, item),
            None => (false, item),
        };
        let matches = match item.split_once('/') {
            Some((network, bits)) => is_in_network(address, network, bits),
            None => pattern::matches(item, &text),
        };
        match (matches, is_negated) {
            (true, true) => return false,
            (true, false) => found = true,
            (false, _) => {}
        }
    }
    found
}

fn is_in_network(address: IpAddr, network: &str, bits: &str) -> bool {
    let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    let same = |address: u128, network: u128, width: u32| {
        bits <= width && (bits == 0 || (address ^ network) >> (width - bits) == 0)
    };
    match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            same(address.to_bits().into(), network.to_bits().into(), 32)
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => {
            same(address.to_bits(), network.to_bits(), 128)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
