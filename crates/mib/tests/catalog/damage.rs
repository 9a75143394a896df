//! Damaged catalogs and modules.

use std::fs;

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::Index as Place;
use proptest::{prop_assert, proptest};

use varbind_mib::compile::compile;
use varbind_mib::{Catalog, CatalogError, Mib};

use crate::{compiled, modules, options};

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
    let no_catalog = "it is not a catalog of MIB modules; make one with varbind mib compile";
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
