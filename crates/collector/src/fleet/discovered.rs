//! What a plan needs from elsewhere, as it was found the last time.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};

use varbind_mib::Mib;
use varbind_mib::compile::{SearchPath, SearchPathError};

use super::http_sd::{self, HttpSd, TargetGroup};

/// Labels that would set credentials or other settings.
const SETTING: &str = "__snmp_";

/// What was found the last time: targets stay while their server is away, and MIB modules are read again only when they have changed.
#[derive(Clone, Debug, Default)]
pub struct Discovered {
    by_url: HashMap<String, Vec<TargetGroup>>,
    /// The MIB modules that modules were generated with, and where they are.
    mib: Option<(SearchPath, Mib)>,
}

impl Discovered {
    /// The targets of a server at present, and why they are not fresh or complete.
    pub(super) fn targets(
        &mut self,
        file: &Path,
        server: &HttpSd,
    ) -> (Vec<TargetGroup>, Option<String>) {
        match http_sd::targets(file, server) {
            Ok(groups) => {
                let ignored = groups.iter().flat_map(|group| group.labels.keys());
                let ignored = ignored.clone().find(|label| label.starts_with(SETTING)).map(|label| {
                    format!(
                        "{}: the label {label} is ignored: servers of targets cannot set credentials, write auth or hosts.toml",
                        server.url
                    )
                });
                self.by_url.insert(server.url.clone(), groups.clone());
                (groups, ignored)
            }
            Err(why) => {
                let former = self.by_url.get(&server.url).cloned().unwrap_or_default();
                let count: usize = former.iter().map(|group| group.targets.len()).sum();
                let why = format!(
                    "{}: {why}; {count} targets of its last response stay",
                    server.url
                );
                (former, Some(why))
            }
        }
    }

    /// The objects of MIB modules in directories, or in the usual ones.
    pub(super) fn mib(&mut self, directories: &[PathBuf]) -> Result<Mib, SearchPathError> {
        let path = match directories {
            [] => SearchPath::usual(env::home_dir().as_deref()),
            directories => SearchPath::of(directories.to_vec()),
        };
        if let Some((known, mib)) = &self.mib
            && *known == path
            && mib.catalog().is_some_and(|catalog| path.is_fresh(catalog))
        {
            return Ok(mib.clone());
        }
        let catalog = path.catalog(None, |_| ())?.catalog;
        let mib = catalog.map_or_else(Mib::builtin, Mib::with_catalog);
        self.mib = Some((path, mib.clone()));
        Ok(mib)
    }
}
