//! Modules to facts. Everything that knows the compiler `mib-rs` is here and below.

mod facts;
mod syntax;

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use mib_rs::{
    DiagnosticConfig, Language, LoadError, Loader, Mib, ReportingLevel, ResolverStrictness,
    Severity as TheirSeverity, Source, SourceCandidate, SourceOrigin,
};

use super::definition::ModuleFacts;
use super::files::Files;
use super::problem::{Problem, Severity};
use super::repeated::{repeated_definitions, without};
use super::standard;

/// The kinds of problems by which a module loses something.
const LOSSES: [&str; 16] = [
    "unexpected-character",
    "unterminated-string",
    "unterminated-hex-bin-string",
    "parse-error",
    "invalid-u32",
    "invalid-i64",
    "import-not-found",
    IMPORT_MODULE_NOT_FOUND,
    "type-unknown",
    "type-cycle",
    "oid-orphan",
    "oid-recursive",
    "trap-number-overflow",
    "index-unresolved",
    "objects-unresolved",
    "primitive-type-missing",
];

/// The rules of RFC 2578 section 7.7 for numbers in an index. SMIv1 does not have them, and nothing is lost by a breach.
const INDEX_RULES: [&str; 2] = ["index-integer-no-range", "index-negative-range"];

fn is_smi_v1(mib: &Mib, module: &str) -> bool {
    mib.module(module)
        .is_some_and(|module| module.language() == Language::SMIv1)
}

/// A module that is imported is not there: most other losses follow from this.
pub(super) const IMPORT_MODULE_NOT_FOUND: &str = "import-module-not-found";

/// What is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// What a module loses something by.
    Losses,
    /// Everything that breaks a rule.
    Everything,
}

/// How much is made of references to what is not imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) is_permissive: bool,
    pub(super) report: Report,
}

/// Reads modules, with those that they import.
pub(super) fn load(
    files: &Arc<Files>,
    names: &[String],
    settings: Settings,
) -> (Vec<ModuleFacts>, Vec<Problem>) {
    let mut wanted = names.to_vec();
    let mut problems = Vec::new();
    // A round that does not succeed makes fewer modules wanted.
    while !wanted.is_empty() {
        let failure = match load_once(files, &wanted, settings) {
            Ok(mib) => {
                let names: HashSet<&str> = wanted.iter().map(String::as_str).collect();
                append_problems(&mib, &names, settings.report, &mut problems);
                let modules = wanted.iter().filter_map(|name| facts::module(&mib, name));
                return (modules.collect(), problems);
            }
            Err(failure) => failure,
        };
        match failure {
            LoadError::MissingModules(missing) if !missing.is_empty() => {
                for name in &missing {
                    let reason = "the file looks as if it had this module, but it has not";
                    problems.push(problem_of(files, name, reason));
                }
                let before = wanted.len();
                wanted.retain(|name| !missing.contains(name));
                if wanted.len() < before {
                    continue;
                }
                return (Vec::new(), problems);
            }
            failure if wanted.len() == 1 => {
                let text = match &failure {
                    LoadError::Io(error) => error.to_string(),
                    other => other.to_string(),
                };
                problems.extend(wanted.iter().map(|name| problem_of(files, name, &text)));
                return (Vec::new(), problems);
            }
            // One of them spoils the others: each by itself.
            _ => return load_each(files, &wanted, settings, problems),
        }
    }
    (Vec::new(), problems)
}

fn load_each(
    files: &Arc<Files>,
    names: &[String],
    settings: Settings,
    mut problems: Vec<Problem>,
) -> (Vec<ModuleFacts>, Vec<Problem>) {
    let mut modules = Vec::new();
    for name in names {
        let (found, more) = load(files, std::slice::from_ref(name), settings);
        modules.extend(found);
        problems.extend(more);
    }
    (modules, problems)
}

fn load_once(files: &Arc<Files>, names: &[String], settings: Settings) -> Result<Mib, LoadError> {
    let mut config = DiagnosticConfig::for_reporting(match settings.report {
        Report::Losses => ReportingLevel::Quiet,
        Report::Everything => ReportingLevel::Verbose,
    });
    config.fail_at = TheirSeverity::Fatal;
    let strictness = if settings.is_permissive {
        ResolverStrictness::Permissive
    } else {
        ResolverStrictness::Normal
    };
    Loader::new()
        .source(Box::new(FilesSource(Arc::clone(files))))
        .modules(names)
        .diagnostic_config(config)
        .resolver_strictness(strictness)
        .load()
}

struct FilesSource(Arc<Files>);

impl Source for FilesSource {
    fn find(&self, name: &str) -> io::Result<Option<SourceCandidate>> {
        self.find_candidates(name).next().transpose()
    }

    fn find_candidates<'a>(
        &'a self,
        name: &'a str,
    ) -> Box<dyn Iterator<Item = io::Result<SourceCandidate>> + 'a> {
        // A file that cannot be read any more is passed over.
        let files = self.0.files_of(name).filter_map(|(file, path)| {
            let content = std::fs::read(path).ok()?;
            let repeated = repeated_definitions(&content);
            let content = without(content, &repeated);
            Some(Ok(SourceCandidate::new(
                file.to_string(),
                SourceOrigin::file(path),
                path.to_string_lossy().into_owned(),
                content,
            )))
        });
        let builtin = std::iter::once_with(move || {
            let text = standard::text(name)?;
            let origin = SourceOrigin::custom("built in", name);
            let candidate = SourceCandidate::new(name, origin, name, text.into_bytes());
            Some(Ok(candidate))
        });
        Box::new(files.chain(builtin.flatten()))
    }

    fn list_modules(&self) -> io::Result<Vec<String>> {
        Ok(self.0.module_names().map(str::to_owned).collect())
    }
}

fn problem_of(files: &Files, module: &str, text: &str) -> Problem {
    Problem {
        file: files
            .files_of(module)
            .next()
            .map_or_else(PathBuf::new, |(_, path)| path.to_owned()),
        place: None,
        severity: Severity::Error,
        code: "unreadable-module",
        module: module.to_owned(),
        message: text.to_owned(),
    }
}

/// Appends what is told of these modules.
fn append_problems(
    mib: &Mib,
    modules: &HashSet<&str>,
    wanted: Report,
    problems: &mut Vec<Problem>,
) {
    let report = mib.diagnostic_report();
    for entry in report.iter() {
        let diagnostic = entry.diagnostic();
        let module = diagnostic.module.clone().unwrap_or_default();
        if !module.is_empty() && !modules.contains(module.as_str()) {
            continue;
        }
        let code = diagnostic.code;
        if module.is_empty() && diagnostic.range.is_none() {
            continue;
        }
        let is_index_rule = INDEX_RULES.contains(&code.as_code());
        if is_index_rule && is_smi_v1(mib, &module) {
            continue;
        }
        let is_loss = LOSSES.contains(&code.as_code());
        if wanted == Report::Losses && !is_loss {
            continue;
        }
        let range = entry.range().ok().flatten();
        let positions = entry.byte_positions().ok().flatten();
        problems.push(Problem {
            file: range.map_or_else(PathBuf::new, |(source, _)| PathBuf::from(source.label())),
            place: positions.map(|(start, _)| {
                (
                    start.line().saturating_add(1),
                    start.column().saturating_add(1),
                )
            }),
            severity: match diagnostic.severity {
                _ if is_index_rule => Severity::Warning,
                TheirSeverity::Fatal | TheirSeverity::Severe | TheirSeverity::Error => {
                    Severity::Error
                }
                TheirSeverity::Minor | TheirSeverity::Warning => Severity::Warning,
                TheirSeverity::Style | TheirSeverity::Info => Severity::Note,
            },
            code: code.as_code(),
            module,
            message: diagnostic.message.clone(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::CATALOG;
    use crate::compile::definition::SyntaxFacts;

    /// What the front makes of the text of a built-in module is what the text was made of.
    #[test]
    fn modules_that_are_built_in_survive_as_text() {
        let files = Arc::new(Files::default());
        let settings = Settings {
            is_permissive: false,
            report: Report::Losses,
        };
        for module in CATALOG.modules() {
            let Some(text) = standard::text(module.name()) else {
                continue;
            };
            let names = [module.name().to_owned()];
            let (read, problems) = load(&files, &names, settings);
            assert_eq!(problems, [], "{text}");
            let read = read.first().expect("one module");
            let all: Vec<_> = CATALOG.objects_of(module.name()).collect();
            assert_eq!(read.objects.len(), all.len(), "{module:?}");
            for expected in all {
                let mut objects = read.objects.iter();
                let object = objects.find(|object| object.name == expected.name());
                let object = object.expect("each object");
                assert_eq!(object.arcs, expected.oid(), "{expected:?}");
                assert_eq!(object.kind, expected.kind(), "{expected:?}");
                assert_eq!(object.access, expected.access(), "{expected:?}");
                assert_eq!(object.notification_objects, expected.notification_objects());
                let facts = expected.syntax().map(facts_of);
                assert_eq!(object.syntax, facts, "{expected:?}");
                let parts = expected
                    .index()
                    .into_iter()
                    .flat_map(|index| index.parts().iter());
                let parts: Vec<_> = parts
                    .map(|part| {
                        (
                            part.name().to_owned(),
                            facts_of(part.syntax()),
                            part.is_implied(),
                        )
                    })
                    .collect();
                let index = object.index.iter();
                let index: Vec<_> = index
                    .map(|part| (part.name.clone(), part.syntax.clone(), part.is_implied))
                    .collect();
                assert_eq!(index, parts, "{expected:?}");
            }
        }
    }

    fn facts_of(syntax: crate::syntax::Syntax<'_>) -> SyntaxFacts {
        let names = syntax.named_numbers().iter();
        SyntaxFacts {
            base: syntax.base(),
            convention: syntax.textual_convention().unwrap_or_default().to_owned(),
            hint: syntax.display_hint().unwrap_or_default().to_owned(),
            ranges: syntax.ranges().to_vec(),
            named_numbers: names
                .map(|(name, number)| (name.to_owned(), number))
                .collect(),
        }
    }
}
