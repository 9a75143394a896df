//! Du, Shayman and Rozenblit (2001): SNMP over TLS over TCP, and what it costs beside the user-based security model.

mod claims;
mod differences;
mod lengths;
mod levels;
mod phases;
mod usm;

use super::{Experiment, Scope, Study};

/// The study.
pub(super) const STUDY: Study = Study {
    name: "du2001",
    authors: "Du, Shayman and Rozenblit",
    year: 2001,
    title: "Implementation and performance analysis of SNMP on a TLS/TCP base",
    venue: "IM 2001",
    question: "What does TLS cost SNMP, and is it dearer than the user-based security model?",
    system: "UCD-SNMP was extended with OpenSSL so that SNMPv1, v2c and v3 go over TLS over TCP, beside UDP and TCP. Both sides show \
             X.509v3 certificates (RSA, 512 bits); MD5 and DES protect, with compression where there is privacy. snmpget of \
             sysName and snmpwalk of system (34 messages), ten runs each and their means in ms, from a SPARCstation 10 to a \
             SPARCstation 5 over Ethernet of 10 Mbit/s.",
    experiments,
    claims: claims::CLAIMS,
    own_claims: claims::OWN_CLAIMS,
};

fn experiments(scope: Scope) -> Vec<Experiment> {
    vec![
        levels::table_1(),
        lengths::table_2_times(scope),
        lengths::table_2_messages(scope),
        lengths::table_2_ratios(scope),
        lengths::table_3(scope),
        phases::table_4(),
        phases::table_5(),
        levels::table_6(),
        levels::table_6_ratios(),
        differences::levels(),
    ]
}
