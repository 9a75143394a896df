//! What the fuzz targets check for any octets, and the tests for the files of their corpora. It is part of no other build.

#[cfg(feature = "certificates")]
pub use crate::transport::certificate::judge::{certificate, pem};
pub use crate::transport::client_session::judge::framing;
#[cfg(feature = "dtls")]
pub use crate::transport::dtls::judge::{DtlsListener, DtlsRecords};
#[cfg(feature = "ssh")]
pub use crate::transport::ssh::judge::{files as ssh_files, handover as ssh_handover};
#[cfg(feature = "tls")]
pub use crate::transport::tls::judge::TlsRecords;

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

    /// Judges each file of a corpus, and its neighbours: cut off, and changed in one place.
    fn replay(target: &str, judge: impl Fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
        let Ok(files) = fs::read_dir(folder.join(target)) else {
            eprintln!("skipped: no corpus of {target}");
            return;
        };
        let mut count = 0;
        for file in files {
            let octets = fs::read(file.unwrap().path()).unwrap();
            judge(&octets);
            for part in 1..8 {
                let place = octets.len() * part / 8;
                judge(&octets[..place]);
                let mut changed = octets.clone();
                if let Some(octet) = changed.get_mut(place) {
                    *octet ^= 1 << part;
                }
                judge(&changed);
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
    fn every_file_of_the_corpus_framing_is_judged() {
        replay("framing", framing);
    }

    #[test]
    fn every_file_of_the_corpus_certificate_is_judged() {
        replay("certificate", certificate);
    }

    #[test]
    fn every_file_of_the_corpus_pem_is_judged() {
        replay("pem", pem);
    }

    #[test]
    fn every_file_of_the_corpus_ssh_files_is_judged() {
        replay("ssh_files", ssh_files);
    }

    #[test]
    fn every_file_of_the_corpus_ssh_handover_is_judged() {
        replay("ssh_handover", ssh_handover);
    }

    #[test]
    fn every_file_of_the_corpus_dtls_records_is_judged() {
        let (records, identity) = (DtlsRecords::default(), identity());
        replay("dtls_records", |octets| records.judge(&identity, octets));
    }

    #[test]
    fn every_file_of_the_corpus_dtls_listener_is_judged() {
        let (listener, identity) = (DtlsListener::default(), identity());
        replay("dtls_listener", |octets| listener.judge(&identity, octets));
    }

    #[test]
    fn every_file_of_the_corpus_tls_records_is_judged() {
        let (sides, identity) = (TlsRecords::default(), identity());
        replay("tls_records", |octets| sides.judge(&identity, octets));
    }
}
