//! `snmp.yml` from `generator.yml` and MIB modules, as snmp_exporter's generator makes it.

mod document;
mod error;
mod generation;
mod kinds;
mod lookups;
mod metric;
mod names;
mod written;

use std::fs;
use std::path::{Path, PathBuf};

use varbind_mib::Mib;

pub use error::{GenerateError, GenerationProblem};

use self::document::Generator;
use self::generation::{Generation, Located, line};
use self::names::Names;
use super::ModuleConfiguration;
use super::document::Document;
use super::error::Error;

/// Generated modules and auths.
#[derive(Debug)]
pub struct Generated {
    pub(super) document: Document,
    /// Omissions, each with file, line and reason.
    pub warnings: Vec<String>,
}

impl Generated {
    /// Generates the modules of a file, with the objects of MIB modules.
    ///
    /// # Errors
    /// What is wrong with the file, and on which line.
    pub fn read(path: &Path, mib: &Mib) -> Result<Self, GenerateError> {
        let text = fs::read_to_string(path).map_err(|source| GenerateError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::new(&text, Some(path), mib)
    }

    /// Generates the modules of a text.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(text: &str, mib: &Mib) -> Result<Self, GenerateError> {
        Self::new(text, None, mib)
    }

    fn new(text: &str, path: Option<&Path>, mib: &Mib) -> Result<Self, GenerateError> {
        let path: Option<PathBuf> = path.map(Path::to_owned);
        let read: Result<Option<Generator>, _> = serde_saphyr::from_str(text);
        let generator = read.map_err(|error| GenerateError::Yaml {
            path: path.clone(),
            // A snippet could show secrets.
            problem: error.without_snippet().to_string(),
        })?;
        let generator = generator.unwrap_or_default();
        let names = Names::new(mib);
        let mut document = Document {
            version: generator.version,
            ..Document::default()
        };
        let mut warnings = Vec::new();
        for (name, module) in &generator.modules {
            let mut generation = Generation::new(&names, &module.value);
            let generated = generation.run().map_err(|Located(line, problem)| {
                let (path, module) = (path.clone(), name.clone());
                GenerateError::Module {
                    path,
                    line,
                    module,
                    problem: Box::new(problem),
                }
            })?;
            document.modules.insert(name.clone(), generated);
            let file = error::file(path.as_ref());
            for Located(line, text) in generation.warnings {
                warnings.push(format!("{file}line {line}: module {name}: {text}"));
            }
        }
        let auths = generator.auths.iter();
        let auths = auths.map(|(name, auth)| (name.clone(), auth.value.clone()));
        document.auths = auths.collect();
        ModuleConfiguration::new(document.clone(), false).map_err(|source| {
            let line = match &source {
                Error::Auth { name, .. } => generator.auths.get(name).map(line),
                Error::Module { module, .. } => generator.modules.get(module).map(line),
                _ => None,
            };
            let (path, line) = (path.clone(), line.unwrap_or(1));
            let source = Box::new(source);
            GenerateError::Unusable { path, line, source }
        })?;
        Ok(Self { document, warnings })
    }

    /// How many modules there are.
    #[must_use]
    pub fn modules(&self) -> usize {
        self.document.modules.len()
    }

    /// How many metrics all modules have.
    #[must_use]
    pub fn metrics(&self) -> usize {
        let modules = self.document.modules.values();
        modules
            .map(|module| module.metrics.as_ref().map_or(0, Vec::len))
            .sum()
    }

    /// The modules and auths, compiled.
    ///
    /// # Errors
    /// As [`ModuleConfiguration::load`].
    pub fn into_configuration(self, expand: bool) -> Result<ModuleConfiguration, Error> {
        ModuleConfiguration::new(self.document, expand)
    }

    /// The text of `snmp.yml`, including communities and passwords.
    ///
    /// # Errors
    /// When it cannot be written as YAML.
    pub fn to_yaml(&self) -> Result<String, GenerateError> {
        written::yaml(&self.document).map_err(|error| GenerateError::Write(error.to_string()))
    }
}

#[cfg(test)]
mod tests;
