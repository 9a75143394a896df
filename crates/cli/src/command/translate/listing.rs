//! All objects below others, in the forms of snmptranslate -T.

use std::fmt::Write;

use varbind::codec::smi::Oid;
use varbind_mib::{
    Access, BaseType, Mib, NameStyle, Object, OutputOptions, Syntax, dotted, format_name,
};

/// A form of listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    /// `-Tp`
    Tree,
    /// `-Tz`
    NamesAndNumbers,
    /// `-Tl`
    Labels,
    /// `-To`
    Numbers,
    /// `-Ts`
    FullNames,
    /// `-Ta`
    Assignments,
}

impl Listing {
    pub(crate) const fn of_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'p' => Self::Tree,
            'z' => Self::NamesAndNumbers,
            'l' => Self::Labels,
            'o' => Self::Numbers,
            's' => Self::FullNames,
            'a' => Self::Assignments,
            _ => return None,
        })
    }

    pub(crate) fn append(self, mib: &Mib, roots: &[Oid], out: &mut String) {
        if self == Self::Assignments {
            out.push_str("dump DEFINITIONS ::= BEGIN\n");
        }
        for root in roots {
            if self == Self::Tree {
                append_tree(mib, root.arcs(), out);
                continue;
            }
            for object in mib.subtree(root.arcs()) {
                self.append_object(mib, object, out);
            }
        }
        if self == Self::Assignments {
            out.push_str("END\n");
        }
    }

    fn append_object(self, mib: &Mib, object: Object<'_>, out: &mut String) {
        let (name, oid) = (object.name(), object.oid());
        // Writing to a String cannot fail.
        let _ = match self {
            Self::Tree => Ok(()),
            Self::NamesAndNumbers => writeln!(out, "\"{name}\"\t\t\t\"{}\"", dotted(oid)),
            Self::Numbers => writeln!(out, ".{}", dotted(oid)),
            Self::FullNames => {
                let mut options = OutputOptions::default();
                options.names = NameStyle::Full;
                format_name(mib, &options, oid, out);
                writeln!(out)
            }
            Self::Labels => {
                for length in 1..=oid.len() {
                    append_label(mib, oid.get(..length).unwrap_or(oid), out);
                }
                writeln!(out)
            }
            Self::Assignments => match oid.split_last() {
                Some((number, above)) if !above.is_empty() => {
                    let parent = mib.object_at(above);
                    let parent =
                        parent.map_or_else(|| dotted(above), |object| object.name().to_owned());
                    writeln!(out, "{name} OBJECT IDENTIFIER ::= {{ {parent} {number} }}")
                }
                _ => Ok(()),
            },
        };
    }
}

fn append_label(mib: &Mib, oid: &[u32], out: &mut String) {
    let Some(number) = oid.last() else { return };
    let _ = match mib.object_at(oid) {
        Some(object) => write!(out, ".{}({number})", object.name()),
        None => write!(out, ".{number}"),
    };
}

/// An object with those below it.
struct Branch<'m> {
    object: Object<'m>,
    below: Vec<Branch<'m>>,
}

/// Makes trees of objects in the order of their OBJECT IDENTIFIERs.
fn branches<'m>(objects: impl Iterator<Item = Object<'m>>) -> Vec<Branch<'m>> {
    let mut open: Vec<Branch<'m>> = Vec::new();
    let mut roots = Vec::new();
    for object in objects {
        close(&mut open, &mut roots, Some(object.oid()));
        open.push(Branch {
            object,
            below: Vec::new(),
        });
    }
    close(&mut open, &mut roots, None);
    roots
}

/// Hands the branches that `next` is not below of over to what they are below of.
fn close<'m>(open: &mut Vec<Branch<'m>>, roots: &mut Vec<Branch<'m>>, next: Option<&[u32]>) {
    let is_done =
        |branch: &mut Branch<'m>| next.is_none_or(|next| !next.starts_with(branch.object.oid()));
    while let Some(branch) = open.pop_if(is_done) {
        match open.last_mut() {
            Some(above) => above.below.push(branch),
            None => roots.push(branch),
        }
    }
}

fn append_tree(mib: &Mib, root: &[u32], out: &mut String) {
    for branch in branches(mib.subtree(root)) {
        append_branch(&branch, "", true, out);
    }
}

fn append_branch(branch: &Branch<'_>, indent: &str, is_last: bool, out: &mut String) {
    let object = branch.object;
    let number = object.oid().last().copied().unwrap_or_default();
    let below = format!("{indent}{}  ", if is_last { " " } else { "|" });
    if let Some(syntax) = object.syntax() {
        let access = access_letters(object.access());
        let kind = type_name(syntax);
        let _ = writeln!(
            out,
            "{indent}+-- {access} {kind:<9} {}({number})",
            object.name()
        );
        append_refinements(
            syntax,
            &format!("{}       ", below.trim_end_matches("  ")),
            out,
        );
        return;
    }
    let _ = writeln!(out, "{indent}+--{}({number})", object.name());
    if let Some(index) = object.index() {
        let names: Vec<&str> = index
            .parts()
            .iter()
            .map(varbind_mib::IndexPart::name)
            .collect();
        let _ = writeln!(out, "{below}|  Index: {}", names.join(", "));
    }
    let mut is_spaced = true;
    for (at, child) in branch.below.iter().enumerate() {
        let is_leaf = child.object.syntax().is_some();
        if at == 0 || !is_leaf || !is_spaced {
            let _ = writeln!(out, "{below}|");
        }
        is_spaced = is_leaf;
        append_branch(child, &below, at + 1 == branch.below.len(), out);
    }
}

const fn access_letters(access: Option<Access>) -> &'static str {
    match access {
        Some(Access::ReadOnly) => "-R--",
        Some(Access::ReadWrite) => "-RW-",
        Some(Access::ReadCreate) => "CR--",
        Some(Access::AccessibleForNotify) => "---N",
        Some(Access::NotAccessible) | None => "----",
    }
}

fn type_name(syntax: Syntax<'_>) -> &'static str {
    match syntax.base() {
        BaseType::Integer32 if !syntax.named_numbers().is_empty() => "EnumVal",
        BaseType::Integer32 => "Integer32",
        BaseType::Unsigned32 => "Unsigned",
        BaseType::Gauge32 => "Gauge",
        BaseType::Counter32 => "Counter",
        BaseType::Counter64 => "Counter64",
        BaseType::TimeTicks => "TimeTicks",
        BaseType::OctetString => "String",
        BaseType::Bits => "BitString",
        BaseType::ObjectIdentifier => "ObjID",
        BaseType::IpAddress => "IpAddr",
        BaseType::Opaque => "Opaque",
    }
}

/// The textual convention, the named numbers and the ranges, a line each.
fn append_refinements(syntax: Syntax<'_>, indent: &str, out: &mut String) {
    if let Some(convention) = syntax.textual_convention() {
        let _ = writeln!(out, "{indent} Textual Convention: {convention}");
    }
    let named = syntax.named_numbers();
    if !named.is_empty() {
        let values: Vec<String> = named
            .iter()
            .map(|(name, number)| format!("{name}({number})"))
            .collect();
        let _ = writeln!(out, "{indent} Values: {}", values.join(", "));
    }
    let ranges: Vec<String> = syntax
        .ranges()
        .iter()
        .map(|(lowest, highest)| match lowest == highest {
            true => lowest.to_string(),
            false => format!("{lowest}..{highest}"),
        })
        .collect();
    if !ranges.is_empty() {
        let is_size = matches!(syntax.base(), BaseType::OctetString | BaseType::Opaque);
        let what = if is_size { "Size" } else { "Range" };
        let _ = writeln!(out, "{indent} {what}: {}", ranges.join(" | "));
    }
}
