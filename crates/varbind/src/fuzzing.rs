//! What the fuzz targets check for any octets, and the tests for the files of their corpora. It is part of no other build.

#[cfg(feature = "certificates")]
pub use crate::transport::certificate::properties::{certificate, pem};
pub use crate::transport::client_session::properties::framing;
#[cfg(feature = "dtls")]
pub use crate::transport::dtls::properties::{DtlsListener, DtlsRecords};
#[cfg(feature = "ssh")]
pub use crate::transport::ssh::properties::{files as ssh_files, handover as ssh_handover};
#[cfg(feature = "tls")]
pub use crate::transport::tls::properties::TlsRecords;

/// Cuts octets into pieces, each behind its length in one octet; the last one may be shorter.
pub(crate) fn pieces(mut octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (&length, rest) = octets.split_first()?;
        let (piece, rest) = rest.split_at(usize::from(length).min(rest.len()));
        octets = rest;
        Some(piece)
    })
}

#[cfg(test)]
#[cfg(all(feature = "tls", feature = "dtls", feature = "ssh"))]
mod tests {
    use std::fs;
    use std::path::Path;

    use rcgen::{CertificateParams, KeyPair};

    use super::*;
    use crate::transport::certificate::{CertificateIdentity, PrivateKeyDer};

    /// Checks each file of a corpus, also cut off and changed in one place.
    fn replay(target: &str, check: impl Fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
        let Ok(files) = fs::read_dir(folder.join(target)) else {
            eprintln!("skipped: no corpus of {target}");
            return;
        };
        let mut count = 0;
        for file in files {
            let octets = fs::read(file.unwrap().path()).unwrap();
            check(&octets);
            for part in 1..8 {
                let place = octets.len() * part / 8;
                check(&octets[..place]);
                let mut changed = octets.clone();
                if let Some(octet) = changed.get_mut(place) {
                    *octet ^= 1 << part;
                }
                check(&changed);
            }
            count += 1;
        }
        assert!(count > 3, "{target}");
    }

    fn identity() -> CertificateIdentity {
        let key = KeyPair::generate().unwrap();
        let parameters = CertificateParams::new(vec!["agent".to_owned()]).unwrap();
        let certificate = parameters.self_signed(&key).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        CertificateIdentity::new(vec![certificate.der().clone()], key).unwrap()
    }

    #[test]
    fn every_file_of_the_corpus_framing_is_checked() {
        replay("framing", framing);
    }

    #[test]
    fn every_file_of_the_corpus_certificate_is_checked() {
        replay("certificate", certificate);
    }

    #[test]
    fn every_file_of_the_corpus_pem_is_checked() {
        replay("pem", pem);
    }

    #[test]
    fn every_file_of_the_corpus_ssh_files_is_checked() {
        replay("ssh_files", ssh_files);
    }

    #[test]
    fn every_file_of_the_corpus_ssh_handover_is_checked() {
        replay("ssh_handover", ssh_handover);
    }

    #[test]
    fn every_file_of_the_corpus_dtls_records_is_checked() {
        let (records, identity) = (DtlsRecords::default(), identity());
        replay("dtls_records", |octets| records.check(&identity, octets));
    }

    #[test]
    fn every_file_of_the_corpus_dtls_listener_is_checked() {
        let (listener, identity) = (DtlsListener::default(), identity());
        replay("dtls_listener", |octets| listener.check(&identity, octets));
    }

    #[test]
    fn every_file_of_the_corpus_tls_records_is_checked() {
        let (sides, identity) = (TlsRecords::default(), identity());
        replay("tls_records", |octets| sides.check(&identity, octets));
    }
}
