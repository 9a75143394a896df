//! The checks of the fuzz target `pki_files`, and a test that runs them on its corpus. No other build has this module.
#![allow(
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::{Authority, RevocationReason, Summary, pem};

/// Reads octets as a file of certificates, keys or revocation lists. Certificates can be summarized, errors show no key, and an
/// authority can extend the revocation list that it makes of them.
pub fn files(authority: &Authority, octets: &[u8]) {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let file = Path::new("file");
    let certificates = pem::certificates_in(file, octets);
    let key = pem::private_key_in(file, octets);
    for error in certificates
        .iter()
        .map(|_| None)
        .chain([key.err()])
        .flatten()
    {
        assert!(error.to_string().len() < 300, "{error}");
    }
    let certificates = certificates.unwrap_or_default();
    for certificate in &certificates {
        if let Ok(summary) = Summary::of(certificate, now) {
            for usage in &summary.usages {
                assert!(!usage.contains(char::is_control));
            }
        }
    }
    let former = pem::revocation_list_in(file, octets).ok();
    let reason = RevocationReason::Superseded;
    let list = authority.revoke(former.as_deref(), &certificates, reason, None);
    if let Ok(list) = list {
        let again = authority.revoke(Some(list.der()), &[], reason, None);
        assert!(again.is_ok_and(|again| again.entries() == list.entries()));
    }
}

#[cfg(test)]
mod tests {
    use varbind_testkit::corpus;

    use super::*;
    use crate::{KeyType, Validity};

    #[test]
    fn files_of_the_corpus_are_read_without_harm() {
        let authority = Authority::create("test", KeyType::EcdsaP256, Validity::days(30)).unwrap();
        let corpus = corpus("pki_files");
        for (_, octets) in &corpus {
            for end in [octets.len(), octets.len() / 2, octets.len() / 3] {
                files(&authority, &octets[..end]);
            }
        }
        assert!(corpus.len() > 3);
    }
}
