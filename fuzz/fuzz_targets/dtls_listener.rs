//! Any datagrams to a listener over DTLS: strangers leave nothing behind, and get no more than they send.
#![no_main]

#[path = "../identity.rs"]
mod identity;

use std::cell::OnceCell;

use varbind::fuzzing::DtlsListener;
use varbind::transport::certificate::CertificateIdentity;

thread_local! {
    static IDENTITY: OnceCell<CertificateIdentity> = const { OnceCell::new() };
    static JUDGE: DtlsListener = DtlsListener::default();
}

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    JUDGE.with(|judge| IDENTITY.with(|it| judge.judge(it.get_or_init(identity::make), octets)));
});
