//! Any datagrams to an association of DTLS: what is read was sent, once.
#![no_main]

use std::cell::OnceCell;

use varbind::fuzzing::DtlsRecords;
use varbind::transport::certificate::CertificateIdentity;
use varbind_testkit::certificates::CertificateTemplate;

thread_local! {
    static IDENTITY: OnceCell<CertificateIdentity> = const { OnceCell::new() };
    static TARGET: DtlsRecords = DtlsRecords::default();
}

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    let make = || CertificateTemplate::new("agent").self_signed().identity();
    TARGET.with(|target| IDENTITY.with(|cell| target.check(cell.get_or_init(make), octets)));
});
