use std::path::Path;

use varbind_codec::smi::Value;
use varbind_engine::access_control::{AccessDenied, AccessRequest, ViewType};
use varbind_engine::security::{SecurityLevel, SecurityModel};

use super::*;

mod advice;
mod notifications;
mod secure_transports;
mod users;

fn parse(text: &str) -> Result<AgentConfiguration, ConfigurationError> {
    AgentConfiguration::parse(text, Path::new(""), Runs::ByThisProcess)
        .map_err(|problem| problem.in_file(Path::new("agent.toml"), text))
}

/// Whether the community may do that from that address.
fn may(
    configuration: &AgentConfiguration,
    community: &str,
    from: &str,
    view_type: ViewType,
    name: &str,
) -> bool {
    let community = configuration.communities.authenticate(
        community.as_bytes(),
        std::net::SocketAddr::new(from.parse().unwrap(), 161),
    );
    community.is_ok_and(|community| {
        let request = AccessRequest {
            security_model: SecurityModel::SnmpV2c,
            security_name: &community.security_name,
            security_level: SecurityLevel::NoAuthNoPriv,
            view_type,
            context_name: &community.context_name,
        };
        let name: Oid = name.parse().unwrap();
        let allowed = configuration
            .access_control
            .clone()
            .build()
            .unwrap()
            .is_access_allowed(&request, name.arcs());
        allowed != Err(AccessDenied::NoSuchContext) && allowed.is_ok()
    })
}

const SYS_NAME: &str = "1.3.6.1.2.1.1.5.0";

#[test]
fn without_a_file_public_may_read_from_this_host_and_nothing_else() {
    let defaults = AgentConfiguration::without_file().unwrap();
    for from in ["127.0.0.1", "::1"] {
        assert!(may(&defaults, "public", from, ViewType::Read, SYS_NAME));
        assert!(!may(&defaults, "public", from, ViewType::Write, SYS_NAME));
        assert!(!may(&defaults, "private", from, ViewType::Read, SYS_NAME));
    }
    assert!(!may(
        &defaults,
        "public",
        "192.0.2.1",
        ViewType::Read,
        SYS_NAME
    ));
    assert!(!defaults.allows_writing);
    let listen: Vec<_> = defaults
        .listen
        .iter()
        .map(|listen| format!("{} {}", listen.address, listen.is_optional))
        .collect();
    assert_eq!(
        listen,
        [
            "udp:127.0.0.1:161 false",
            "tcp:127.0.0.1:161 false",
            "udp:[::1]:161 true",
            "tcp:[::1]:161 true"
        ]
    );
}

#[test]
fn a_community_without_sources_is_for_this_host() {
    let configuration = parse("[[community]]\nname = \"ops\"\naccess = \"read-write\"").unwrap();
    assert!(may(
        &configuration,
        "ops",
        "127.0.0.1",
        ViewType::Write,
        SYS_NAME
    ));
    assert!(!may(
        &configuration,
        "ops",
        "192.0.2.1",
        ViewType::Read,
        SYS_NAME
    ));
    assert!(!may(
        &configuration,
        "public",
        "127.0.0.1",
        ViewType::Read,
        SYS_NAME
    ));
    assert!(configuration.allows_writing);
}

#[test]
fn no_communities_are_none() {
    let configuration = parse("community = []").unwrap();
    assert!(!may(
        &configuration,
        "public",
        "127.0.0.1",
        ViewType::Read,
        SYS_NAME
    ));
}

#[test]
fn one_name_may_mean_more_from_some_places() {
    let configuration = parse(
        r#"
        [[community]]
        name = "ops"
        access = "read-write"
        sources = ["192.0.2.0/24"]
        [[community]]
        name = "ops"
        sources = ["0.0.0.0/0"]
        "#,
    )
    .unwrap();
    assert!(may(
        &configuration,
        "ops",
        "192.0.2.9",
        ViewType::Write,
        SYS_NAME
    ));
    assert!(!may(
        &configuration,
        "ops",
        "198.51.100.9",
        ViewType::Write,
        SYS_NAME
    ));
    assert!(may(
        &configuration,
        "ops",
        "198.51.100.9",
        ViewType::Read,
        SYS_NAME
    ));
}

#[test]
fn views_groups_and_access_entries_decide_for_communities_without_access_of_their_own() {
    let configuration = parse(
        r#"
        [[community]]
        name = "secret"
        access = "none"
        security-name = "operator"
        [[view]]
        name = "interfaces"
        include = ["interfaces", "1.3.6.1.2.1.2.2.1.0.2/ff:a0"]
        exclude = ["IF-MIB::ifPhysAddress"]
        [[group]]
        name = "operators"
        security-model = "v2c"
        security-names = ["operator"]
        [[access]]
        group = "operators"
        read = "interfaces"
        "#,
    )
    .unwrap();
    let reads = |name| may(&configuration, "secret", "127.0.0.1", ViewType::Read, name);
    assert!(reads("1.3.6.1.2.1.2.2.1.2.1"));
    assert!(!reads("1.3.6.1.2.1.2.2.1.6.1"));
    assert!(!reads(SYS_NAME));
    assert!(!configuration.allows_writing);
}

/// LLDP-MIB and IEEE8023-LAG-MIB are not below iso.org, and subagents serve them.
#[test]
fn mibs_of_ieee_are_in_the_views_that_always_exist() {
    for view in ["", "view = \"everything\""] {
        let configuration = parse(&format!("[[community]]\nname = \"public\"\n{view}")).unwrap();
        let reads = |name| may(&configuration, "public", "127.0.0.1", ViewType::Read, name);
        for name in [
            "1.0.8802.1.1.2.1.1.1.0",
            "1.2.840.10006.300.43.1.1.1.1.2.1",
            SYS_NAME,
        ] {
            assert!(reads(name), "{view} {name}");
        }
    }
}

#[test]
fn scalars_have_types_and_values() {
    let configuration = parse(
        r#"
        [[scalar]]
        oid = "1.3.6.1.4.1.99999.1.0"
        type = "octet-string"
        value = "rack 4"
        access = "read-write"
        [[scalar]]
        oid = "1.3.6.1.4.1.99999.2.0"
        type = "counter64"
        value = "18446744073709551615"
        "#,
    )
    .unwrap();
    let [text, counter] = configuration.scalars.as_slice() else {
        panic!("two scalars")
    };
    assert_eq!(text.value, Value::OctetString(b"rack 4".to_vec()));
    assert!(text.is_writable && !counter.is_writable);
    assert_eq!(counter.value, Value::Counter64(u64::MAX));
}

/// A text, the line that is wrong, and a part of the error.
const ERRORS: &[(&str, usize, &str)] = &[
    ("lisen = []", 1, "did you mean listen?"),
    ("\n[system]\nservices = 200", 3, "from 0 to 127"),
    ("listen = [\"127.0.0.1:161\"]", 1, "TRANSPORT:ADDRESS:PORT"),
    ("listen = [\n  \"udp:127.0.0.1:99999\",\n]", 2, "65535"),
    ("listen = [\"https:localhost\"]", 1, "write it in [web]"),
    ("listen = [\"tls:[::1:10161]\"]", 1, "write tls:[::1]:10161"),
    (
        "[[community]]\nname = \"a\"\nacess = \"none\"",
        3,
        "did you mean access?",
    ),
    (
        "[[community]]\nname = \"a\"\naccess = \"rw\"",
        3,
        "\"read-write\"",
    ),
    (
        "[[community]]\nname = \"a\"\nview = \"b\"",
        3,
        "the views are all",
    ),
    (
        "[[community]]\nname = \"a\"\nsources = [\"10.0.0.0/40\"]",
        3,
        "192.0.2.0/24",
    ),
    ("[[community]]\nname = \"\"", 2, "must not be empty"),
    (
        "[[community]]\nname = \"a\"\ncontext = \"b\"",
        3,
        "no context",
    ),
    ("[[community]]\naccess = \"none\"", 1, "add name = .."),
    (
        "[[view]]\nname = \"all\"\ninclude = [\"1.3\"]",
        2,
        "another name",
    ),
    (
        "[[view]]\nname = \"v\"\ninclude = [\"1.3.x\"]",
        3,
        "separated by dots",
    ),
    (
        "[[view]]\nname = \"v\"\ninclude = [\"sysDesc\"]",
        3,
        "sysDescr",
    ),
    (
        "[[view]]\nname = \"v\"\ninclude = [\"1.3/zz\"]",
        3,
        "hexadecimal",
    ),
    ("[[access]]\ngroup = \"g\"", 2, "no [[group]]"),
    (
        "[[scalar]]\noid = \"1.3.6\"\ntype = \"int\"\nvalue = 1",
        3,
        "octet-string",
    ),
    (
        "[[scalar]]\noid = \"1.3.6\"\ntype = \"gauge32\"\nvalue = -1",
        4,
        "from 0 to 4294967295",
    ),
    (
        "[[scalar]]\noid = \"1.3.6\"\ntype = \"gauge32\"\nvalue = true",
        4,
        "a text or a number",
    ),
    ("[limits]\nmessage-size = 100", 2, "from 484 to 65507"),
    ("[limits]\ntcp-idle-timeout = \"5\"", 2, "30s"),
    ("[limits]\ntcp-linear-timeouts = 1", 2, "true or false"),
    ("[web]\nconnections = 0", 2, "from 1"),
    ("[web]\nidle-timeout = \"5\"", 2, "30s"),
    (
        "[web]\nhosts = [\"agent.example:8080\"]",
        2,
        "without a port",
    ),
    ("[counters]\nmax-age = 5", 2, "a number with a unit"),
    ("listen = [", 1, "array"),
    #[cfg(feature = "experiments")]
    ("compression = [\"zip\"]", 1, "opc, odc and dictionary"),
    #[cfg(not(feature = "experiments"))]
    (
        "compression = [\"opc\"]",
        1,
        "this build has no experiments; cargo install varbind-cli --features experiments",
    ),
    #[cfg(not(feature = "experiments"))]
    (
        "[limits]\ndictionary-sessions = 1",
        2,
        "this build has no experiments",
    ),
];

/// Each error names the line, shows the key in it, and says what is allowed.
#[test]
fn errors_name_line_and_key_and_what_is_allowed() {
    for (text, line, expected) in ERRORS {
        let error = parse(text).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("agent.toml, line {line}: ")),
            "{text}: {error}"
        );
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn ipv4_networks_in_the_form_of_ipv6_are_networks_of_ipv4() {
    let text =
        "[[community]]\nname = \"ops\"\nsources = [\"::ffff:10.9.0.0/120\", \"::ffff:192.0.2.1\"]";
    let configuration = parse(text).unwrap();
    for (from, is_allowed) in [
        ("10.9.0.7", true),
        ("10.9.1.7", false),
        ("192.0.2.1", true),
        ("192.0.2.2", false),
    ] {
        assert_eq!(
            may(&configuration, "ops", from, ViewType::Read, SYS_NAME),
            is_allowed,
            "{from}"
        );
    }
}

#[cfg(feature = "experiments")]
#[test]
fn sessions_have_dictionaries_where_these_are_accepted() {
    let sessions = |text: &str| parse(text).unwrap().limits.dictionary_sessions;
    assert_eq!(sessions("compression = [\"dictionary\"]"), 16);
    let dictionaries = "compression = [\"dictionary\"]\n[limits]\ndictionary-sessions = 3";
    assert_eq!(sessions(dictionaries), 3);
    assert_eq!(
        sessions("compression = [\"opc\"]\n[limits]\ndictionary-sessions = 3"),
        0
    );
}

#[test]
fn the_example_is_valid_and_names_every_key() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("example.toml");
    let text = fs::read_to_string(path).unwrap();
    parse(&text).unwrap();
    // Keys that the example leaves commented out are valid too.
    let all: String = text
        .lines()
        .map(|line| line.strip_prefix("#: ").unwrap_or(line))
        .map(|line| format!("{line}\n"))
        .collect();
    parse(&all).unwrap();
}

#[test]
fn the_view_of_the_example_hides_hardware_addresses() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("example.toml");
    let configuration = parse(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(
        configuration.warnings.is_empty(),
        "{:?}",
        configuration.warnings
    );
    let may_read = |name| {
        may(
            &configuration,
            "counting",
            "127.0.0.1",
            ViewType::Read,
            name,
        )
    };
    // ifDescr.2, ifInOctets.2; ifDescr.1; ifPhysAddress.2
    assert!(may_read("1.3.6.1.2.1.2.2.1.2.2") && may_read("1.3.6.1.2.1.2.2.1.10.2"));
    assert!(!may_read("1.3.6.1.2.1.2.2.1.2.1"));
    assert!(!may_read("1.3.6.1.2.1.2.2.1.6.2"));
}

#[test]
fn an_exclusion_that_hides_nothing_is_warned_of() {
    let configuration = parse(
        r#"
        [[view]]
        name = "rows"
        include = ["1.3.6.1.2.1.2.2.1.0.2/ff:a0"]
        exclude = ["1.3.6.1.2.1.2.2.1.6"]
        "#,
    )
    .unwrap();
    let [warning] = &configuration.warnings[..] else {
        panic!("{:?}", configuration.warnings);
    };
    assert!(
        warning.contains("\"rows\"") && warning.contains("1.3.6.1.2.1.2.2.1.6 hides nothing"),
        "{warning}"
    );
}
