//! Whose handshakes are begun.

use rcgen::{CertificateParams, KeyPair};
use varbind::transport::certificate::{CertificateIdentity, PrivateKeyDer};

pub(crate) fn make() -> CertificateIdentity {
    let key = KeyPair::generate().unwrap();
    let parameters = CertificateParams::new(vec!["agent".to_owned()]).unwrap();
    let certificate = parameters.self_signed(&key).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    CertificateIdentity::new(vec![certificate.der().clone()], key).unwrap()
}
