//! Modules to facts. Everything that knows the compiler `mib-rs` is in this file.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mib_rs::raw::Symbol;
use mib_rs::{
    DiagnosticConfig, DiagnosticReport, LoadError, Loader, Mib, ReportingLevel, ResolverStrictness,
    Severity as TheirSeverity, Source, SourceCandidate, SourceOrigin,
};

use super::definition::{ConventionFacts, IndexFacts, ModuleFacts, ObjectFacts, SyntaxFacts};
use super::files::{Files, with_century};
use super::problem::{Problem, Severity};
use crate::object::{Access, Kind, Status};
use crate::syntax::BaseType;

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
                append_problems(
                    &mib.diagnostic_report(),
                    &names,
                    settings.report,
                    &mut problems,
                );
                let modules = wanted.iter().filter_map(|name| module(&mib, name));
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
        Box::new(self.0.files_of(name).filter_map(|(file, path)| {
            let content = std::fs::read(path).ok()?;
            Some(Ok(SourceCandidate::new(
                file.to_string(),
                SourceOrigin::file(path),
                path.to_string_lossy().into_owned(),
                content,
            )))
        }))
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
    report: &DiagnosticReport,
    modules: &HashSet<&str>,
    wanted: Report,
    problems: &mut Vec<Problem>,
) {
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

fn module(mib: &Mib, name: &str) -> Option<ModuleFacts> {
    let handle = mib.module(name)?;
    let raw = mib.raw();
    let data = raw
        .modules_slice()
        .iter()
        .find(|data| data.name() == name)?;
    let mut facts = ModuleFacts {
        name: name.to_owned(),
        is_smi_v1: handle.language() == mib_rs::Language::SMIv1,
        file: handle
            .source_label()
            .map_or_else(PathBuf::new, |label| Path::new(label).to_owned()),
        last_updated: with_century(handle.last_updated()),
        organization: handle.organization().to_owned(),
        contact_info: handle.contact_info().to_owned(),
        description: handle.description().to_owned(),
        objects: Vec::new(),
        conventions: Vec::new(),
    };
    for symbol in data.definitions() {
        match symbol {
            Symbol::Type(id) => facts.conventions.extend(convention(mib.type_by_id(id))),
            symbol => facts.objects.extend(object(mib, symbol)),
        }
    }
    facts.objects.extend(data.identities().iter().map(identity));
    Some(facts)
}

/// An object without what only some kinds have.
fn plain(name: &str, arcs: &[u32], kind: Kind, macro_name: &'static str) -> ObjectFacts {
    ObjectFacts {
        name: name.to_owned(),
        arcs: arcs.to_vec(),
        kind,
        macro_name,
        access: None,
        status: None,
        syntax: None,
        units: String::new(),
        description: String::new(),
        reference: String::new(),
        default_value: String::new(),
        augments: String::new(),
        index: Vec::new(),
        notification_objects: Vec::new(),
    }
}

fn object(mib: &Mib, symbol: Symbol) -> Option<ObjectFacts> {
    let node = mib.node_by_id(symbol.node(mib)?);
    let arcs: &[u32] = node.oid();
    if arcs.is_empty() {
        return None;
    }
    let name = symbol.name(mib);
    let documented = |mut facts: ObjectFacts, status, description: &str, reference: &str| {
        facts.status = Some(status_of(status));
        facts.description = description.to_owned();
        facts.reference = reference.to_owned();
        Some(facts)
    };
    match symbol {
        Symbol::Object(id) => Some(object_type(mib.object_by_id(id), arcs)),
        Symbol::Notification(id) => {
            let handle = mib.notification_by_id(id);
            let is_trap = handle.trap_info().is_some();
            let macro_name = if is_trap {
                "TRAP-TYPE"
            } else {
                "NOTIFICATION-TYPE"
            };
            let mut facts = plain(name, arcs, Kind::Notification, macro_name);
            let objects = handle.objects().map(|object| object.name().to_owned());
            facts.notification_objects = objects.collect();
            documented(
                facts,
                handle.status(),
                handle.description(),
                handle.reference(),
            )
        }
        Symbol::Group(id) => {
            let handle = mib.group_by_id(id);
            let macro_name = if handle.is_notification_group() {
                "NOTIFICATION-GROUP"
            } else {
                "OBJECT-GROUP"
            };
            let facts = plain(name, arcs, Kind::Node, macro_name);
            documented(
                facts,
                handle.status(),
                handle.description(),
                handle.reference(),
            )
        }
        Symbol::Compliance(id) => {
            let handle = mib.compliance_by_id(id);
            let facts = plain(name, arcs, Kind::Node, "MODULE-COMPLIANCE");
            documented(
                facts,
                handle.status(),
                handle.description(),
                handle.reference(),
            )
        }
        Symbol::Capability(id) => {
            let handle = mib.capability_by_id(id);
            let facts = plain(name, arcs, Kind::Node, "AGENT-CAPABILITIES");
            documented(
                facts,
                handle.status(),
                handle.description(),
                handle.reference(),
            )
        }
        _ => None,
    }
}

/// What only has a name and a place. These are told for each module, also where others are preferred.
fn identity(of: &mib_rs::ModuleIdentityData) -> ObjectFacts {
    use mib_rs::ModuleIdentityKind;
    let macro_name = match of.kind() {
        ModuleIdentityKind::ModuleIdentity => "MODULE-IDENTITY",
        ModuleIdentityKind::ObjectIdentity => "OBJECT-IDENTITY",
        ModuleIdentityKind::ObjectIdentifier => "OBJECT IDENTIFIER",
    };
    let mut facts = plain(of.name(), of.oid(), Kind::Node, macro_name);
    facts.status = of.status().map(status_of);
    facts.description = of.description().to_owned();
    facts.reference = of.reference().to_owned();
    facts
}

fn object_type(object: mib_rs::Object<'_>, arcs: &[u32]) -> ObjectFacts {
    let has_value = !matches!(
        object.declared_kind(),
        mib_rs::Kind::Table | mib_rs::Kind::Row
    );
    let syntax = if has_value {
        syntax_of_object(object)
    } else {
        None
    };
    let kind = match object.declared_kind() {
        mib_rs::Kind::Table => Kind::Table,
        mib_rs::Kind::Row => Kind::Row,
        _ if syntax.is_none() => Kind::Node,
        mib_rs::Kind::Column => Kind::Column,
        _ => Kind::Scalar,
    };
    let mut facts = plain(object.name(), arcs, kind, "OBJECT-TYPE");
    facts.access = matches!(kind, Kind::Scalar | Kind::Column).then(|| access(object.access()));
    facts.status = Some(status_of(object.status()));
    facts.syntax = syntax;
    facts.units = object.units().to_owned();
    facts.description = object.description().to_owned();
    facts.reference = object.reference().to_owned();
    let default = object.default_value().filter(|value| !value.is_unset());
    facts.default_value = default.map_or_else(String::new, |value| value.raw().to_owned());
    if kind == Kind::Row {
        let augments = object.augments().map(mib_rs::Object::name);
        facts.augments = augments.unwrap_or_default().to_owned();
        facts.index = object.effective_indexes().filter_map(index_part).collect();
    }
    facts
}

fn index_part(index: mib_rs::Index<'_>) -> Option<IndexFacts> {
    let syntax = match index.object() {
        Some(object) => syntax_of_object(object),
        None => index.ty().and_then(syntax_of_type),
    };
    Some(IndexFacts {
        name: index.name().to_owned(),
        syntax: syntax?,
        is_implied: index.implied(),
    })
}

fn convention(of: mib_rs::Type<'_>) -> Option<ConventionFacts> {
    let mut syntax = syntax_of_type(of)?;
    // Its own name says nothing; that of the one it refines does.
    syntax.convention = of.parent().map_or_else(String::new, convention_name);
    Some(ConventionFacts {
        name: of.name().to_owned(),
        status: of.is_textual_convention().then(|| status_of(of.status())),
        syntax,
        description: of.description().to_owned(),
        reference: of.reference().to_owned(),
    })
}

fn syntax_of_object(object: mib_rs::Object<'_>) -> Option<SyntaxFacts> {
    let of = object.ty()?;
    let base = base_type(of.effective_base())?;
    Some(SyntaxFacts {
        base,
        convention: convention_name(of),
        hint: object.effective_display_hint().to_owned(),
        ranges: ranges(base, object.effective_sizes(), object.effective_ranges()),
        named_numbers: named_numbers(base, object.effective_enums(), object.effective_bits()),
    })
}

fn syntax_of_type(of: mib_rs::Type<'_>) -> Option<SyntaxFacts> {
    let base = base_type(of.effective_base())?;
    Some(SyntaxFacts {
        base,
        convention: convention_name(of),
        hint: of.effective_display_hint().to_owned(),
        ranges: ranges(base, of.effective_sizes(), of.effective_ranges()),
        named_numbers: named_numbers(base, of.effective_enums(), of.effective_bits()),
    })
}

/// The name of the first type that is not one of SMI itself.
fn convention_name(of: mib_rs::Type<'_>) -> String {
    let mut at = Some(of);
    while let Some(of) = at {
        let is_of_smi = of.module().is_none_or(|module| {
            matches!(module.name(), "SNMPv2-SMI" | "RFC1155-SMI" | "RFC1065-SMI")
        });
        if !of.name().is_empty() && !is_of_smi {
            return of.name().to_owned();
        }
        at = of.parent();
    }
    String::new()
}

fn ranges(
    base: BaseType,
    sizes: &[mib_rs::mib::Range],
    values: &[mib_rs::mib::Range],
) -> Vec<(i64, i64)> {
    use mib_rs::mib::RangeBound;
    let bound = |bound: &RangeBound| match bound {
        RangeBound::Signed(number) => Some(*number),
        RangeBound::Unsigned(number) => Some(i64::try_from(*number).unwrap_or(i64::MAX)),
        RangeBound::Min => Some(i64::MIN),
        RangeBound::Max => Some(i64::MAX),
        RangeBound::Raw(_) => None,
    };
    let all = match base {
        BaseType::OctetString | BaseType::Opaque => sizes,
        BaseType::Bits | BaseType::ObjectIdentifier | BaseType::IpAddress => &[],
        _ => values,
    };
    let known = all
        .iter()
        .map(|range| Some((bound(&range.min)?, bound(&range.max)?)));
    // What is not known in full restricts nothing.
    known.collect::<Option<_>>().unwrap_or_default()
}

fn named_numbers(
    base: BaseType,
    enumeration: &[mib_rs::mib::NamedValue],
    bits: &[mib_rs::mib::NamedValue],
) -> Vec<(String, i32)> {
    let all = if base == BaseType::Bits {
        bits
    } else {
        enumeration
    };
    all.iter()
        .filter_map(|value| Some((value.label.clone(), i32::try_from(value.value).ok()?)))
        .collect()
}

const fn base_type(base: mib_rs::BaseType) -> Option<BaseType> {
    Some(match base {
        mib_rs::BaseType::Integer32 => BaseType::Integer32,
        mib_rs::BaseType::Unsigned32 => BaseType::Unsigned32,
        mib_rs::BaseType::Counter32 => BaseType::Counter32,
        mib_rs::BaseType::Counter64 => BaseType::Counter64,
        mib_rs::BaseType::Gauge32 => BaseType::Gauge32,
        mib_rs::BaseType::TimeTicks => BaseType::TimeTicks,
        mib_rs::BaseType::IpAddress => BaseType::IpAddress,
        mib_rs::BaseType::OctetString => BaseType::OctetString,
        mib_rs::BaseType::ObjectIdentifier => BaseType::ObjectIdentifier,
        mib_rs::BaseType::Bits => BaseType::Bits,
        mib_rs::BaseType::Opaque => BaseType::Opaque,
        _ => return None,
    })
}

const fn access(access: mib_rs::Access) -> Access {
    match access {
        mib_rs::Access::AccessibleForNotify => Access::AccessibleForNotify,
        mib_rs::Access::ReadOnly => Access::ReadOnly,
        // RFC 1155 has write-only; nothing is.
        mib_rs::Access::ReadWrite | mib_rs::Access::WriteOnly => Access::ReadWrite,
        mib_rs::Access::ReadCreate => Access::ReadCreate,
        _ => Access::NotAccessible,
    }
}

const fn status_of(status: mib_rs::Status) -> Status {
    match status {
        mib_rs::Status::Deprecated => Status::Deprecated,
        mib_rs::Status::Obsolete => Status::Obsolete,
        mib_rs::Status::Mandatory => Status::Mandatory,
        mib_rs::Status::Optional => Status::Optional,
        _ => Status::Current,
    }
}
