//! Compiled modules: each name has the OBJECT IDENTIFIER that Net-SNMP knows.

use std::collections::BTreeSet;

use varbind_mib::compile::{CompileOptions, compile};
use varbind_mib::{Catalog, Mib, Object, dotted};
use varbind_testkit::peers::skip;

use crate::peer::{all_names, module_directories};

/// What Net-SNMP calls the point between an enterprise and the number of a trap of SMIv1, and what it has of itself.
fn is_made_up(name: &str) -> bool {
    name.ends_with("#")
        || name.starts_with("anonymous#")
        || matches!(name, "ccitt" | "iso" | "joint-iso-ccitt")
}

#[test]
fn every_name_of_a_directory_has_the_oid_that_snmptranslate_knows() {
    for directory in module_directories() {
        let options = CompileOptions {
            directories: vec![directory.clone()],
            is_recursive: false,
            is_permissive: false,
        };
        let compilation = compile(&options, |_| {}).expect("modules");
        let mib = Mib::with_catalog(Catalog::from_words(compilation.words).expect("a catalog"));
        let catalog = mib.catalog().expect("there is one");
        let ours: BTreeSet<(String, String)> = catalog
            .modules()
            .flat_map(|module| names_of(catalog, module.name()))
            .chain(builtin())
            .collect();
        let theirs = all_names(&directory);
        if theirs.is_empty() {
            // Debian ships some modules without those that they import.
            skip(&format!(
                "Net-SNMP knows nothing with {} alone",
                directory.display()
            ));
            continue;
        }
        let missing: Vec<&(String, String)> = theirs
            .iter()
            .filter(|(name, _)| !is_made_up(name))
            .filter(|pair| !ours.contains(*pair))
            .collect();
        println!(
            "{}: {} names, of which {} differ",
            directory.display(),
            theirs.len(),
            missing.len()
        );
        assert!(theirs.len() > 100);
        assert_eq!(
            missing,
            Vec::<&(String, String)>::new(),
            "{}",
            directory.display()
        );
    }
}

fn pair(object: Object<'_>) -> (String, String) {
    (object.name().to_owned(), dotted(object.oid()))
}

fn names_of(catalog: &Catalog, module: &str) -> Vec<(String, String)> {
    catalog.objects_of(module).map(pair).collect()
}

fn builtin() -> Vec<(String, String)> {
    let mib = Mib::builtin();
    let roots = [[0], [1], [2]];
    let objects = roots.iter().flat_map(|root| mib.subtree(root));
    objects.map(pair).collect()
}
