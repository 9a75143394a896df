use std::fmt::Write;

use clap::Args;
use varbind_mib::{
    BaseType, Index, Kind, Mib, Module, Object, OutputOptions, Syntax, TextualConvention, dotted,
    format_name,
};
use varbind_terminal::arguments::MibArguments;
use varbind_terminal::{Failure, object_names};

use crate::output::Sink;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Objects as ifDescr, IF-MIB::ifDescr or 1.3.6.1.2.1.2.2.1.2, textual conventions as DisplayString, modules as IF-MIB
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    #[command(flatten)]
    mib: MibArguments,
}

impl Arguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mib = self.mib.mib()?;
        let mut sink = Sink::new();
        for (at, name) in self.names.iter().enumerate() {
            if at > 0 {
                sink.text.push('\n');
            }
            append(&mib, name, &mut sink.text)?;
        }
        sink.write()?;
        Ok(())
    }
}

fn append(mib: &Mib, name: &str, out: &mut String) -> Result<(), Failure> {
    let (module, bare) = match name.split_once("::") {
        Some((module, bare)) => (Some(module), bare),
        None => (None, name),
    };
    // Types and modules begin with a capital letter, objects do not (RFC 2578 section 3.1).
    if bare.starts_with(|c: char| c.is_ascii_uppercase()) {
        let catalog = mib.catalog();
        if let Some(known) = catalog
            .filter(|_| module.is_none())
            .and_then(|all| all.module(name))
        {
            append_module(known, out);
            return Ok(());
        }
        let mut conventions = catalog
            .into_iter()
            .flat_map(|all| all.textual_conventions(bare));
        if let Some(known) =
            conventions.find(|known| module.is_none_or(|module| module == known.module()))
        {
            append_convention(known, out);
            return Ok(());
        }
        if module.is_none() && mib.has_module(name) {
            out.push_str(name);
            out.push_str("\n  built in, without descriptions\n");
            return Ok(());
        }
        return Err(Failure::Usage(format!(
            "no module or textual convention {name:?}; varbind mib list shows the known modules"
        )));
    }
    let oid = object_names::name(mib, name)?;
    let object = mib
        .object(oid.arcs())
        .filter(|found| !found.object.module().is_empty());
    let Some(found) = object else {
        return Err(Failure::Usage(format!("nothing is known of {name:?}")));
    };
    append_description(mib, found.object, out);
    Ok(())
}

/// One line of what is known; nothing, if that is empty.
fn line(out: &mut String, label: &str, text: &str) {
    if !text.is_empty() {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {label:<12}{text}");
    }
}

/// Text as it stands in a module, without what it is indented by there.
fn paragraph(out: &mut String, label: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let rest = || text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let common = rest().map(|line| indent(&line)).min().unwrap_or(0);
    let _ = writeln!(out, "  {label}");
    for (at, line) in text.lines().enumerate() {
        let line = if at == 0 {
            line.trim_start()
        } else {
            line.get(common..).unwrap_or("")
        };
        let line: String = line
            .chars()
            .filter(|c| !c.is_control() || *c == '\t')
            .collect();
        let _ = writeln!(out, "{}", format!("    {line}").trim_end());
    }
}

/// Appends what is known of an object.
pub(in crate::command) fn append_description(mib: &Mib, object: Object<'_>, out: &mut String) {
    let _ = writeln!(out, "{object:?}");
    line(out, "OID", &dotted(object.oid()));
    let mut path = String::new();
    let mut full = OutputOptions::default();
    full.names = varbind_mib::NameStyle::Full;
    format_name(mib, &full, object.oid(), &mut path);
    line(out, "Path", &path);
    line(out, "Kind", &kind(object));
    let status = object.status().map(|status| status.to_string());
    line(out, "Status", &status.unwrap_or_default());
    let access = object.access().map(|access| access.to_string());
    line(out, "Access", &access.unwrap_or_default());
    if let Some(syntax) = object.syntax() {
        append_syntax(syntax, out);
    }
    line(out, "Units", object.units().unwrap_or_default());
    line(out, "Default", object.default_value().unwrap_or_default());
    let above = object
        .oid()
        .split_last()
        .map_or(&[][..], |(_, above)| above);
    let index = object
        .index()
        .or_else(|| Some(mib.table_at(object.oid())?.index()))
        .or_else(|| mib.object_at(above).and_then(|row| row.index()));
    line(out, "Index", &index.map_or_else(String::new, index_names));
    line(out, "Augments", object.augments().unwrap_or_default());
    line(out, "Objects", &object.notification_objects().join(", "));
    let catalog = mib.catalog();
    let file = catalog.filter(|_| object.macro_name().is_some());
    let file = file.and_then(|all| all.module(object.module()));
    line(
        out,
        "File",
        &file.map_or_else(
            || "built in".to_owned(),
            |module| module.file().display().to_string(),
        ),
    );
    line(out, "Below", &children(mib, object));
    paragraph(out, "Reference", object.reference().unwrap_or_default());
    paragraph(out, "Description", object.description().unwrap_or_default());
}

fn kind(object: Object<'_>) -> String {
    let kind = match object.kind() {
        Kind::Scalar => "scalar",
        Kind::Table => "table",
        Kind::Row => "row of a table",
        Kind::Column => "column of a table",
        Kind::Notification => "notification",
        _ => "point of the tree",
    };
    match object.macro_name() {
        Some(name) => format!("{kind} ({name})"),
        None => kind.to_owned(),
    }
}

fn append_syntax(syntax: Syntax<'_>, out: &mut String) {
    let base = syntax.base();
    let mut text = match syntax.textual_convention() {
        Some(convention) => format!("{convention} ({base})"),
        None => base.to_string(),
    };
    let ranges: Vec<String> = syntax
        .ranges()
        .iter()
        .map(|(lowest, highest)| match lowest == highest {
            true => lowest.to_string(),
            false => format!("{lowest} to {highest}"),
        })
        .collect();
    if !ranges.is_empty() {
        let unit = match syntax.base() {
            BaseType::OctetString => " octets",
            _ => "",
        };
        let _ = write!(text, ", {}{unit}", ranges.join(" or "));
    }
    line(out, "Syntax", &text);
    line(out, "Hint", syntax.display_hint().unwrap_or_default());
    let names = syntax.named_numbers().iter();
    let names: Vec<String> = names
        .map(|(name, number)| format!("{name}({number})"))
        .collect();
    line(out, "Values", &names.join(", "));
}

fn index_names(index: Index<'_>) -> String {
    let parts = index.parts().iter().map(|part| match part.is_implied() {
        true => format!("IMPLIED {}", part.name()),
        false => part.name().to_owned(),
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn children(mib: &Mib, object: Object<'_>) -> String {
    let below = object.oid().len() + 1;
    let children = mib
        .subtree(object.oid())
        .filter(|child| child.oid().len() == below);
    let names = children.filter_map(|child| {
        let number = child.oid().last()?;
        Some(format!("{}({number})", child.name()))
    });
    names.collect::<Vec<_>>().join(", ")
}

fn append_convention(convention: TextualConvention<'_>, out: &mut String) {
    let _ = writeln!(out, "{convention:?}");
    line(out, "Kind", "textual convention");
    let status = convention.status().map(|status| status.to_string());
    line(out, "Status", &status.unwrap_or_default());
    if let Some(syntax) = convention.syntax() {
        append_syntax(syntax, out);
    }
    paragraph(out, "Reference", convention.reference());
    paragraph(out, "Description", convention.description());
}

fn append_module(module: Module<'_>, out: &mut String) {
    let _ = writeln!(out, "{}", module.name());
    line(
        out,
        "Kind",
        if module.is_smi_v1() {
            "module in SMIv1"
        } else {
            "module in SMIv2"
        },
    );
    line(out, "File", &module.file().display().to_string());
    line(out, "Updated", &date(module.last_updated()));
    line(out, "Objects", &module.object_count().to_string());
    paragraph(out, "Organization", module.organization());
    paragraph(out, "Contact", module.contact_info());
    paragraph(out, "Description", module.description());
}

/// `2024-02-29` of `202402290000Z`.
pub(super) fn date(last_updated: &str) -> String {
    match (
        last_updated.get(..4),
        last_updated.get(4..6),
        last_updated.get(6..8),
    ) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => String::new(),
    }
}
