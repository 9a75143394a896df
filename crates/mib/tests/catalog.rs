//! Modules compiled into a catalog, what is found in it, and what becomes of damaged ones.
#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::Index as Place;
use proptest::{prop_assert, proptest};

use varbind_codec::smi::{OwnedValue, Value};
use varbind_mib::compile::{
    Compilation, CompileError, CompileOptions, Problem, SearchPath, SearchPathError, Severity,
    compile, lint,
};
use varbind_mib::{
    Access, BaseType, Catalog, CatalogError, Kind, MachineVarBind, Mib, OutputOptions, RangeCheck,
    Status, format_name, format_var_bind, parse_value,
};

fn modules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules")
}

fn options(directory: &Path) -> CompileOptions {
    CompileOptions {
        directories: vec![directory.to_owned()],
        is_recursive: false,
        is_permissive: false,
    }
}

fn compiled() -> &'static Compilation {
    static COMPILED: LazyLock<Compilation> =
        LazyLock::new(|| compile(&options(&modules()), |_| {}).expect("there are modules"));
    &COMPILED
}

fn mib() -> Mib {
    Mib::with_catalog(Catalog::from_words(compiled().words.clone()).expect("a catalog"))
}

fn shown(mib: &Mib, name: &str, value: Value<'_>) -> String {
    let name = mib.resolve(name).expect("a known name");
    let mut line = String::new();
    format_var_bind(
        mib,
        &OutputOptions::default(),
        name.arcs(),
        value,
        &mut line,
    );
    line
}

#[test]
fn objects_are_known_with_all_that_is_told_of_them() {
    let mib = mib();
    let object = mib.named("exampleTemperature").expect("known");
    assert_eq!(object.module(), "VARBIND-EXAMPLE-MIB");
    assert_eq!(object.oid(), [1, 3, 6, 1, 4, 1, 32473, 1, 1, 1]);
    assert_eq!(object.kind(), Kind::Scalar);
    assert_eq!(object.access(), Some(Access::ReadWrite));
    assert_eq!(object.status(), Some(Status::Current));
    assert_eq!(object.units(), Some("degrees"));
    assert_eq!(object.description(), Some("How warm it is."));
    assert_eq!(object.reference(), Some("the window"));
    assert_eq!(object.default_value(), Some("200"));
    assert_eq!(object.macro_name(), Some("OBJECT-TYPE"));
    let syntax = object.syntax().expect("it has a value");
    assert_eq!(syntax.base(), BaseType::Integer32);
    assert_eq!(syntax.textual_convention(), Some("Temperature"));
    assert_eq!(syntax.display_hint(), Some("d-1"));
    assert_eq!(syntax.ranges().to_vec(), [(-500, 1000), (2000, 2000)]);
    let macro_of = |name: &str| mib.named(name).and_then(|object| object.macro_name());
    assert_eq!(macro_of("exampleMIB"), Some("MODULE-IDENTITY"));
    assert_eq!(macro_of("exampleObjects"), Some("OBJECT IDENTIFIER"));
    assert_eq!(macro_of("exampleThing"), Some("OBJECT-IDENTITY"));
    assert_eq!(macro_of("exampleGroup"), Some("OBJECT-GROUP"));
    assert_eq!(macro_of("exampleCompliance"), Some("MODULE-COMPLIANCE"));
    assert_eq!(macro_of("oldTrap"), Some("TRAP-TYPE"));
}

#[test]
fn values_are_shown_and_read_by_the_syntax_of_their_objects() {
    let mib = mib();
    assert_eq!(
        shown(&mib, "exampleTemperature.0", Value::Integer(215)),
        "VARBIND-EXAMPLE-MIB::exampleTemperature.0 = INTEGER: 21.5 degrees"
    );
    assert_eq!(
        shown(&mib, "exampleFlags.0", Value::OctetString(&[0x80, 0x40])),
        "VARBIND-EXAMPLE-MIB::exampleFlags.0 = BITS: 80 40 red(0) blue(9) "
    );
    let name = mib.resolve("exampleFlags.0").expect("known");
    let bits = parse_value(&mib, name.arcs(), '=', "red blue", RangeCheck::Enforce);
    assert_eq!(bits, Ok(OwnedValue::OctetString(vec![0x80, 0x40])));
    let name = mib.resolve("exampleTemperature.0").expect("known");
    let refused = parse_value(&mib, name.arcs(), 'i', "1500", RangeCheck::Enforce);
    assert_eq!(
        refused.map_err(|error| error.to_string()),
        Err("\"1500\" is out of range for exampleTemperature: 1500 as a value, allowed (-500 to 1000, 2000)".to_owned())
    );
    let machine = MachineVarBind::new(&mib, name.arcs(), Value::Integer(5));
    assert_eq!(
        (machine.shown.as_str(), machine.units.as_deref()),
        (".5", Some("degrees"))
    );
}

#[test]
fn tables_have_indexes_with_fixed_and_implied_strings() {
    let mib = mib();
    let table = mib.table("exampleTable").expect("a table");
    let names: Vec<_> = table
        .index()
        .parts()
        .iter()
        .map(varbind_mib::IndexPart::name)
        .collect();
    assert_eq!(names, ["exampleState", "exampleAddress", "exampleName"]);
    assert_eq!(table.columns().len(), 4);
    let name = mib
        .resolve("exampleStatus.busy.\"2:fc:0:0:0:1\".\"ab\"")
        .expect("an index by names");
    let numbers = "1.3.6.1.4.1.32473.1.1.4.1.4.2.2.252.0.0.0.1.97.98";
    assert_eq!(name.to_string(), numbers);
    let mut text = String::new();
    format_name(&mib, &OutputOptions::default(), name.arcs(), &mut text);
    assert!(
        text.starts_with("VARBIND-EXAMPLE-MIB::exampleStatus.busy."),
        "{text}"
    );
    assert!(text.ends_with(".'ab'"), "{text}");
    let more = mib.table("exampleMoreTable").expect("a table");
    assert_eq!(more.row().augments(), Some("exampleEntry"));
    assert_eq!(more.index(), table.index());
}

#[test]
fn notifications_of_both_versions_have_their_places() {
    let mib = mib();
    let warm = mib.named("exampleTooWarm").expect("known");
    assert_eq!(warm.kind(), Kind::Notification);
    assert_eq!(
        warm.notification_objects(),
        ["exampleTemperature", "exampleMore"]
    );
    // RFC 2576 section 2.1.2: a 0 stands between the enterprise and the number.
    let trap = mib.named("oldTrap").expect("known");
    assert_eq!(trap.oid(), [1, 3, 6, 1, 4, 1, 32473, 2, 0, 7]);
    assert_eq!(trap.notification_objects(), ["oldGauge", "oldText"]);
}

#[test]
fn modules_of_smi_version_1_are_read() {
    let mib = mib();
    let gauge = mib.named("oldGauge").expect("known");
    assert_eq!(
        gauge.syntax().map(|syntax| syntax.base()),
        Some(BaseType::Gauge32)
    );
    assert_eq!(gauge.status(), Some(Status::Mandatory));
    let text = mib.named("oldText").expect("known");
    assert_eq!(text.access(), Some(Access::ReadWrite));
    let syntax = text.syntax().expect("it has one");
    assert_eq!(syntax.textual_convention(), Some("OldString"));
    assert_eq!(syntax.ranges().to_vec(), [(0, 16)]);
    let catalog = mib.catalog().expect("there is one");
    let module = catalog.module("VARBIND-OLD-MIB").expect("known");
    assert!(module.is_smi_v1() && module.last_updated().is_empty());
}

#[test]
fn modules_and_textual_conventions_are_told() {
    let mib = mib();
    let catalog = mib.catalog().expect("there is one");
    catalog.verify().expect("as it was written");
    let module = catalog.module("VARBIND-EXAMPLE-MIB").expect("known");
    assert_eq!(module.last_updated(), "202402290000Z");
    assert_eq!(module.organization(), "The authors of varbind");
    assert_eq!(module.file(), modules().join("VARBIND-EXAMPLE-MIB.txt"));
    assert!(!module.is_smi_v1() && module.object_count() > 15);
    assert!(catalog.module("VARBIND-ABSENT-MIB").is_none());
    let convention = mib.textual_convention("WarmTemperature").expect("known");
    assert_eq!(convention.module(), "VARBIND-EXAMPLE-MIB");
    assert_eq!(convention.status(), Some(Status::Deprecated));
    let syntax = convention.syntax().expect("it has one");
    assert_eq!(syntax.textual_convention(), Some("Temperature"));
    assert_eq!(syntax.ranges().to_vec(), [(0, 1000)]);
}

#[test]
fn what_is_wrong_in_one_module_costs_no_other_anything() {
    let mib = mib();
    for name in [
        "brokenGood",
        "brokenAfter",
        "exampleMore",
        "oldIndex",
        "cycleBelowOther",
    ] {
        assert!(mib.named(name).is_some(), "{name}");
    }
    for name in ["brokenParent", "cycleFirst", "cycleSecond"] {
        assert!(mib.named(name).is_none(), "{name}");
    }
    let told: Vec<String> = compiled().problems.iter().map(Problem::to_string).collect();
    let expected = [
        "VARBIND-BROKEN-MIB.txt:18:",
        "VARBIND-BROKEN-MIB.txt:6:",
        "VARBIND-CYCLE-MIB.txt:9:",
        "NOT-A-MIB.txt:",
    ];
    for place in expected {
        assert!(
            told.iter().any(|line| line.contains(place)),
            "{place} in {told:#?}"
        );
    }
    let innocent = ["VARBIND-EXAMPLE-MIB.txt", "VARBIND-OLD-MIB.txt"];
    for file in innocent {
        assert!(
            told.iter().all(|line| !line.contains(file)),
            "{file} in {told:#?}"
        );
    }
}

#[test]
fn lint_tells_file_and_line() {
    let broken = modules().join("VARBIND-BROKEN-MIB.txt");
    let problems = lint(std::slice::from_ref(&broken), &[]).expect("a file with a module");
    let first = problems
        .iter()
        .find(|problem| problem.code == "parse-error")
        .expect("one");
    assert_eq!(first.severity, Severity::Error);
    assert_eq!(first.place.map(|(line, _)| line), Some(18));
    let good = lint(&[modules().join("VARBIND-EXAMPLE-MIB.txt")], &[]).expect("a module");
    assert!(
        good.iter()
            .all(|problem| problem.severity > Severity::Error),
        "{good:#?}"
    );
    let missing = lint(&[modules().join("no-such-file")], &[]);
    assert!(matches!(missing, Err(CompileError::Unreadable { .. })));
}

#[test]
fn names_inside_of_values_are_defined_and_the_first_of_two_definitions_counts() {
    let mib = mib();
    for (name, oid) in [
        ("VARBIND-FAULTY-MIB::faultyBody", "1.3.111"),
        ("faultyWorks", "1.3.111.2"),
        ("faultyMIB", "1.3.111.2.7"),
        ("VARBIND-FAULTY-MIB::faultyOwner", "1.3.6.1.4.1.32473"),
        ("faultyRange", "1.3.6.1.4.1.32473.9"),
        ("faultyBranch", "1.3.6.1.4.1.32473.9.4.1"),
        ("faultyValue.0", "1.3.6.1.4.1.32473.9.4.1.5.0"),
    ] {
        let found = mib.resolve(name).map(|oid| oid.to_string());
        assert_eq!(found.as_deref(), Ok(oid), "{name}");
    }
    // A name that stands for another module's object is that module's alone.
    assert!(mib.named_in("VARBIND-FAULTY-MIB", "internet").is_none());
    let problems = lint(&[modules().join("VARBIND-FAULTY-MIB.txt")], &[]).expect("a module");
    let repeated: Vec<_> = problems
        .iter()
        .filter(|problem| problem.code == "name-repeated")
        .map(|problem| (problem.place, problem.severity))
        .collect();
    assert_eq!(repeated, [(Some((26, 1)), Severity::Error)]);
}

#[test]
fn the_rules_of_smi_v2_for_indexes_are_no_errors() {
    let lines = "X-MIB DEFINITIONS ::= BEGIN IMPORTS OBJECT-TYPE FROM RFC-1212 enterprises FROM RFC1155-SMI;
        xTable OBJECT-TYPE SYNTAX SEQUENCE OF XEntry ACCESS not-accessible STATUS mandatory ::= { enterprises 32473 77 }
        xEntry OBJECT-TYPE SYNTAX XEntry ACCESS not-accessible STATUS mandatory INDEX { xIndex } ::= { xTable 1 }
        XEntry ::= SEQUENCE { xIndex INTEGER }
        xIndex OBJECT-TYPE SYNTAX INTEGER ACCESS read-only STATUS mandatory ::= { xEntry 1 } END";
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("X-MIB.txt");
    fs::write(&file, lines).expect("written");
    let problems = lint(std::slice::from_ref(&file), &[]).expect("a module");
    let errors: Vec<_> = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert!(
        problems
            .iter()
            .all(|problem| problem.code != "index-integer-no-range")
    );
}

#[test]
fn what_is_built_in_stays_known_and_a_newer_module_replaces_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = "IF-MIB DEFINITIONS ::= BEGIN IMPORTS MODULE-IDENTITY, OBJECT-TYPE, mib-2, Integer32 FROM SNMPv2-SMI;
        ifMIB MODULE-IDENTITY LAST-UPDATED \"@\" ORGANIZATION \"o\" CONTACT-INFO \"c\" DESCRIPTION \"d\"
        ::= { mib-2 31 }
        interfaces OBJECT IDENTIFIER ::= { mib-2 2 }
        ifNumber OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current DESCRIPTION \"from a file\"
        ::= { interfaces 1 } END";
    let description = |date: &str| {
        let text = text.replace('@', date);
        fs::write(directory.path().join("IF-MIB.txt"), text).expect("written");
        let words = compile(&options(directory.path()), |_| {})
            .expect("a module")
            .words;
        let mib = Mib::with_catalog(Catalog::from_words(words).expect("a catalog"));
        assert!(mib.named("ifDescr").is_some() && mib.named("sysDescr").is_some());
        let by_name = mib
            .named("ifNumber")
            .expect("known")
            .description()
            .map(str::to_owned);
        let by_oid = mib.object_at(&[1, 3, 6, 1, 2, 1, 2, 1]).expect("known");
        assert_eq!(by_oid.description(), by_name.as_deref());
        assert_eq!(mib.subtree(&[1, 3, 6, 1, 2, 1, 2, 1]).count(), 1);
        by_name
    };
    assert_eq!(description("199901010000Z"), None);
    assert_eq!(description("203001010000Z").as_deref(), Some("from a file"));
}

#[test]
fn of_two_files_with_a_module_that_of_the_first_directory_counts_and_then_the_newer() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |place: &str, date: &str, name: &str| {
        let path = directory.path().join(place);
        fs::create_dir_all(path.parent().expect("one")).expect("made");
        let text = format!(
            "TWICE-MIB DEFINITIONS ::= BEGIN IMPORTS MODULE-IDENTITY, enterprises FROM SNMPv2-SMI;
            {name} MODULE-IDENTITY LAST-UPDATED \"{date}\" ORGANIZATION \"o\" CONTACT-INFO \"c\" DESCRIPTION \"d\"
            ::= {{ enterprises 32473 9 }} END"
        );
        fs::write(path, text).expect("written");
    };
    write("a/one", "9901010000Z", "older");
    write("a/two", "200001010000Z", "newer");
    write("b/three", "202001010000Z", "newest");
    let known = |first: &str, second: &str| {
        let options = CompileOptions {
            directories: vec![directory.path().join(first), directory.path().join(second)],
            is_recursive: true,
            is_permissive: false,
        };
        let words = compile(&options, |_| {}).expect("a module").words;
        let mib = Mib::with_catalog(Catalog::from_words(words).expect("a catalog"));
        let object = mib.object_at(&[1, 3, 6, 1, 4, 1, 32473, 9]).expect("known");
        object.name().to_owned()
    };
    assert_eq!(known("a", "b"), "newer");
    assert_eq!(known("b", "a"), "newest");
}

#[test]
fn a_search_path_keeps_its_catalog_until_something_changes() {
    let directory = tempfile::tempdir().expect("a directory");
    let (mibs, cache) = (
        directory.path().join("mibs"),
        directory.path().join("cache"),
    );
    fs::create_dir(&mibs).expect("made");
    let copy = |name: &str| fs::copy(modules().join(name), mibs.join(name)).expect("copied");
    copy("VARBIND-OLD-MIB.txt");
    let path = SearchPath::usual(None).with_list(mibs.to_str().expect("UTF-8"));
    let find = || {
        let mut reads = 0;
        let found = path
            .catalog(Some(&cache), |_| reads += 1)
            .expect("a catalog");
        (
            Mib::with_catalog(found.catalog.expect("there is one")),
            reads,
        )
    };
    assert_eq!(find().1, 1);
    assert_eq!(find().1, 0);
    copy("VARBIND-EXAMPLE-MIB.txt");
    let (mib, reads) = find();
    assert_eq!(reads, 1);
    assert!(mib.named("exampleMore").is_some());
    fs::write(mibs.join("VARBIND-OLD-MIB.txt"), "").expect("changed in place");
    let (mib, reads) = find();
    assert_eq!(reads, 1);
    assert!(mib.named("oldGauge").is_none());
    let kept: Vec<_> = fs::read_dir(&cache).expect("made").flatten().collect();
    assert_eq!(kept.len(), 1);
    fs::write(kept[0].path(), "vbnames\nnonsense").expect("damaged");
    assert_eq!(find().1, 1);
    assert_eq!(find().1, 0);
}

#[test]
fn a_search_path_without_directories_is_an_error_only_if_it_was_chosen() {
    let nowhere = SearchPath::usual(Some(Path::new("/nonexistent")))
        .with_list("/nonexistent/a:/nonexistent/b");
    assert!(matches!(
        nowhere.catalog(None, |_| {}),
        Err(SearchPathError::NoDirectory(_))
    ));
    let nothing = SearchPath::usual(None).with_list("");
    assert!(
        nothing
            .catalog(None, |_| {})
            .expect("nothing wanted")
            .catalog
            .is_none()
    );
    let lists = |list: &str| {
        let path = SearchPath::usual(None).with_list("/a").with_list(list);
        let names: Vec<_> = path
            .directories()
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        names.join(":")
    };
    assert_eq!(lists("/b:/c"), "/b:/c");
    assert_eq!(lists("+/b"), "/a:/b");
    assert_eq!(lists("-/b"), "/b:/a");
}

/// Asks for everything that can be asked for.
fn use_all_of(mib: &Mib) -> usize {
    let mut seen = 0;
    let catalog = mib.catalog().expect("there is one");
    for module in catalog.modules() {
        seen += module.name().len() + module.description().len();
    }
    let roots = [[0], [1], [2]];
    for object in roots.iter().flat_map(|root| mib.subtree(root)).take(5000) {
        seen += object.name().len() + object.description().map_or(0, str::len);
        seen += object.notification_objects().len() + object.units().map_or(0, str::len);
        if let Some(index) = object.index() {
            seen += index
                .show(&[1, 2, 3, 4, 5, 6, 7, 8])
                .map_or(0, |shown| shown.len());
        }
        if let Some(syntax) = object.syntax() {
            seen += syntax.named_numbers().iter().take(1000).count();
            seen += syntax.ranges().iter().take(1000).count();
            seen += syntax.name_of(1).map_or(0, str::len);
        }
        seen += usize::from(mib.object(object.oid()).is_some());
    }
    for name in [
        "exampleStatus.1",
        "oldText.7",
        "brokenGood.0",
        "Temperature",
        "ifDescr.1",
    ] {
        seen += usize::from(mib.resolve(name).is_ok());
        seen += usize::from(mib.textual_convention(name).is_some());
        seen += usize::from(mib.table(name).is_ok());
    }
    seen
}

proptest! {
    #[test]
    fn a_damaged_catalog_does_no_harm(damage in vec((any::<Place>(), any::<u32>()), 1..40)) {
        let mut words = compiled().words.clone();
        for (place, word) in damage {
            *place.get_mut(&mut words) = word;
        }
        if let Ok(catalog) = Catalog::from_words(words) {
            use_all_of(&Mib::with_catalog(catalog));
        }
    }

    #[test]
    fn small_numbers_in_a_catalog_do_no_harm(damage in vec((any::<Place>(), 0_u32..2000), 1..40)) {
        let mut words = compiled().words.clone();
        for (place, word) in damage {
            *place.get_mut(&mut words) = word;
        }
        if let Ok(catalog) = Catalog::from_words(words) {
            use_all_of(&Mib::with_catalog(catalog));
        }
    }

    #[test]
    fn a_damaged_module_does_no_harm(
        which in any::<Place>(),
        damage in vec((any::<Place>(), any::<u8>(), any::<Place>(), 0_usize..200), 1..8),
    ) {
        let names = ["VARBIND-EXAMPLE-MIB.txt", "VARBIND-OLD-MIB.txt", "VARBIND-CYCLE-MIB.txt"];
        let mut text = fs::read(modules().join(which.get(&names))).expect("it is there");
        for (place, octet, from, length) in damage {
            // An octet changes, and a piece comes again where it does not belong.
            *place.get_mut(&mut text) = octet;
            let from = from.index(text.len());
            let piece = text[from..text.len().min(from + length)].to_vec();
            let at = place.index(text.len());
            text.splice(at..at, piece);
        }
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join("module"), text).expect("written");
        if let Ok(compilation) = compile(&options(directory.path()), |_| {}) {
            let catalog = Catalog::from_words(compilation.words).expect("a catalog");
            use_all_of(&Mib::with_catalog(catalog));
        }
    }

    #[test]
    fn a_truncated_catalog_is_an_error(length in any::<Place>()) {
        let words = &compiled().words;
        let shorter = words[..length.index(words.len())].to_vec();
        let error = Catalog::from_words(shorter).map(|_| ()).expect_err("too short");
        prop_assert!(matches!(error, CatalogError::Damaged | CatalogError::NotACatalog));
    }
}

#[test]
fn files_that_are_no_catalog_are_refused_with_a_reason() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("file");
    let refused = |content: &[u8]| {
        fs::write(&path, content).expect("written");
        Catalog::open(&path)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let no_catalog = "it is no catalog of MIB modules; make one with varbind mib compile";
    assert_eq!(
        refused(b"IF-MIB DEFINITIONS")
            .as_ref()
            .map_err(String::as_str),
        Err(no_catalog)
    );
    assert_eq!(
        refused(b"").as_ref().map_err(String::as_str),
        Err(no_catalog)
    );
    compiled().write(&path).expect("written");
    let good = fs::read(&path).expect("there");
    Catalog::open(&path)
        .expect("a catalog")
        .verify()
        .expect("whole");
    assert!(
        refused(&good[..good.len() - 4])
            .expect_err("short")
            .contains("damaged")
    );
    assert!(
        refused(&good[..good.len() - 1])
            .expect_err("short")
            .contains("damaged")
    );
    let mut other = good.clone();
    other[8] ^= 0xff;
    assert!(
        refused(&other)
            .expect_err("version")
            .contains("another version")
    );
    let mut rotten = good;
    let last = rotten.len() - 200;
    rotten[last] ^= 1;
    fs::write(&path, rotten).expect("written");
    let catalog = Catalog::open(&path).expect("its header is right");
    assert!(matches!(catalog.verify(), Err(CatalogError::Damaged)));
    assert!(use_all_of(&Mib::with_catalog(catalog)) > 0);
}

#[test]
fn what_is_imported_from_a_module_that_is_built_in_needs_no_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = "LONELY-MIB DEFINITIONS ::= BEGIN
        IMPORTS OBJECT-TYPE, Integer32, enterprises FROM SNMPv2-SMI
            DisplayString FROM RFC1213-MIB ifIndex, ifEntry, InterfaceIndex FROM IF-MIB
            InetAddress, InetAddressType FROM INET-ADDRESS-MIB SnmpAdminString FROM SNMP-FRAMEWORK-MIB;
        lonely OBJECT IDENTIFIER ::= { enterprises 32473 8 }
        lonelyTable OBJECT-TYPE SYNTAX SEQUENCE OF LonelyEntry MAX-ACCESS not-accessible STATUS current
            DESCRIPTION \"d\" ::= { lonely 1 }
        lonelyEntry OBJECT-TYPE SYNTAX LonelyEntry MAX-ACCESS not-accessible STATUS current
            DESCRIPTION \"d\" INDEX { ifIndex, lonelyType, lonelyAddress } ::= { lonelyTable 1 }
        LonelyEntry ::= SEQUENCE { lonelyType InetAddressType, lonelyAddress InetAddress, lonelyName SnmpAdminString }
        lonelyType OBJECT-TYPE SYNTAX InetAddressType MAX-ACCESS not-accessible STATUS current
            DESCRIPTION \"d\" ::= { lonelyEntry 1 }
        lonelyAddress OBJECT-TYPE SYNTAX InetAddress (SIZE (4|16)) MAX-ACCESS not-accessible STATUS current
            DESCRIPTION \"d\" ::= { lonelyEntry 2 }
        lonelyName OBJECT-TYPE SYNTAX SnmpAdminString MAX-ACCESS read-only STATUS current
            DESCRIPTION \"d\" ::= { lonelyEntry 3 }
        lonelyMoreTable OBJECT-TYPE SYNTAX SEQUENCE OF LonelyMoreEntry MAX-ACCESS not-accessible STATUS current
            DESCRIPTION \"d\" ::= { lonely 2 }
        lonelyMoreEntry OBJECT-TYPE SYNTAX LonelyMoreEntry MAX-ACCESS not-accessible STATUS current
            DESCRIPTION \"d\" AUGMENTS { ifEntry } ::= { lonelyMoreTable 1 }
        LonelyMoreEntry ::= SEQUENCE { lonelyText DisplayString }
        lonelyText OBJECT-TYPE SYNTAX DisplayString MAX-ACCESS read-only STATUS current
            DESCRIPTION \"d\" ::= { lonelyMoreEntry 1 }
        END";
    fs::write(directory.path().join("LONELY-MIB"), text).expect("written");
    let compilation = compile(&options(directory.path()), |_| {}).expect("a module");
    assert_eq!(compilation.problems, []);
    assert_eq!(compilation.modules, 1);
    let mib = Mib::with_catalog(Catalog::from_words(compilation.words).expect("a catalog"));
    let table = mib.table("lonelyTable").expect("a table");
    let shown = table.index().show(&[3, 1, 4, 192, 0, 2, 1]);
    let expected = ["3", "ipv4", "192.0.2.1"].map(str::to_owned);
    assert_eq!(shown.as_deref(), Some(&expected[..]));
    let more = mib.table("lonelyMoreTable").expect("a table");
    assert_eq!(
        Some(more.index()),
        mib.named("ifEntry").and_then(|row| row.index())
    );
    let name = mib.named("lonelyText").and_then(|object| object.syntax());
    assert_eq!(name.and_then(|syntax| syntax.display_hint()), Some("255a"));
}
