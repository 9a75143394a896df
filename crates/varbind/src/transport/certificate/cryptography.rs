use std::sync::{Arc, OnceLock};

use rustls::crypto::CryptoProvider;
#[cfg(feature = "post-quantum")]
use rustls::crypto::aws_lc_rs as library;
#[cfg(not(feature = "post-quantum"))]
use rustls::crypto::ring as library;

pub(crate) use library::Ticketer;

/// The cryptography of TLS. It is named wherever it is used, so that nothing depends on what else in a process chose.
pub(crate) fn provider() -> &'static Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    PROVIDER.get_or_init(|| Arc::new(library::default_provider()))
}
