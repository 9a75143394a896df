use std::time::{Duration, SystemTime, UNIX_EPOCH};

use x509_parser::time::ASN1Time;

use crate::Error;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Clocks of hosts differ.
const EARLIER: Duration = Duration::from_secs(60 * 60);

/// The period in which a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first moment.
    pub not_before: SystemTime,
    /// The last moment.
    pub not_after: SystemTime,
}

impl Validity {
    /// This many days from now, and from an hour ago for hosts whose clock is behind.
    #[must_use]
    pub fn days(days: u16) -> Self {
        let now = SystemTime::now();
        Self {
            not_before: now - EARLIER,
            not_after: now + DAY * u32::from(days),
        }
    }

    /// Limits the validity to the issuer's, because peers accept no certificate beyond it.
    pub(crate) fn within(self, issuer_not_after: SystemTime) -> Self {
        Self {
            not_after: self.not_after.min(issuer_not_after),
            ..self
        }
    }

    pub(crate) fn set(self, parameters: &mut rcgen::CertificateParams) -> Result<(), Error> {
        parameters.not_before = asn1_time(self.not_before)?.to_datetime();
        parameters.not_after = asn1_time(self.not_after)?.to_datetime();
        Ok(())
    }
}

pub(crate) fn asn1_time(time: SystemTime) -> Result<ASN1Time, Error> {
    let seconds = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |past| -past),
    };
    ASN1Time::from_timestamp(seconds)
        .map_err(|_| Error::Authority("the validity is not a date of the calendar".to_owned()))
}

/// The moment of a time in a certificate.
pub(crate) fn system_time(time: ASN1Time) -> SystemTime {
    let seconds = time.timestamp();
    match u64::try_from(seconds) {
        Ok(after) => UNIX_EPOCH + Duration::from_secs(after),
        Err(_) => UNIX_EPOCH - Duration::from_secs(seconds.unsigned_abs()),
    }
}
