use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::SystemTime;

use rcgen::{CertificateRevocationListParams, KeyIdMethod, RevokedCertParams, SerialNumber};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{ParsedExtension, X509Extension};

use crate::storage::{self, Readers};
use crate::validity::{asn1_time, system_time};
use crate::{Authority, Error, IfExists, Validity, pem};

/// Why a certificate is revoked (RFC 5280 section 5.3.1), as far as it matters to agents and managers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RevocationReason {
    /// No reason is given.
    #[default]
    Unspecified,
    /// Others know the key or may know it.
    KeyCompromise,
    /// There is another certificate in its place.
    Superseded,
    /// Its holder is no longer in service.
    CessationOfOperation,
}

impl RevocationReason {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Unspecified,
        Self::KeyCompromise,
        Self::Superseded,
        Self::CessationOfOperation,
    ];

    /// The name, as in `key-compromise`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::KeyCompromise => "key-compromise",
            Self::Superseded => "superseded",
            Self::CessationOfOperation => "cessation-of-operation",
        }
    }

    /// The reason in the list; [`Unspecified`](Self::Unspecified) is left out (RFC 5280 section 5.3.1).
    const fn written(self) -> Option<rcgen::RevocationReason> {
        match self {
            Self::Unspecified => None,
            Self::KeyCompromise => Some(rcgen::RevocationReason::KeyCompromise),
            Self::Superseded => Some(rcgen::RevocationReason::Superseded),
            Self::CessationOfOperation => Some(rcgen::RevocationReason::CessationOfOperation),
        }
    }
}

impl fmt::Display for RevocationReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RevocationReason {
    type Err = UnknownReason;

    fn from_str(text: &str) -> Result<Self, UnknownReason> {
        let mut all = Self::ALL.into_iter();
        all.find(|reason| reason.name() == text)
            .ok_or(UnknownReason)
    }
}

/// There is no such reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reasons are {}", RevocationReason::ALL.map(RevocationReason::name).join(", "))]
pub struct UnknownReason;

/// The certificates that an authority has revoked (CRL, RFC 5280 section 5).
#[derive(Clone, Debug)]
pub struct RevocationList {
    der: Vec<u8>,
    entries: usize,
}

impl RevocationList {
    /// The list, in PEM.
    #[must_use]
    pub fn pem(&self) -> String {
        pem::write_revocation_list(&self.der)
    }

    /// The list, in DER.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The number of certificates in it.
    #[must_use]
    pub const fn entries(&self) -> usize {
        self.entries
    }

    /// Writes it over the old one. The directory must exist.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let text = self.pem();
        storage::write(
            path,
            text.as_bytes(),
            Readers::Everybody,
            IfExists::Overwrite,
        )
    }
}

impl Authority {
    /// A list with all entries of the old one and these certificates, each in DER. `validity` is when it is made and
    /// when the next one is due; without it, none is due as long as the authority is.
    ///
    /// # Errors
    /// When one of the certificates is not of this authority, the old list cannot be read, or the list cannot be made.
    pub fn revoke(
        &self,
        former: Option<&[u8]>,
        certificates: &[Vec<u8>],
        reason: RevocationReason,
        validity: Option<Validity>,
    ) -> Result<RevocationList, Error> {
        let now = SystemTime::now();
        let (number, mut revoked) = match former {
            Some(former) => self.continued(former)?,
            None => (0, Vec::new()),
        };
        for certificate in certificates {
            let serial_number = self.serial_number(certificate)?;
            // A certificate that is already in the list keeps its date and reason.
            if !revoked
                .iter()
                .any(|entry| entry.serial_number == serial_number)
            {
                revoked.push(RevokedCertParams {
                    serial_number,
                    revocation_time: asn1_time(now)?.to_datetime(),
                    reason_code: reason.written(),
                    invalidity_date: None,
                });
            }
        }
        let validity = validity.unwrap_or(Validity {
            not_before: Validity::days(0).not_before,
            not_after: self.not_after,
        });
        let entries = revoked.len();
        let list = CertificateRevocationListParams {
            this_update: asn1_time(validity.not_before)?.to_datetime(),
            next_update: asn1_time(validity.not_after)?.to_datetime(),
            crl_number: SerialNumber::from(number + 1),
            issuing_distribution_point: None,
            revoked_certs: revoked,
            key_identifier_method: self.key_identifier(),
        };
        let list = list.signed_by(&self.issuer)?;
        Ok(RevocationList {
            der: list.der().to_vec(),
            entries,
        })
    }

    /// The number and the entries of a list of this authority.
    fn continued(&self, former: &[u8]) -> Result<(u64, Vec<RevokedCertParams>), Error> {
        let (_, list) = x509_parser::parse_x509_crl(former)
            .map_err(|error| Error::Authority(format!("the old list cannot be read: {error}")))?;
        let is_own = self.with_own(|own| {
            own.subject().as_raw() == list.issuer().as_raw()
                && names_key(list.extensions(), own.extensions())
        });
        if !is_own {
            return Err(Error::Authority(
                "the existing list is from another authority: give another file with --output"
                    .to_owned(),
            ));
        }
        let number = list
            .crl_number()
            .and_then(|number| u64::try_from(number).ok());
        let mut revoked = Vec::new();
        for entry in list.iter_revoked_certificates() {
            let time = asn1_time(system_time(entry.revocation_date))?;
            revoked.push(RevokedCertParams {
                serial_number: serial(entry.raw_serial()),
                revocation_time: time.to_datetime(),
                reason_code: entry.reason_code().and_then(|(_, code)| reason(code.0)),
                invalidity_date: None,
            });
        }
        Ok((number.unwrap_or(0), revoked))
    }

    /// The serial number of a certificate that this authority has signed.
    fn serial_number(&self, certificate: &[u8]) -> Result<SerialNumber, Error> {
        let (_, parsed) = x509_parser::parse_x509_certificate(certificate)
            .map_err(|error| Error::Authority(format!("a certificate cannot be read: {error}")))?;
        let is_own = self.with_own(|own| own.subject().as_raw() == parsed.issuer().as_raw());
        if !is_own {
            return Err(Error::Authority(format!(
                "the certificate of \"{}\" is of another authority, \"{}\", which alone can revoke it",
                parsed.subject().to_string().escape_debug(),
                parsed.issuer().to_string().escape_debug()
            )));
        }
        Ok(serial(parsed.raw_serial()))
    }

    /// The key identifier that its own certificate has, by which the list is found to be of its key.
    fn key_identifier(&self) -> KeyIdMethod {
        let mut found = None;
        self.with_own(|own| {
            found = subject_key(own.extensions()).map(<[u8]>::to_vec);
            true
        });
        found.map_or(KeyIdMethod::Sha256, KeyIdMethod::PreSpecified)
    }

    fn with_own(&self, ask: impl FnOnce(&X509Certificate<'_>) -> bool) -> bool {
        x509_parser::parse_x509_certificate(self.certificate()).is_ok_and(|(_, own)| ask(&own))
    }
}

/// A number without the zeros with which its octets may begin.
fn serial(octets: &[u8]) -> SerialNumber {
    let zeros = octets.iter().take_while(|&&octet| octet == 0).count();
    SerialNumber::from_slice(octets.get(zeros..).unwrap_or(&[]))
}

fn subject_key<'a>(extensions: &'a [X509Extension<'_>]) -> Option<&'a [u8]> {
    extensions
        .iter()
        .find_map(|extension| match extension.parsed_extension() {
            ParsedExtension::SubjectKeyIdentifier(identifier) => Some(identifier.0),
            _ => None,
        })
}

/// Whether the list does not say that it is signed by another key of the same name.
fn names_key(of_list: &[X509Extension<'_>], of_authority: &[X509Extension<'_>]) -> bool {
    let named = of_list
        .iter()
        .find_map(|extension| match extension.parsed_extension() {
            ParsedExtension::AuthorityKeyIdentifier(identifier) => {
                identifier.key_identifier.as_ref().map(|key| key.0)
            }
            _ => None,
        });
    match (named, subject_key(of_authority)) {
        (Some(named), Some(own)) => named == own,
        _ => true,
    }
}

fn reason(code: u8) -> Option<rcgen::RevocationReason> {
    use rcgen::RevocationReason as Reason;
    let all = [
        Reason::KeyCompromise,
        Reason::CaCompromise,
        Reason::AffiliationChanged,
        Reason::Superseded,
        Reason::CessationOfOperation,
        Reason::CertificateHold,
        Reason::PrivilegeWithdrawn,
        Reason::AaCompromise,
    ];
    all.into_iter().find(|&reason| reason as u8 == code)
}
