//! Where modules come from: what is built in, files, and directories.

use std::fs;
use std::path::Path;

use varbind_mib::compile::{CompileOptions, SearchPath, SearchPathError, compile};
use varbind_mib::{Catalog, Mib};

use crate::{modules, options};

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
    let error = nowhere.catalog(None, |_| {}).expect_err("none is there");
    assert!(matches!(error, SearchPathError::NoDirectory(_)), "{error}");
    assert!(
        error
            .to_string()
            .ends_with(": /nonexistent/a, /nonexistent/b"),
        "{error}"
    );
    let empty = tempfile::tempdir().expect("a directory");
    let empty = SearchPath::of(vec![empty.path().to_owned()]);
    let error = empty.catalog(None, |_| {}).expect_err("no modules");
    let expected = format!(
        "{}: no file there has a MIB module",
        empty.directories()[0].display()
    );
    assert_eq!(error.to_string(), expected);
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

#[test]
fn imports_from_built_in_modules_need_no_file() {
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
