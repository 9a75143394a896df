use std::time::{Duration, SystemTime, UNIX_EPOCH};

use varbind::transport::certificate::CertificateDescription;

/// The interval of log messages.
pub(super) const INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

const DAY: i64 = 86_400;
/// When it is time for another certificate, in seconds before the end.
const SOON: i64 = 30 * DAY;

/// What to do about a certificate whose end is near or over.
pub(super) fn warning(certificate: &CertificateDescription) -> Option<String> {
    let left = certificate.not_after - now();
    let until = certificate.valid_until();
    let subject = certificate.subject.escape_debug();
    let advice =
        "renew it with varbind pki renew where the key of its authority is, then reload the agent";
    match left {
        SOON.. => None,
        0.. => Some(format!(
            "the own certificate \"{subject}\" ends in {} days, at {until}: {advice}",
            left / DAY
        )),
        _ => Some(format!(
            "the own certificate \"{subject}\" has expired, at {until}, and peers refuse it: {advice}"
        )),
    }
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use varbind_pki::{Authority, KeyType, Subject, Validity};

    use super::*;

    fn of_days(days: u16) -> Option<String> {
        let authority = Authority::create("a", KeyType::EcdsaP256, Validity::days(3650)).unwrap();
        let subject = Subject::agent(&["router1".to_owned()]).unwrap();
        let identity = authority.issue(&subject, KeyType::EcdsaP256, Validity::days(days));
        let identity = identity.unwrap();
        warning(&CertificateDescription::read(identity.certificate()).unwrap())
    }

    #[test]
    fn the_end_of_a_certificate_is_reported_30_days_before() {
        assert_eq!(of_days(31), None);
        let told = of_days(29).unwrap();
        assert!(
            told.contains("ends in 28 days") || told.contains("ends in 29 days"),
            "{told}"
        );
        assert!(told.contains("varbind pki renew"), "{told}");
    }
}
