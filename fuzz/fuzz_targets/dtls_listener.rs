//! Any datagrams to a listener over DTLS: strangers leave nothing behind, and get no more than they send.
#![no_main]

use std::cell::OnceCell;

use varbind::fuzzing::DtlsListener;
use varbind::transport::certificate::CertificateIdentity;
use varbind_testkit::certificates::CertificateTemplate;

thread_local! {
    static IDENTITY: OnceCell<CertificateIdentity> = const { OnceCell::new() };
    static TARGET: DtlsListener = DtlsListener::default();
}

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    let make = || CertificateTemplate::new("agent").self_signed().identity();
    TARGET.with(|target| IDENTITY.with(|cell| target.check(cell.get_or_init(make), octets)));
});
