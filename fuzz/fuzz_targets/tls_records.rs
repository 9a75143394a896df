//! Any octets as a stream of TLS to either side: without the keys there is no session.
#![no_main]

use std::cell::OnceCell;

use varbind::fuzzing::TlsRecords;
use varbind::transport::certificate::CertificateIdentity;
use varbind_testkit::certificates::CertificateTemplate;

thread_local! {
    static IDENTITY: OnceCell<CertificateIdentity> = const { OnceCell::new() };
    static TARGET: TlsRecords = TlsRecords::default();
}

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    let make = || CertificateTemplate::new("agent").self_signed().identity();
    TARGET.with(|target| IDENTITY.with(|cell| target.check(cell.get_or_init(make), octets)));
});
