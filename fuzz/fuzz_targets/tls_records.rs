//! Any octets as a stream of TLS to either side: without the keys there is no session.
#![no_main]

#[path = "../identity.rs"]
mod identity;

use std::cell::OnceCell;

use varbind::fuzzing::TlsRecords;
use varbind::transport::certificate::CertificateIdentity;

thread_local! {
    static IDENTITY: OnceCell<CertificateIdentity> = const { OnceCell::new() };
    static JUDGE: TlsRecords = TlsRecords::default();
}

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    JUDGE.with(|judge| IDENTITY.with(|it| judge.judge(it.get_or_init(identity::make), octets)));
});
