//! Any datagrams to an association of DTLS: what is read was sent, once.
#![no_main]

#[path = "../identity.rs"]
mod identity;

use std::cell::OnceCell;

use varbind::fuzzing::DtlsRecords;
use varbind::transport::certificate::CertificateIdentity;

thread_local! {
    static IDENTITY: OnceCell<CertificateIdentity> = const { OnceCell::new() };
    static JUDGE: DtlsRecords = DtlsRecords::default();
}

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    JUDGE.with(|judge| IDENTITY.with(|it| judge.judge(it.get_or_init(identity::make), octets)));
});
