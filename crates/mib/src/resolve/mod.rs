//! Names as text to OBJECT IDENTIFIERs.

mod error;
mod instance;
mod parts;

pub use error::ResolveError;

use varbind_codec::smi::Oid;

use crate::clauses::Kind;
use crate::mib::Mib;
use crate::object::Object;
use parts::{Part, Parts};

pub(crate) fn resolve(mib: &Mib, text: &str) -> Result<Oid, ResolveError> {
    let trimmed = text.trim();
    let (module, path) = split_module(trimmed);
    let path = path.strip_prefix('.').unwrap_or(path);
    let mut parts = Parts::new(trimmed, path);
    let first = parts.next()?.ok_or(ResolveError::Empty)?;
    let mut arcs = first_arcs(mib, module, trimmed, &first)?;
    while let Some(object) = object_with_children(mib, &arcs) {
        let Some(part) = parts.next()? else { break };
        arcs.push(child_arc(mib, object, trimmed, &part)?);
    }
    if let Some(object) = mib.object_at(&arcs)
        && object.kind() == Kind::Column
    {
        instance::append_index(mib, object, &mut parts, &mut arcs)?;
    }
    while let Some(part) = parts.next()? {
        append_plain(trimmed, part, &mut arcs)?;
    }
    Oid::new(&arcs).map_err(|reason| ResolveError::NotAnOid {
        text: text.to_owned(),
        reason,
    })
}

/// `IF-MIB::ifDescr` or `IF-MIB:ifDescr`.
fn split_module(text: &str) -> (Option<&str>, &str) {
    match text.split_once(':') {
        Some((module, name)) if module.bytes().all(is_name_octet) && !module.is_empty() => {
            (Some(module), name.strip_prefix(':').unwrap_or(name))
        }
        _ => (None, text),
    }
}

const fn is_name_octet(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_')
}

fn first_arcs(
    mib: &Mib,
    module: Option<&str>,
    text: &str,
    first: &Part<'_>,
) -> Result<Vec<u32>, ResolveError> {
    let name = first.plain(text)?;
    if name.is_empty() || module.is_none() && name.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(vec![number(text, name)?]);
    }
    let found = match module {
        None => mib.named(name),
        Some(module) => mib.named_in(module, name),
    };
    if let Some(object) = found {
        return Ok(object.oid().to_vec());
    }
    let name = name.to_owned();
    let near = mib.near(&name);
    Err(match module {
        None => ResolveError::UnknownName { name, near },
        Some(module) if mib.modules().any(|known| known == module) => ResolveError::NotInModule {
            elsewhere: mib.named(&name).map(|object| object.module().to_owned()),
            module: module.to_owned(),
            name,
            near,
        },
        Some(module) => ResolveError::UnknownModule {
            module: module.to_owned(),
            near: mib.near_modules(module),
        },
    })
}

/// The object at `arcs`, if names of objects may follow.
fn object_with_children<'m>(mib: &'m Mib, arcs: &[u32]) -> Option<Object<'m>> {
    mib.object_at(arcs)
        .filter(|object| matches!(object.kind(), Kind::Node | Kind::Table | Kind::Row))
}

fn child_arc(
    mib: &Mib,
    parent: Object<'_>,
    text: &str,
    part: &Part<'_>,
) -> Result<u32, ResolveError> {
    let name = part.plain(text)?;
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return number(text, name);
    }
    let below = parent.oid().len() + 1;
    mib.subtree(parent.oid())
        .filter(|object| object.oid().len() == below)
        .find(|object| object.name() == name)
        .and_then(|object| object.oid().last().copied())
        .ok_or_else(|| ResolveError::NotBelow {
            parent: parent.name().to_owned(),
            name: name.to_owned(),
        })
}

/// A part behind a name whose index is not known.
fn append_plain(text: &str, part: Part<'_>, arcs: &mut Vec<u32>) -> Result<(), ResolveError> {
    match part {
        Part::Plain(name) => arcs.push(number(text, name)?),
        Part::Quoted { quote, octets } => {
            if quote == '"' {
                arcs.push(u32::try_from(octets.len()).unwrap_or(u32::MAX));
            }
            arcs.extend(octets.iter().map(|&octet| u32::from(octet)));
        }
    }
    Ok(())
}

fn number(text: &str, part: &str) -> Result<u32, ResolveError> {
    let is_number = part.bytes().all(|octet| octet.is_ascii_digit());
    part.parse()
        .ok()
        .filter(|_| is_number)
        .ok_or_else(|| ResolveError::NotANumber {
            text: text.to_owned(),
            part: part.to_owned(),
        })
}
