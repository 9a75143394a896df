//! Installed packages, as dpkg keeps them.

use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::HostRoot;

const STATUS: &str = "var/lib/dpkg/status";
const FILES: &str = "var/lib/dpkg/info";
/// Behind what is wanted: a package that is held is installed too.
const INSTALLED: &str = " ok installed";

/// A package that is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) architecture: String,
    /// Whether the system does not work without it.
    pub(crate) is_essential: bool,
    /// When it was installed, in seconds since 1970.
    pub(crate) installed: Option<i64>,
}

/// The packages of a host, which are read again when dpkg has changed something.
#[derive(Default)]
pub(crate) struct Packages(Mutex<Option<Known>>);

struct Known {
    changed: SystemTime,
    packages: Arc<[Package]>,
}

impl Packages {
    /// All packages that are installed, by name. None where dpkg is not used.
    pub(crate) fn read(&self, root: &HostRoot) -> Arc<[Package]> {
        let changed = fs::metadata(root.path(STATUS)).and_then(|status| status.modified());
        let Ok(changed) = changed else {
            return Arc::default();
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref().filter(|known| known.changed == changed) {
            return Arc::clone(&known.packages);
        }
        let text = root.text(STATUS).unwrap_or_default();
        let mut found = parse_packages(&text);
        for package in &mut found {
            package.installed = installed(root, package);
        }
        let packages: Arc<[Package]> = found.into();
        *known = Some(Known {
            changed,
            packages: Arc::clone(&packages),
        });
        packages
    }
}

/// When the list of its files was written. The name has the architecture where several can be installed.
fn installed(root: &HostRoot, package: &Package) -> Option<i64> {
    let Package {
        name, architecture, ..
    } = package;
    let files = [
        format!("{FILES}/{name}.list"),
        format!("{FILES}/{name}:{architecture}.list"),
    ];
    let mut written = files.iter().filter_map(|file| {
        fs::metadata(root.path(file))
            .and_then(|list| list.modified())
            .ok()
    });
    let age = written.next()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(age.as_secs()).ok()
}

/// The paragraphs of dpkg's status file that are of installed packages, by name.
pub(crate) fn parse_packages(text: &str) -> Vec<Package> {
    let mut packages: Vec<_> = text.split("\n\n").filter_map(parse_package).collect();
    packages.sort_by(|a, b| (&a.name, &a.architecture).cmp(&(&b.name, &b.architecture)));
    packages
}

fn parse_package(paragraph: &str) -> Option<Package> {
    let mut package = Package::default();
    let mut is_installed = false;
    for line in paragraph.lines() {
        // Lines that go on with the one before begin with a space.
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim();
        match key {
            "Package" => package.name = value.to_owned(),
            "Version" => package.version = value.to_owned(),
            "Architecture" => package.architecture = value.to_owned(),
            "Essential" => package.is_essential = value == "yes",
            "Status" => is_installed = value.ends_with(INSTALLED),
            _ => {}
        }
    }
    (is_installed && !package.name.is_empty()).then_some(package)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "Package: zlib\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:1.2-3\n\
        Description: x\n Package: not this\n\nPackage: base\nEssential: yes\nStatus: hold ok installed\n\
        Version: 2\n\nPackage: gone\nStatus: deinstall ok config-files\nVersion: 1\n\nbroken\n";

    #[test]
    fn installed_packages_are_found() {
        let found = parse_packages(TEXT);
        let shown: Vec<_> = found
            .iter()
            .map(|one| {
                (
                    &*one.name,
                    &*one.version,
                    &*one.architecture,
                    one.is_essential,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [("base", "2", "", true), ("zlib", "1:1.2-3", "amd64", false)]
        );
    }

    #[test]
    fn they_are_read_again_when_they_change() {
        let directory = tempfile::tempdir().unwrap();
        let root = HostRoot::new(directory.path().to_owned());
        let packages = Packages::default();
        assert_eq!(packages.read(&root).len(), 0);
        fs::create_dir_all(root.path(FILES)).unwrap();
        fs::write(root.path(STATUS), TEXT).unwrap();
        fs::write(root.path(format!("{FILES}/zlib:amd64.list")), "").unwrap();
        let found = packages.read(&root);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].installed, found[1].installed.is_some()),
            (None, true)
        );
        assert!(Arc::ptr_eq(&found, &packages.read(&root)));
        let status = fs::File::create(root.path(STATUS)).unwrap();
        status.set_modified(UNIX_EPOCH).unwrap();
        assert_eq!(packages.read(&root).len(), 0);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "((Package|Status|Version|x): ?[a-z :]{0,9}\n?|\n\n|.){0,40}") {
            parse_packages(&text);
        }
    }
}
