//! What the compiler knows of a module, as facts.

use std::path::{Path, PathBuf};

use mib_rs::Mib;
use mib_rs::raw::Symbol;

use super::syntax::{convention_name, syntax_of_object, syntax_of_type};
use crate::clauses::{Access, Kind, Status};
use crate::compile::definition::{ConventionFacts, IndexFacts, ModuleFacts, ObjectFacts};
use crate::compile::files::with_century;

/// A module with what it defines.
pub(super) fn module(mib: &Mib, name: &str) -> Option<ModuleFacts> {
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
    let references = data
        .identities()
        .iter()
        .flat_map(mib_rs::ModuleIdentityData::oid_refs)
        .chain(handle.objects().flat_map(mib_rs::Object::oid_refs));
    for reference in references.filter(|reference| reference.module_id() == Some(handle.id())) {
        add_named_in_value(&mut facts, reference);
    }
    Some(facts)
}

/// Adds a name that is given inside the value of another: `ieee` of `{ org ieee(111) 4 }`.
fn add_named_in_value(facts: &mut ModuleFacts, reference: &mib_rs::mib::OidRef) {
    let is_known = facts
        .objects
        .iter()
        .any(|object| object.name == reference.name);
    if let (false, Some(oid)) = (is_known, reference.oid()) {
        let object = plain(&reference.name, oid, Kind::Node, "OBJECT IDENTIFIER");
        facts.objects.push(object);
    }
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
