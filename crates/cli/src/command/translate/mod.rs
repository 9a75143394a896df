//! Names and OBJECT IDENTIFIERs, without an agent.

mod listing;

use clap::Args;
use regex::bytes::RegexBuilder;
use varbind::codec::smi::Oid;
use varbind_mib::{Mib, OutputOptions, format_name};
use varbind_terminal::{Failure, object_names};

use super::mib::append_description;
use crate::arguments::OutputArguments;
use crate::output::{Format, Sink, append_field, append_string};
pub(crate) use listing::Listing;

const LETTERS: &str = "\
Letters behind -T:
  d  what is known of each object, as varbind mib show
  p  the tree below each object                      z  names and numbers of all objects below
  l  full names with numbers of all objects below    o  numbers of all objects below
  s  full names of all objects below                 a  all objects below as ASN.1 assignments
  B  OIDs are patterns (regular expressions): all objects that match";

#[derive(Args, Debug)]
#[command(after_long_help = LETTERS)]
pub(crate) struct Arguments {
    /// Names, as sysDescr.0 or 1.3.6.1.2.1.1.1.0; with -TB patterns, as 'if.*Octets'
    #[arg(value_name = "OID", required_unless_present = "listing")]
    names: Vec<String>,

    /// List objects: -Td descriptions, -Tp trees, -Tz, -Tl, -To, -Ts, -Ta lists, -TB a search by pattern
    #[arg(id = "listing", short = 'T', long = "list", value_name = "LETTERS")]
    letters: Vec<String>,

    /// The object that fits a pattern best, as 'if.*HCIn' (-Ib)
    #[arg(long, help_heading = "Search")]
    best_match: bool,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let wanted = Wanted::read(&self.letters)?;
        let (names, failures) = self.names(&mib, wanted)?;
        let mut sink = Sink::new();
        match wanted.listing {
            Some(listing) => listing.append(&mib, &names, &mut sink.text),
            None if wanted.descriptions => append_descriptions(&mib, &names, &mut sink.text),
            None => append_names(&mib, &options, self.output.format(), &names, &mut sink.text),
        }
        sink.write()?;
        // The others are shown all the same, as by snmptranslate.
        let Some((last, others)) = failures.split_last() else {
            return Ok(());
        };
        for failure in others {
            failure.report();
        }
        last.report();
        Err(last.already_reported())
    }

    /// The names that are asked for, and what is wrong with the others.
    fn names(&self, mib: &Mib, wanted: Wanted) -> Result<(Vec<Oid>, Vec<Failure>), Failure> {
        if self.names.is_empty() {
            let roots = [0_u32, 1, 2].map(|root| Oid::new(&[root]));
            return Ok((roots.into_iter().flatten().collect(), Vec::new()));
        }
        if !wanted.patterns && !self.best_match {
            return Ok(object_names::read_names(mib, &self.names));
        }
        let (mut names, mut failures) = (Vec::new(), Vec::new());
        for text in &self.names {
            let mut found = matches(mib, text)?;
            if self.best_match {
                found.truncate(1);
            }
            if found.is_empty() {
                failures.push(Failure::Usage(format!(
                    "no known object matches the pattern {text:?}"
                )));
            }
            names.extend(found);
        }
        Ok((names, failures))
    }
}

/// What the letters behind -T ask for.
#[derive(Clone, Copy, Default)]
struct Wanted {
    listing: Option<Listing>,
    descriptions: bool,
    patterns: bool,
}

impl Wanted {
    fn read(letters: &[String]) -> Result<Self, Failure> {
        let mut wanted = Self::default();
        for letter in letters.iter().flat_map(|letters| letters.chars()) {
            match (letter, Listing::of_letter(letter)) {
                (_, Some(listing)) => wanted.listing = Some(listing),
                ('d', _) => wanted.descriptions = true,
                ('B', _) => wanted.patterns = true,
                _ => {
                    return Err(Failure::Usage(format!(
                        "unknown letter {letter:?} behind -T, known are d, p, z, l, o, s, a and B"
                    )));
                }
            }
        }
        Ok(wanted)
    }
}

/// The objects whose names match a pattern, the best first; `None` if it is not a pattern.
pub(crate) fn matching_objects(mib: &Mib, pattern: &str) -> Option<Vec<Oid>> {
    matches(mib, pattern).ok()
}

/// The objects whose names match, those first that match from their first letter on, then by length.
fn matches(mib: &Mib, text: &str) -> Result<Vec<Oid>, Failure> {
    let pattern = RegexBuilder::new(text)
        .case_insensitive(true)
        // Names are ASCII (RFC 2578 section 3.1).
        .unicode(false)
        .build()
        .map_err(|error| Failure::Usage(format!("the pattern {text:?}: {error}")))?;
    let mut found = Vec::new();
    for root in [0_u32, 1, 2] {
        for object in mib.subtree(&[root]) {
            let place = pattern.find(object.name().as_bytes());
            if let (Some(place), Ok(oid)) = (place, Oid::new(object.oid())) {
                found.push((place.start(), object.name().len(), oid));
            }
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, _, oid)| oid).collect())
}

fn append_descriptions(mib: &Mib, names: &[Oid], out: &mut String) {
    for (at, name) in names.iter().enumerate() {
        out.push_str(if at > 0 { "\n" } else { "" });
        if let Some(found) = mib.object(name.arcs()) {
            append_description(mib, found.object, out);
        }
    }
}

fn append_names(
    mib: &Mib,
    options: &OutputOptions,
    format: Format,
    names: &[Oid],
    out: &mut String,
) {
    out.push_str(match format {
        Format::Text => "",
        Format::Json => "[",
        Format::Csv => "name,oid\n",
    });
    for (at, name) in names.iter().enumerate() {
        let mut shown = String::new();
        format_name(mib, options, name.arcs(), &mut shown);
        match format {
            Format::Text => out.push_str(&shown),
            Format::Json => {
                out.push_str(if at == 0 { "\n" } else { ",\n" });
                out.push_str("{\"name\":");
                append_string(&shown, out);
                out.push_str(",\"oid\":");
                append_string(&name.to_string(), out);
                out.push('}');
                continue;
            }
            Format::Csv => {
                append_field(&shown, out);
                out.push(',');
                out.push_str(&name.to_string());
            }
        }
        out.push('\n');
    }
    if format == Format::Json {
        out.push_str("\n]\n");
    }
}
