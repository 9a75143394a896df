use std::fs;

use varbind_mib::compile::{CompileOptions, compile};
use varbind_mib::{Catalog, Mib};

use super::*;
use crate::module::document::{Index, Lookup, Metric, Module};

/// A module with what a generator must tell apart.
const SHELF: &str = r#"
SHELF-MIB DEFINITIONS ::= BEGIN
IMPORTS
    MODULE-IDENTITY, OBJECT-TYPE, Integer32, Counter64, Opaque, enterprises FROM SNMPv2-SMI
    TEXTUAL-CONVENTION FROM SNMPv2-TC;
shelf MODULE-IDENTITY
    LAST-UPDATED "202601010000Z" ORGANIZATION "o" CONTACT-INFO "c" DESCRIPTION "d"
    ::= { enterprises 99999 }
Label ::= TEXTUAL-CONVENTION DISPLAY-HINT "32a" STATUS current DESCRIPTION "d" SYNTAX OCTET STRING (SIZE (0..32))
Address ::= TEXTUAL-CONVENTION DISPLAY-HINT "1x:" STATUS current DESCRIPTION "d" SYNTAX OCTET STRING (SIZE (6))
InetAddressType ::= TEXTUAL-CONVENTION STATUS current DESCRIPTION "d" SYNTAX INTEGER { ipv4(1), ipv6(2) }
InetAddress ::= TEXTUAL-CONVENTION STATUS current DESCRIPTION "d" SYNTAX OCTET STRING (SIZE (0..255))
shelf-load OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current
    DESCRIPTION "The load
        of the shelf. It is a number." ::= { shelf 1 }
shelfBlob OBJECT-TYPE SYNTAX Opaque MAX-ACCESS read-only STATUS current DESCRIPTION "d" ::= { shelf 2 }
shelfEvent OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS accessible-for-notify STATUS current DESCRIPTION "d" ::= { shelf 3 }
bookTable OBJECT-TYPE SYNTAX SEQUENCE OF BookEntry MAX-ACCESS not-accessible STATUS current DESCRIPTION "d" ::= { shelf 4 }
bookEntry OBJECT-TYPE SYNTAX BookEntry MAX-ACCESS not-accessible STATUS current DESCRIPTION "d"
    INDEX { bookShelf, IMPLIED bookName } ::= { bookTable 1 }
BookEntry ::= SEQUENCE { bookShelf INTEGER, bookName Label, bookOwner Integer32, bookLoans Counter64, bookSource Address }
bookShelf OBJECT-TYPE SYNTAX INTEGER { top(1), bottom(2) } MAX-ACCESS not-accessible STATUS current DESCRIPTION "d" ::= { bookEntry 1 }
bookName OBJECT-TYPE SYNTAX Label MAX-ACCESS not-accessible STATUS current DESCRIPTION "d" ::= { bookEntry 2 }
bookOwner OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current DESCRIPTION "d" ::= { bookEntry 3 }
bookLoans OBJECT-TYPE SYNTAX Counter64 MAX-ACCESS read-only STATUS current DESCRIPTION "d" ::= { bookEntry 4 }
bookSource OBJECT-TYPE SYNTAX Address MAX-ACCESS read-only STATUS current DESCRIPTION "d" ::= { bookEntry 5 }
ownerTable OBJECT-TYPE SYNTAX SEQUENCE OF OwnerEntry MAX-ACCESS not-accessible STATUS current DESCRIPTION "d" ::= { shelf 5 }
ownerEntry OBJECT-TYPE SYNTAX OwnerEntry MAX-ACCESS not-accessible STATUS current DESCRIPTION "d"
    INDEX { ownerIndex } ::= { ownerTable 1 }
OwnerEntry ::= SEQUENCE { ownerIndex Integer32, ownerName Label }
ownerIndex OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS not-accessible STATUS current DESCRIPTION "d" ::= { ownerEntry 1 }
ownerName OBJECT-TYPE SYNTAX Label MAX-ACCESS read-only STATUS current DESCRIPTION "d" ::= { ownerEntry 2 }
peerTable OBJECT-TYPE SYNTAX SEQUENCE OF PeerEntry MAX-ACCESS not-accessible STATUS current DESCRIPTION "d" ::= { shelf 6 }
peerEntry OBJECT-TYPE SYNTAX PeerEntry MAX-ACCESS not-accessible STATUS current DESCRIPTION "d"
    INDEX { peerType, peerAddress } ::= { peerTable 1 }
PeerEntry ::= SEQUENCE { peerType InetAddressType, peerAddress InetAddress, peerKind InetAddressType, peerNext InetAddress }
peerType OBJECT-TYPE SYNTAX InetAddressType MAX-ACCESS not-accessible STATUS current DESCRIPTION "d" ::= { peerEntry 1 }
peerAddress OBJECT-TYPE SYNTAX InetAddress MAX-ACCESS not-accessible STATUS current DESCRIPTION "d" ::= { peerEntry 2 }
peerKind OBJECT-TYPE SYNTAX InetAddressType MAX-ACCESS read-only STATUS current DESCRIPTION "d" ::= { peerEntry 3 }
peerNext OBJECT-TYPE SYNTAX InetAddress MAX-ACCESS read-only STATUS current DESCRIPTION "d" ::= { peerEntry 4 }
END
"#;

fn mib() -> Mib {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("SHELF-MIB"), SHELF).unwrap();
    let options = CompileOptions {
        directories: vec![directory.path().to_owned()],
        is_recursive: false,
        is_permissive: false,
    };
    let compilation = compile(&options, |_| ()).unwrap();
    assert_eq!(compilation.problems, []);
    Mib::with_catalog(Catalog::from_words(compilation.words).unwrap())
}

/// The module `m` that a text generates.
#[track_caller]
fn module(text: &str) -> Module {
    let text = format!("modules:\n  m:\n{text}");
    let generated = Generated::parse(&text, &mib()).unwrap();
    assert_eq!(generated.warnings, [""; 0]);
    generated.document.modules["m"].clone()
}

#[track_caller]
fn refused(text: &str) -> String {
    Generated::parse(text, &mib()).unwrap_err().to_string()
}

#[track_caller]
fn metric<'m>(module: &'m Module, name: &str) -> &'m Metric {
    let mut metrics = module.metrics.iter().flatten();
    metrics.find(|metric| metric.name == name).expect(name)
}

fn names(module: &Module) -> Vec<&str> {
    let metrics = module.metrics.iter().flatten();
    metrics.map(|metric| metric.name.as_str()).collect()
}

fn some(list: &[&str]) -> Option<Vec<String>> {
    Some(list.iter().map(ToString::to_string).collect())
}

#[test]
fn all_objects_with_values_below_a_name_become_metrics() {
    let module = module("    walk: [shelf]\n    overrides: {bookSource: {ignore: true}}\n");
    assert_eq!(module.walk, some(&["1.3.6.1.4.1.99999"]));
    let expected = "shelf_load bookShelf bookName bookOwner bookLoans ownerIndex ownerName peerType peerAddress peerKind peerNext";
    assert_eq!(names(&module).join(" "), expected);
    let load = metric(&module, "shelf_load");
    assert_eq!(load.help, "The load of the shelf - 1.3.6.1.4.1.99999.1");
    assert_eq!((load.kind.as_str(), &load.indexes), ("gauge", &None));
    assert_eq!(metric(&module, "bookLoans").kind, "counter");
    assert_eq!(metric(&module, "ownerName").kind, "DisplayString");
}

#[test]
fn indexes_have_their_types_names_and_ends() {
    let module = module("    walk: [bookTable]\n");
    let index = |labelname: &str, kind: &str| Index {
        labelname: labelname.to_owned(),
        kind: kind.to_owned(),
        ..Index::default()
    };
    let shelves = [(1, "top".to_owned()), (2, "bottom".to_owned())];
    let expected = [
        Index {
            enum_values: Some(shelves.into()),
            ..index("bookShelf", "EnumAsInfo")
        },
        Index {
            implied: Some(true),
            ..index("bookName", "DisplayString")
        },
    ];
    let source = metric(&module, "bookSource");
    assert_eq!(source.indexes.as_deref(), Some(&expected[..]));
    assert_eq!(source.kind, "PhysAddress48");
}

#[test]
fn address_is_read_with_the_object_that_says_its_kind() {
    let module = module("    walk: [peerAddress, peerNext, bookSource]\n");
    let next = metric(&module, "peerNext");
    let indexes = next.indexes.as_deref().unwrap();
    assert_eq!(indexes.len(), 1);
    assert_eq!(
        (indexes[0].labelname.as_str(), indexes[0].kind.as_str()),
        ("peerAddress", "InetAddress")
    );
    assert_eq!(next.kind, "InetAddress");
    // What says the kind is walked too.
    let peer = "1.3.6.1.4.1.99999.6.1";
    let walk: Vec<_> = [1, 2, 3, 4].map(|n| format!("{peer}.{n}")).to_vec();
    let mut expected = vec!["1.3.6.1.4.1.99999.4.1.5".to_owned()];
    expected.extend(walk);
    assert_eq!(module.walk, Some(expected));
}

#[test]
fn lookups_follow_one_another_and_drop_their_sources() {
    let module = module(
        "    walk: [bookLoans]\n    lookups:\n    - {source_indexes: [bookShelf, bookName], lookup: bookOwner}\n    \
         - {source_indexes: [bookOwner], lookup: ownerName, drop_source_indexes: true, display_hint: '@mib'}\n    \
         overrides: {bookOwner: {type: EnumAsInfo}}\n",
    );
    let loans = metric(&module, "bookLoans");
    let labels: Vec<_> = loans.indexes.iter().flatten().collect();
    assert_eq!(
        (labels.len(), labels[2].labelname.as_str()),
        (3, "bookOwner")
    );
    let expected = [
        Lookup {
            labels: some(&["bookShelf", "bookName"]),
            labelname: "bookOwner".to_owned(),
            oid: Some("1.3.6.1.4.1.99999.4.1.3".to_owned()),
            kind: Some("EnumAsInfo".to_owned()),
            ..Lookup::default()
        },
        Lookup {
            labels: some(&["bookOwner"]),
            labelname: "ownerName".to_owned(),
            oid: Some("1.3.6.1.4.1.99999.5.1.2".to_owned()),
            kind: Some("DisplayString".to_owned()),
            display_hint: Some("32a".to_owned()),
            ..Lookup::default()
        },
        Lookup {
            labels: some(&[]),
            labelname: "bookOwner".to_owned(),
            ..Lookup::default()
        },
    ];
    assert_eq!(loans.lookups.as_deref(), Some(&expected[..]));
    let walk = ["4.1.3", "4.1.4", "5.1.2"].map(|end| format!("1.3.6.1.4.1.99999.{end}"));
    assert_eq!(module.walk, Some(walk.to_vec()));
}

#[test]
fn instances_and_scalars_are_requested_alone() {
    let module = module(
        "    walk: [shelf-load, 1.3.6.1.4.1.99999.5.1.2.7, 'SHELF-MIB::bookOwner.top.\"a\"']\n    \
         max_repetitions: 7\n    retries: 1\n    timeout: 9s\n    allow_nonincreasing_oids: true\n    \
         use_unconnected_udp_socket: true\n",
    );
    let get = ["1.0", "4.1.3.1.97", "5.1.2.7"].map(|end| format!("1.3.6.1.4.1.99999.{end}"));
    assert_eq!((&module.walk, &module.get), (&None, &Some(get.to_vec())));
    assert_eq!(names(&module), ["shelf_load", "bookOwner", "ownerName"]);
    assert_eq!(module.max_repetitions, Some(7));
    assert_eq!(
        (module.retries, module.timeout.as_deref()),
        (Some(1), Some("9s"))
    );
    assert_eq!(module.allow_nonincreasing_oids, Some(true));
    assert_eq!(module.use_unconnected_udp_socket, Some(true));
}

#[test]
fn static_filters_ask_for_instances_also_of_what_is_looked_up() {
    let module = module(
        "    walk: [ownerIndex]\n    lookups: [{source_indexes: [ownerIndex], lookup: ownerName}]\n    \
         filters:\n      static: [{targets: [ownerName], indices: ['3', '4']}]\n      \
         dynamic: [{oid: ownerName, targets: [1.3.6.1.4.1.99999.5.1.1], values: [a.*]}]\n",
    );
    let get = ["1.3", "1.4", "2.3", "2.4"].map(|end| format!("1.3.6.1.4.1.99999.5.1.{end}"));
    assert_eq!((&module.walk, &module.get), (&None, &Some(get.to_vec())));
    let filter = &module.filters.as_deref().unwrap()[0];
    assert_eq!(filter.oid, "1.3.6.1.4.1.99999.5.1.2");
    assert_eq!(filter.targets, some(&["1.3.6.1.4.1.99999.5.1.1"]));
    assert_eq!(filter.values, some(&["a.*"]));
}

#[test]
fn overrides_replace_what_the_mib_module_says() {
    let module = module(
        "    walk: [ownerName, shelf-load]\n    overrides:\n      ownerName:\n        regex_extracts: {Id: [{regex: 'n(.*)'}]}\n        \
         display_hint: 1x\n      1.3.6.1.4.1.99999.1: {scale: 0.5, offset: -1, name: load_ratio, help: Load}\n",
    );
    let owner = metric(&module, "ownerName");
    let extract = &owner.regex_extracts.as_ref().unwrap()["Id"][0];
    assert_eq!(extract.regex, "^(?:n(.*))$");
    assert_eq!(extract.value.as_deref(), Some("$1"));
    assert_eq!(owner.display_hint.as_deref(), Some("1x"));
    let load = metric(&module, "load_ratio");
    assert_eq!((load.scale, load.offset), (Some(0.5), Some(-1.0)));
    assert_eq!(load.help, "Load");
}

#[test]
fn text_is_read_again_as_the_same_configuration() {
    let text = "auths:\n  a: {version: 3, username: u, security_level: authPriv, password: sesame-word, auth_protocol: SHA, \
                priv_protocol: AES, priv_password: other-word}\nmodules:\n  m: {walk: [shelf], overrides: {shelf-load: {help: 'true'}}}\n";
    let generated = Generated::parse(text, &mib()).unwrap();
    assert_eq!((generated.modules(), generated.metrics()), (1, 12));
    let yaml = generated.to_yaml().unwrap();
    assert!(yaml.contains("password: sesame-word"), "{yaml}");
    let read = ModuleConfiguration::parse(&yaml).unwrap();
    let made = generated.into_configuration(false).unwrap();
    assert!(!made.shown().contains("sesame"), "{}", made.shown());
    // The defaults are written out.
    let shown = read.shown();
    let behind = |text: &str| text.split_once("modules:").unwrap().1.to_owned();
    assert_eq!(behind(&shown), behind(&made.shown()));
}

#[test]
fn mistakes_are_refused_with_their_line() {
    for (text, message) in [
        (
            "modules:\n  m:\n    walk:\n    - shelf\n    - bokLoans\n",
            "line 5: module m: unknown object \"bokLoans\"; did you mean bookLoans? (-M, or mib-directories",
        ),
        (
            "modules:\n  m:\n    walk: [1.3.6.1.4.1.424242]\n",
            "line 3: module m: no known MIB module has objects at 1.3.6.1.4.1.424242",
        ),
        (
            "modules:\n  m:\n    walk: [shelf]\n    lookups:\n    - source_indexes: [ownerIndex]\n      lookup: shelfBlob\n",
            "line 6: module m: shelfBlob cannot be used as a label",
        ),
        (
            "modules:\n  m:\n    walk: [shelf]\n    overrides:\n      bookName:\n        type: Text\n",
            "line 6: module m: type \"Text\" is not known: use one of gauge, ",
        ),
        (
            "modules:\n  m:\n    walk: [bookTable]\n    overrides: {bookName: {type: Float}}\n",
            "line 3: module m: bookName with type Float cannot be used as an index",
        ),
        (
            "modules:\n  m:\n    walk: [ownerName]\n    filters:\n      static:\n      - targets: [ownerName]\n        indices: [x]\n",
            "line 7: module m: \"x\" is not an index",
        ),
        (
            "modules:\n  m:\n    walk: [ownerName]\n    overrides:\n      ownerName:\n        regex_extracts:\n          a:\n          - regex: '('\n",
            "line 8: module m: \"(\" is not a regular expression",
        ),
        (
            "modules:\n  m:\n    walk: [shelfEvent.0]\n",
            "line 3: module m: shelfEvent.0 is an instance of shelfEvent, which is no column",
        ),
        ("modules:\n  m:\n    wlak: [shelf]\n", "line 3"),
        (
            "modules:\n  m:\n    walk: [shelf]\n    timeout: soon\n",
            "line 3: module m: timeout: \"soon\" is not a duration",
        ),
        ("auths:\n  a:\n    version: 7\n", "line 3: auth a: "),
    ] {
        let refused = refused(text);
        assert!(refused.contains(message), "{message}\n{refused}");
    }
}

#[test]
fn unknown_overrides_are_warned_of() {
    let text =
        "modules:\n  m:\n    walk: [shelf]\n    overrides:\n      bookNaem: {ignore: true}\n";
    let generated = Generated::parse(text, &mib()).unwrap();
    assert_eq!(
        generated.warnings,
        ["line 5: module m: overrides: no MIB module has an object bookNaem"]
    );
}
