use std::path::{Path, PathBuf};

use toml::Spanned;
use varbind::transport::certificate::{
    CertificateIdentity, CertificateMap, CertificateMapRow, Fingerprint, HashAlgorithm, LoadError,
    MalformedCertificate, Mapping, OverdueLists, RevocationLists, TrustAnchors, load_certificates,
};
use varbind::transport::tls::TlsVersions;
use varbind_pki::Directory;

use crate::configuration::document::{Tls, TlsMap, TlsVersion};
use crate::configuration::error::Problem;

/// The directory beside the configuration where certificates are if it names none.
const DIRECTORY: &str = "pki";
/// The numbers of rules that have none are that far apart, so that others can be put between them.
const ROW_DISTANCE: u32 = 10;

/// Files of TLS and DTLS, and the rules for names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfiguredTls {
    certificate: PathBuf,
    key: PathBuf,
    trust: Vec<PathBuf>,
    /// Those that must exist, or the usual one, which need not.
    revocation_lists: Option<Vec<PathBuf>>,
    usual_revocation_list: PathBuf,
    overdue: OverdueLists,
    /// The versions of TLS.
    versions: TlsVersions,
    map: Vec<ConfiguredRow>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ConfiguredRow {
    id: u32,
    of: CertificateOf,
    mapping: Mapping,
}

/// How a certificate is named.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CertificateOf {
    Fingerprint(Fingerprint),
    File(PathBuf),
}

/// What the files of TLS and DTLS hold.
#[derive(Clone, Debug)]
pub(crate) struct LoadedTls {
    pub(crate) identity: CertificateIdentity,
    pub(crate) trust: TrustAnchors,
    pub(crate) map: CertificateMap,
}

/// Why files of TLS and DTLS cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateFileError {
    /// A file is not what it should be.
    #[error("{0}")]
    Load(LoadError),
    /// A certificate to trust cannot be used.
    #[error("`trust` of [tls]: {0}")]
    Trust(MalformedCertificate),
}

impl From<LoadError> for CertificateFileError {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

impl ConfiguredTls {
    pub(super) fn new(tls: Tls, directory: &Path) -> Result<Self, Problem> {
        let usual = Directory::new(directory.join(DIRECTORY));
        let within = |path: PathBuf| directory.join(path);
        let mut map: Vec<ConfiguredRow> = Vec::new();
        for row in tls.map {
            let last = map.iter().map(|row| row.id).max().unwrap_or(0);
            let span = row.span();
            let row = configured_row(row, last, directory)?;
            if map.iter().any(|other| other.id == row.id) {
                let message = format!("the id {} is that of another [[tls.map]]", row.id);
                return Err(Problem::at(span, message));
            }
            map.push(row);
        }
        Ok(Self {
            certificate: tls
                .certificate
                .map_or_else(|| usual.agent().certificate, within),
            key: tls.key.map_or_else(|| usual.agent().key, within),
            trust: tls.trust.map_or_else(
                || vec![usual.authority().certificate],
                |trust| trust.into_iter().map(within).collect(),
            ),
            revocation_lists: tls
                .revocation_lists
                .map(|lists| lists.into_iter().map(within).collect()),
            usual_revocation_list: usual.revocation_list(),
            overdue: tls.overdue_revocation_lists.into(),
            versions: match tls.minimum_version {
                TlsVersion::Tls12 => TlsVersions::All,
                TlsVersion::Tls13 => TlsVersions::Only13,
                #[cfg(feature = "openssl-tls")]
                TlsVersion::Tls10 => TlsVersions::Legacy,
            },
            map,
        })
    }

    /// Has TLS spoken without encryption, which no file can ask for.
    #[cfg(all(feature = "openssl-tls", feature = "experiments"))]
    pub(crate) const fn leave_out_encryption(&mut self) {
        self.versions = TlsVersions::UnsafeIntegrityOnly;
    }

    /// The versions of TLS that are spoken.
    pub(crate) const fn versions(&self) -> TlsVersions {
        self.versions
    }

    /// All files that are named.
    pub(crate) fn files(&self) -> Vec<&Path> {
        let lists = self.revocation_lists.iter().flatten();
        let of_map = self.map.iter().filter_map(|row| match &row.of {
            CertificateOf::File(file) => Some(file),
            CertificateOf::Fingerprint(_) => None,
        });
        [&self.certificate, &self.key, &self.usual_revocation_list]
            .into_iter()
            .chain(&self.trust)
            .chain(lists)
            .chain(of_map)
            .map(PathBuf::as_path)
            .collect()
    }

    /// Reads the files.
    ///
    /// # Errors
    /// When one of them cannot be read, or does not hold what it should.
    pub(crate) fn load(&self) -> Result<LoadedTls, CertificateFileError> {
        let identity = CertificateIdentity::load(&self.certificate, &self.key)?;
        let mut certificates = Vec::new();
        for file in &self.trust {
            certificates.extend(load_certificates(file)?);
        }
        let usual = || match self.usual_revocation_list.exists() {
            true => vec![self.usual_revocation_list.clone()],
            false => Vec::new(),
        };
        let lists = self.revocation_lists.clone().unwrap_or_else(usual);
        let revoked = RevocationLists::load(&lists, self.overdue)?;
        let trust = TrustAnchors::new(certificates).map_err(CertificateFileError::Trust)?;
        let mut rows = Vec::new();
        for row in &self.map {
            rows.push(CertificateMapRow {
                id: row.id,
                fingerprint: row.of.fingerprint()?,
                mapping: row.mapping.clone(),
            });
        }
        Ok(LoadedTls {
            identity,
            trust: trust.with_revocation_lists(revoked),
            map: CertificateMap::new(rows),
        })
    }
}

impl CertificateOf {
    fn fingerprint(&self) -> Result<Fingerprint, LoadError> {
        match self {
            Self::Fingerprint(fingerprint) => Ok(fingerprint.clone()),
            Self::File(file) => {
                let certificates = load_certificates(file)?;
                let first = certificates.first().map_or(&[][..], AsRef::as_ref);
                Ok(Fingerprint::of(first, HashAlgorithm::Sha256))
            }
        }
    }
}

fn configured_row(
    row: Spanned<TlsMap>,
    last: u32,
    directory: &Path,
) -> Result<ConfiguredRow, Problem> {
    let span = row.span();
    let row = row.into_inner();
    let of = match (row.fingerprint, row.certificate) {
        (Some(fingerprint), None) => CertificateOf::Fingerprint(fingerprint.0),
        (None, Some(file)) => CertificateOf::File(directory.join(file)),
        _ => {
            return Err(Problem::at(
                span,
                "a [[tls.map]] needs either `fingerprint` or `certificate`, the file of a certificate: the manager's own, or that \
                 of an authority which has signed it",
            ));
        }
    };
    let mapping = match (row.to, row.name) {
        (Some(to), None) => Mapping::from(to),
        (None, Some(name)) if (1..=32).contains(&name.get_ref().len()) => {
            Mapping::Specified(name.into_inner())
        }
        (None, Some(name)) => {
            return Err(Problem::at(
                name.span(),
                "a security name has 1 to 32 octets",
            ));
        }
        _ => {
            return Err(Problem::at(
                span,
                "a [[tls.map]] needs either `name`, the security name, or `to`, the source of the name: \"rfc822\", \"dns\", \"ip\", \
                 \"any\" or \"common-name\"",
            ));
        }
    };
    let id = match row.id {
        None => last.saturating_add(ROW_DISTANCE),
        Some(id) if *id.get_ref() > 0 => id.into_inner(),
        Some(id) => {
            return Err(Problem::at(
                id.span(),
                "the id of a [[tls.map]] is 1 or more",
            ));
        }
    };
    Ok(ConfiguredRow { id, of, mapping })
}
