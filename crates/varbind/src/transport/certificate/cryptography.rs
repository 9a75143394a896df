use std::sync::{Arc, OnceLock};

use rustls::crypto::CryptoProvider;

/// The cryptography of TLS. It is named wherever it is used, so that nothing depends on what else in a process chose.
pub(crate) fn provider() -> &'static Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    PROVIDER.get_or_init(|| Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
}
