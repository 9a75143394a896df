//! The targets in SNMP-PROXY-MIB and SNMP-TARGET-MIB.

use varbind_testkit::peers::{eventually, is_installed};

use super::{has_tools, through};
use crate::process::Home;

const PROXY_TABLE: &str = ".1.3.6.1.6.3.14.1.2";
const TARGET_TABLES: [&str; 2] = [".1.3.6.1.6.3.12.1.2", ".1.3.6.1.6.3.12.1.3"];

/// snmpProxyTable as snmpwalk prints it, with these indices.
fn proxy_rows([first, write, second]: [&str; 3]) -> Vec<String> {
    let columns = [
        (2, "INTEGER: 1", "INTEGER: 2", "INTEGER: 1"),
        (
            3,
            "Hex-STRING: 80 00 00 00 01 02 03 04 ",
            "Hex-STRING: 80 00 00 00 01 02 03 04 ",
            "Hex-STRING: 80 00 00 00 01 02 03 05 ",
        ),
        (4, "STRING: \"switch7\"", "STRING: \"switch7\"", "\"\""),
        (5, "\"\"", "\"\"", "\"\""),
        (
            6,
            "STRING: \"proxy-1\"",
            "STRING: \"proxy-1\"",
            "STRING: \"proxy-2\"",
        ),
        (7, "\"\"", "\"\"", "\"\""),
        (8, "INTEGER: 5", "INTEGER: 5", "INTEGER: 5"),
        (9, "INTEGER: 1", "INTEGER: 1", "INTEGER: 1"),
    ];
    columns
        .iter()
        .flat_map(|(column, one, two, three)| {
            [(first, one), (write, two), (second, three)]
                .map(|(index, value)| format!("{PROXY_TABLE}.1.{column}{index} = {value}"))
        })
        .collect()
}

/// RFC 3413 4.4
#[test]
fn the_targets_are_rows_of_tables_that_cannot_be_set() {
    if !has_tools() || !is_installed("snmpwalk") {
        return;
    }
    let home = Home::new(
        "listen = [\"udp:127.0.0.1:0\"]\n[engine]\nid = \"0x8000000001020304\"\n\
         [[community]]\nname = \"public\"\n\
         [[community]]\nname = \"admin\"\nview = \"everything\"\naccess = \"read-write\"\n\
         [[proxy]]\ntarget = \"udp:127.0.0.2\"\ncommunity = \"s3cret\"\ncontext = \"switch7\"\naccess = \"read-write\"\n\
         [[proxy]]\ntarget = \"udp:127.0.0.3:1161\"\nversion = \"v1\"\ncommunity = \"s3cret\"\nname = \"old\"\n\
         context-engine = \"0x8000000001020305\"\ntimeout = \"2s\"\n",
    );
    let agent = home.start(1);
    let walk = |community, table| through(&agent, "snmpwalk", community, &["-On", "-Oe", table]);
    let index = |name: &str| -> String { name.bytes().map(|octet| format!(".{octet}")).collect() };
    let (first, write, second) = (index("proxy-1"), index("proxy-1-write"), index("proxy-2"));

    let rows = walk("admin", PROXY_TABLE);
    let expected = proxy_rows([&first, &write, &second]);
    assert_eq!(rows.lines().collect::<Vec<_>>(), expected);

    // The rows that they name.
    let targets = TARGET_TABLES.map(|table| walk("admin", table)).join("\n");
    for line in [
        format!(".1.3.6.1.6.3.12.1.2.1.3{first} = Hex-STRING: 7F 00 00 02 00 A1 "),
        format!(".1.3.6.1.6.3.12.1.2.1.3{second} = Hex-STRING: 7F 00 00 03 04 89 "),
        format!(".1.3.6.1.6.3.12.1.2.1.4{second} = INTEGER: 200"),
        format!(".1.3.6.1.6.3.12.1.2.1.7{first} = STRING: \"proxy-1\""),
        format!(".1.3.6.1.6.3.12.1.3.1.2{second} = INTEGER: 0"),
        format!(".1.3.6.1.6.3.12.1.3.1.4{second} = STRING: \"old\""),
    ] {
        assert!(targets.contains(&line), "{line} is not in {targets}");
    }
    assert!(!targets.contains("s3cret"), "{targets}");

    // The view that is usual does not have them.
    let hidden = walk("public", PROXY_TABLE);
    assert!(!hidden.contains(&format!("{PROXY_TABLE}.")), "{hidden}");
    let create = format!("{PROXY_TABLE}.1.9.120");
    for assignment in [
        [&*create, "i", "4"],
        [&*format!("{PROXY_TABLE}.1.9{first}"), "i", "6"],
    ] {
        let refused = through(&agent, "snmpset", "admin", &assignment);
        assert!(refused.contains("notWritable"), "{refused}");
    }

    home.configure(
        "listen = [\"udp:127.0.0.1:0\"]\n[engine]\nid = \"0x8000000001020304\"\n\
         [[community]]\nname = \"admin\"\nview = \"everything\"\n",
    );
    agent.signal("-HUP");
    eventually("rows stay after a reload without [[proxy]]", || {
        [PROXY_TABLE].iter().chain(&TARGET_TABLES).all(|table| {
            let rows = walk("admin", table);
            rows.contains("No Such") || rows.contains("No more")
        })
    });
}
