//! Responses, errors, wrong command lines and notifications.

use super::{USERS, compare_lines};
use crate::snmpd::Snmpd;

#[test]
fn answers_are_written_as_by_the_tools() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    compare_lines(
        &snmpd,
        &[
            "snmpget -v2c -c public A sysServices.0 ifDescr.1 ifAdminStatus.1 sysObjectID.0",
            "snmpget A -v 2c SNMPv2-MIB::sysServices.0 -c public",
            "snmpget -v2c -c public A sysDescr.7 .1.4 1.3.6.1.4.1.9999.0",
            "snmpget -v1 -c public A sysServices.0 sysDescr.7 ifDescr.1",
            "snmpget -v1 -c public -Cf A sysServices.0 sysDescr.7 ifDescr.1",
            "snmpget -v1 -c public A sysDescr.7",
            "snmpget -v3 -u ops -l authNoPriv -a SHA -A maplesyrup A sysServices.0",
            "snmpget -v3 -u ops -l ap -a SHA -A maplesyrup -x AES -X applesauce A sysServices.0",
            "snmpget -u noa A sysServices.0",
            "snmpget -3u noa -3l nanp A sysServices.0",
            "snmpget -v2c -c public -Is 0 A sysServices",
            "snmpget -v2c -c public -IS sys -Is.0 A Services",
            "snmpget -v2c -c public -Ib A sysServ",
            "snmpget -v2c -c public -Ir -Pu -Ih A sysServices.0",
            "snmpgetnext -v2c -c public A sysLocation ifDescr",
            "snmpgetnext -v1 -c public A 1.3.6.1.9 sysLocation",
            "snmpbulkget -v2c -c public -Cn1r3 A sysLocation ifAdminStatus",
            "snmpwalk -v2c -c public A ifDescr",
            "snmpwalk -v1 -c public A ifAdminStatus",
            "snmpwalk -v2c -c public -Cp A sysServices",
            "snmpwalk -v2c -c public -Cp A sysServices.0",
            "snmpwalk -v2c -c public -CI A sysServices.0",
            "snmpwalk -v2c -c public -Ci A sysServices.0",
            "snmpwalk -v2c -c public -CE ifDescr.2 A ifDescr",
            "snmpwalk -v1 -c public A 1.3.6.1.9",
            "snmpwalk -v2c -c public A 1.3.6.1.9",
            "snmpbulkwalk -v2c -c public -Cr2 -Cp A vacmGroupName",
            "snmpset -v2c -c private A sysName.0 s box sysContact.0 = me",
            "snmpset -v2c -c private -Cq A sysName.0 x 6162",
        ],
    );
}

#[test]
fn errors_have_the_words_of_the_tools() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    compare_lines(
        &snmpd,
        &[
            "snmpget -v2c -c public A sysDecsr.0 sysServices.0 IF-MIB::nope.1 1.3.x.1 1..3",
            "snmpget -v2c -c wrong -r0 -t0.2 A sysServices.0",
            "snmpwalk -v2c -c wrong -r0 -t0.2 A sysServices.0",
            "snmpbulkwalk -v2c -c public -r1 -t0.1 N sysServices.0",
            "snmpget -v3 -u noa -r0 -t0.2 N sysServices.0",
            "snmpwalk -v3 -u noa -r0 -t0.2 N sysServices.0",
            "snmpget -v2c -c public host.invalid sysServices.0",
            "snmpget -v2c -c public tcp:N sysServices.0",
            "snmpget -v3 -u nope A sysServices.0",
            "snmpget -v3 -u nope A SNMPv2-MIB::sysServices.0",
            "snmpwalk -v3 -u ops -l authNoPriv -a SHA -A wrongpassword A 1.3.6.1.2.1.1.7.0",
            "snmpget -v3 -u ops -l authNoPriv -A maplesyrup A 1.3.6.1.2.1.1.7.0",
            "snmpget -v3 -u ops -l authPriv -a SHA -A maplesyrup -x AES -X wrongpass -r0 -t0.3 A 1.3",
            "snmpget -v3 -u ops -l authNoPriv -a SHA -A short A sysServices.0",
            "snmpget -v3 -u noa -l authNoPriv -a SHA -A maplesyrup A sysServices.0",
            "snmpget -v3 -u ops A sysServices.0",
            "snmpget -v3 -u ops -l authNoPriv A sysServices.0",
            "snmpget -v3 -u ops -l authPriv -a SHA -A maplesyrup A sysServices.0",
            "snmpget -v3 A sysServices.0",
            "snmpset -v2c -c public A sysName.0 s x",
            "snmpset -v2c -c private A sysServices.0 i 3",
            "snmpset -v1 -c private A sysServices.0 i 3",
            "snmpset -v2c -c private A sysName.0 i 5",
            "snmpset -v2c -c private A sysName.0 n x",
            "snmpset -v2c -c private A sysName.0 q x",
            "snmpset -v2c -c private A sysName.0 s",
            "snmpset -v2c -c private A sysName.0",
            "snmpset -v2c -c private A ifAdminStatus.1 i 77",
            "snmpset -v2c -c private A ifAdminStatus.1 i foo",
            "snmpset -v2c -c private A sysName.0 x 4g sysUpTime.0 t x",
            "snmpset -v2c -c private A sysObjectID.0 o sysFoo",
            "snmpset -v2c -c private -Ir A sysName.0 i 5",
            "snmpwalk -v2c -c public A sysNope",
            "snmpbulkwalk -v1 -c public A sysDescr",
            "snmpbulkget -v2c -Cn3 -c public A sysDescr",
            "snmpget -v2c -c public -Ln A sysNope.0",
            "snmpget -v2c -c public -Lo A sysNope.0",
        ],
    );
}

#[test]
fn wrong_command_lines_end_as_those_of_the_tools() {
    let Some(snmpd) = Snmpd::start() else { return };
    compare_lines(
        &snmpd,
        &[
            "snmpget",
            "snmpget -h",
            "snmpget -V",
            "snmpget --version",
            "snmpget -v2c -c public",
            "snmpget -v2c A sysServices.0",
            "snmpget -v2c -c public A",
            "snmpset -v2c -c public A",
            "snmpget -v4 A",
            "snmpget -OZ A",
            "snmpget -Iz A",
            "snmpget -Pz A",
            "snmpget -Lz",
            "snmpget -K A",
            "snmpget -c",
            "snmpget -t x A",
            "snmpget -r x A",
            "snmpget -l foo A",
            "snmpget -a foo A",
            "snmpget -x foo A",
            "snmpget -e 12 A",
            "snmpget -3z",
            "snmpget -T foo",
            "snmpget -Cx A",
            "snmpwalk -Cx A",
            "snmpbulkwalk -Cr -v2c -c public A sysServices",
            "snmptable -v2c -c public A",
            "snmptable -v2c -c public A sysDescr",
            "snmptable -v2c -c public A 1.3.6.1.4.1.99",
            "snmptranslate",
            "snmptranslate foo",
            "snmptranslate -IR foo",
            "snmptranslate -Tq",
        ],
    );
}

#[test]
fn notifications_end_as_those_of_the_tools() {
    let Some(snmpd) = Snmpd::start() else { return };
    compare_lines(
        &snmpd,
        &[
            "snmptrap -v2c -c public N",
            "snmptrap -v2c -c public N 0",
            "snmptrap -v2c -c public N '' nope",
            "snmptrap -v2c -c public N '' 1.3.6.1.6.3.1.1.5.1 sysName.0 s",
            "snmptrap -v2c -c public N '' 1.3.6.1.6.3.1.1.5.1 sysName.0 i 5",
            "snmptrap -v2c -c public N '' 1.3.6.1.6.3.1.1.5.1 sysName.0 s x",
            "snmpinform -v2c -c public -t0.2 -r0 N '' 1.3.6.1.6.3.1.1.5.1",
            "snmptrap -v1 -c public N foo '' 1 0 ''",
            "snmptrap -v1 -c public N 1.3.6.1.4.1.9 1.2.3.4 6 1 0",
            "snmptrap -v1 -c public N 1.3.6.1.4.1.9 host.invalid 6 1 0",
            "snmptrap -v1 -c public N '' '' 1",
            "snmpinform -v1 -c public N '' '' 1 0 ''",
        ],
    );
}
