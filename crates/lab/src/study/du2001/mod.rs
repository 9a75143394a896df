//! Du, Shayman and Rozenblit (2001): SNMP over TLS over TCP, and what it costs beside the user-based security model.

mod claims;
mod lengths;
mod levels;
mod phases;

use super::{Experiment, Scope, Study};

/// The study.
pub(super) const STUDY: Study = Study {
    name: "du2001",
    authors: "Du, Shayman and Rozenblit",
    year: 2001,
    title: "Implementation and performance analysis of SNMP on a TLS/TCP base",
    venue: "IM 2001",
    question: "What does TLS cost SNMP, and is it dearer than the user-based security model?",
    system: "A toolkit was extended so that SNMPv1, v2c and v3 go over TLS over TCP, beside UDP and TCP. Both sides show \
             certificates (RSA of 512 bits); suites are of SSL's time: MD5, DES, compression. snmpget of sysName and snmpwalk \
             of system, the means of ten runs on two workstations of 1994 with Ethernet between.",
    experiments,
    claims: claims::CLAIMS,
};

fn experiments(scope: Scope) -> Vec<Experiment> {
    vec![
        levels::table_1(),
        lengths::table_2_times(scope),
        lengths::table_2_ratios(scope),
        lengths::table_3(scope),
        phases::table_4(),
        phases::table_5(),
        levels::table_6(),
    ]
}
