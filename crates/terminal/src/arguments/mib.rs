//! The options for MIB modules.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use varbind_mib::compile::SearchPath;
use varbind_mib::{Catalog, Mib};

use crate::failure::Failure;
use crate::messages::report;
use crate::progress::ProgressMeter;

/// Where the modules are that names are taken from.
#[derive(Args, Debug)]
#[command(next_help_heading = "Names")]
pub struct MibArguments {
    /// Directories of MIB modules with colons between, or a catalog of varbind mib compile; + in front adds to the usual
    /// ones, - puts before them
    #[arg(short = 'M', long = "mib-directories", value_name = "DIRECTORIES")]
    directories: Option<String>,

    /// MIB modules that must be known, with colons between, or a warning is written; all that are found are used anyway,
    /// and none but those that are built in if this is empty
    #[arg(short = 'm', long = "modules", value_name = "MODULES")]
    modules: Option<String>,
}

impl MibArguments {
    /// These directories and modules.
    #[must_use]
    pub const fn of(directories: Option<String>, modules: Option<String>) -> Self {
        Self {
            directories,
            modules,
        }
    }

    /// What the options say, and where they say nothing, these.
    #[must_use]
    pub fn or(&self, directories: Option<&str>, modules: Option<&str>) -> Self {
        let or = |option: &Option<String>, other: Option<&str>| {
            option.clone().or_else(|| other.map(str::to_owned))
        };
        Self {
            directories: or(&self.directories, directories),
            modules: or(&self.modules, modules),
        }
    }

    /// The known names: those that are built in, and those of the first of these that there is: -M, MIBDIRS, what varbind
    /// mib compile has made, the usual directories.
    ///
    /// # Errors
    /// What cannot be read, of what was asked for.
    pub fn mib(&self) -> Result<Mib, Failure> {
        let from_environment = env::var("MIBS").ok();
        let modules = self.modules.as_deref().or(from_environment.as_deref());
        if modules.is_some_and(str::is_empty) {
            return Ok(Mib::builtin());
        }
        let mib = self.catalog()?.map_or_else(Mib::builtin, Mib::with_catalog);
        let asked = self.modules.as_deref().unwrap_or_default().split(':');
        for module in asked.map(|name| name.trim_start_matches(['+', '-'])) {
            if !matches!(module, "" | "ALL" | "all") && !mib.has_module(module) {
                // As Net-SNMP's tools, which go on: names of other modules are known all the same.
                report(format_args!(
                    "the MIB module {module} is not known{}; varbind mib list shows the known ones, -M names other directories",
                    did_you_mean(&mib.near_modules(module))
                ));
            }
        }
        Ok(mib)
    }

    fn catalog(&self) -> Result<Option<Catalog>, Failure> {
        let home = home();
        let from_environment = env::var("MIBDIRS").ok();
        let mut path = SearchPath::usual(home.as_deref());
        if let Some(list) = &from_environment {
            path = path.with_list(list);
        }
        if let Some(list) = &self.directories {
            if Path::new(list).is_file() {
                return open(Path::new(list)).map(Some);
            }
            path = path.with_list(list);
        } else if from_environment.is_none()
            && let Some(own) = own_catalog().filter(|path| path.is_file())
        {
            // A catalog that the user did not name must not make the command fail.
            return Ok(open(&own)
                .map_err(|failure| report(format_args!("{failure}")))
                .ok());
        }
        let mut meter = ProgressMeter::new();
        let found = path
            .catalog(cache().as_deref(), |progress| meter.show(progress))
            .map_err(|error| {
                Failure::Usage(format!(
                    "{error}; name others with -M or MIBDIRS, or compile a whole tree with varbind mib compile"
                ))
            })?;
        meter.end();
        let problems = found.problems.len();
        if problems > 0 && self.directories.is_some() {
            report(format_args!(
                "problems in MIB modules: {problems}; varbind mib compile lists them"
            ));
        }
        Ok(found.catalog)
    }
}

fn did_you_mean(near: &[String]) -> String {
    match near.first() {
        Some(near) => format!(", did you mean {near}?"),
        None => String::new(),
    }
}

fn open(path: &Path) -> Result<Catalog, Failure> {
    Catalog::open(path).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

fn home() -> Option<PathBuf> {
    directory("HOME")
}

fn directory(variable: impl AsRef<OsStr>) -> Option<PathBuf> {
    // The XDG specification: what is relative is to be ignored.
    env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// The directory of cached catalogs.
fn cache() -> Option<PathBuf> {
    let base = directory("XDG_CACHE_HOME").or_else(|| Some(home()?.join(".cache")));
    Some(base?.join("varbind"))
}

/// Where varbind mib compile writes to, if nothing else is said.
#[must_use]
pub fn own_catalog() -> Option<PathBuf> {
    let base = directory("XDG_DATA_HOME").or_else(|| Some(home()?.join(".local/share")));
    Some(base?.join("varbind/mibs.catalog"))
}
