//! snmptranslate.

use std::env;
use std::fmt::Write;
use std::io::{self, BufRead};

use varbind::codec::smi::Oid;
use varbind_mib::{Access, BaseType, Mib, Object, OutputOptions, Status, Syntax, format_name};

use super::command_line::{mib, print_version, take_log};
use super::configuration::Configuration;
use super::console::Console;
use super::getopt::{GetOpt, Item};
use super::names::{InputOptions, Names};
use super::options::{apply_input, apply_output, unknown_parser_letter};
use super::tool::Call;
use super::words::UNKNOWN_OBJECT;
use super::{Ended, FAILED, Stop};
use crate::command::{Listing, matching_objects};

const LETTERS: &str = "Vhm:M:w:D:P:T:O:I:L:";
/// A name cannot be read.
const UNKNOWN: u8 = 2;
/// Shorter words in front of others are no names.
const SHORTEST: usize = 5;

/// What is to be translated, and how.
#[derive(Default)]
struct Wanted {
    output: OutputOptions,
    input: InputOptions,
    modules: Option<String>,
    directories: Option<String>,
    listing: Option<Listing>,
    descriptions: bool,
    all_matches: bool,
}

impl Wanted {
    fn take(
        &mut self,
        letter: char,
        text: &str,
        words: &mut GetOpt<'_>,
        console: &mut Console,
    ) -> Result<(), Stop> {
        let unknown =
            |what: &str, letter: char| Err(Stop::Usage(format!("Unknown {what}: {letter}.\n")));
        match letter {
            'h' => return Err(Stop::Usage(String::new())),
            'V' => return Err(print_version(console)),
            'm' => self.modules = Some(text.to_owned()),
            'M' => self.directories = Some(text.to_owned()),
            'w' if text.parse::<usize>().is_ok_and(|width| width > 0) => {}
            'w' => {
                console.error(&format!("Invalid width specification: {text}\n"));
                return Err(Stop::Exit(FAILED));
            }
            'P' => {
                if let Some(letter) = unknown_parser_letter(text) {
                    return unknown("parser option to -P", letter);
                }
            }
            'O' => {
                if let Some(letter) = apply_output(text, words, &mut self.output) {
                    return unknown("OID option to -O", letter);
                }
            }
            'I' => {
                if let Some(letter) = apply_input(text, words, &mut self.input) {
                    return unknown("OID option to -I", letter);
                }
            }
            'T' => {
                for letter in text.chars() {
                    match (letter, Listing::of_letter(letter)) {
                        (_, Some(listing)) => self.listing = Some(listing),
                        ('d', _) => self.descriptions = true,
                        ('B', _) => self.all_matches = true,
                        _ => {
                            return Err(Stop::Usage(format!(
                                "Invalid -T<lostpad> character: {letter}\n"
                            )));
                        }
                    }
                }
            }
            'L' => return take_log(text, words, console),
            _ => {}
        }
        Ok(())
    }
}

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let mut wanted = Wanted::default();
    wanted.output.line_breaks = true;
    let mut words = GetOpt::new(&call.words, LETTERS, false);
    while let Some(item) = words.next_item() {
        match item {
            Item::Option(letter, text) => wanted.take(letter, &text, &mut words, console)?,
            Item::Unknown(letter) => {
                let program = &call.program;
                return Err(Stop::Usage(format!(
                    "{program}: invalid option -- '{letter}'\ninvalid option: -?\n"
                )));
            }
            Item::NoArgument(letter) => {
                let program = &call.program;
                return Err(Stop::Usage(format!(
                    "{program}: option requires an argument -- '{letter}'\ninvalid option: -?\n"
                )));
            }
        }
    }
    let texts = words.into_operands();
    let (configuration, _) = Configuration::read();
    configuration.refine(&mut wanted.output, &mut wanted.input);
    let (modules, directories) = (wanted.modules.take(), wanted.directories.take());
    let mib = mib(
        modules
            .or_else(|| env::var("MIBS").ok())
            .or(configuration.mibs),
        directories
            .or_else(|| env::var("MIBDIRS").ok())
            .or(configuration.mib_directories),
        console,
    )?;
    match (texts.is_empty(), wanted.listing) {
        (true, None) => Err(Stop::Usage(String::new())),
        (true, Some(listing)) => {
            let roots = [0_u32, 1, 2].map(|root| Oid::new(&[root]));
            let roots: Vec<Oid> = roots.into_iter().flatten().collect();
            print_listing(&mib, listing, &roots, console)?;
            Ok(0)
        }
        (false, _) => translate(&mib, &wanted, &texts, console),
    }
}

fn print_listing(
    mib: &Mib,
    listing: Listing,
    roots: &[Oid],
    console: &mut Console,
) -> io::Result<()> {
    let mut text = String::new();
    listing.append(mib, roots, &mut text);
    console.print(&text)
}

fn translate(mib: &Mib, wanted: &Wanted, texts: &[String], console: &mut Console) -> Ended {
    let mut names = Names::new(mib, &wanted.input);
    for (at, text) in texts.iter().enumerate() {
        if text == "-" && wanted.listing.is_none() {
            translate_lines(mib, wanted, &mut names, console)?;
            continue;
        }
        if at > 0 {
            console.print("\n")?;
        }
        if wanted.all_matches {
            let found = matching_objects(mib, text).unwrap_or_default();
            if found.is_empty() {
                return Ok(print_no_match(text, console));
            }
            for name in &found {
                print_name(mib, wanted, name, console)?;
            }
            break;
        }
        let name = match () {
            () if wanted.input.best_match => names.best(text),
            () if wanted.input.random => names.read(text),
            () => names.read_from_top(text),
        };
        let Some(name) = name else {
            return Ok(match () {
                () if wanted.input.best_match => print_no_match(text, console),
                () if wanted.input.random => {
                    console.error(&format!("Unknown object identifier: {text}\n"));
                    UNKNOWN
                }
                () => {
                    names.log_error(text, UNKNOWN_OBJECT, console);
                    UNKNOWN
                }
            });
        };
        match wanted.listing {
            Some(listing) => print_listing(mib, listing, &[name], console)?,
            None => print_name(mib, wanted, &name, console)?,
        }
    }
    Ok(0)
}

fn print_no_match(text: &str, console: &mut Console) -> u8 {
    console.error(&format!(
        "Unable to find a matching object identifier for \"{text}\"\n"
    ));
    FAILED
}

fn print_name(mib: &Mib, wanted: &Wanted, name: &Oid, console: &mut Console) -> io::Result<()> {
    let mut text = String::new();
    format_name(mib, &wanted.output, name.arcs(), &mut text);
    text.push('\n');
    if wanted.descriptions
        && let Some(found) = mib.object(name.arcs())
    {
        append_description(mib, found.object, name, &mut text);
    }
    console.print(&text)
}

/// Replaces the name at the front of each line of standard input.
fn translate_lines(
    mib: &Mib,
    wanted: &Wanted,
    names: &mut Names<'_>,
    console: &mut Console,
) -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        let end = line.find(' ').or_else(|| line.find('\t'));
        let (front, rest) = line.split_at(end.unwrap_or(line.len()));
        let is_tried = rest.is_empty() || front.len() > SHORTEST;
        let mut text = String::new();
        match names.read_from_top(front).filter(|_| is_tried) {
            Some(name) => format_name(mib, &wanted.output, name.arcs(), &mut text),
            None => text.push_str(front),
        }
        text.push_str(rest);
        text.push('\n');
        console.print(&text)?;
    }
    Ok(())
}

/// What is known of an object, in the form of a module.
fn append_description(mib: &Mib, object: Object<'_>, name: &Oid, out: &mut String) {
    // Writing to a String cannot fail.
    let kind = match object.syntax() {
        Some(_) => "OBJECT-TYPE",
        None => object.macro_name().unwrap_or("OBJECT IDENTIFIER"),
    };
    let _ = writeln!(out, "{} {kind}", object.name());
    let _ = writeln!(out, "  -- FROM\t{}", object.module());
    if let Some(syntax) = object.syntax() {
        append_syntax(syntax, out);
    }
    if let Some(units) = object.units() {
        let _ = writeln!(out, "  UNITS\t\t\"{units}\"");
    }
    let access = match object.access().filter(|_| object.syntax().is_some()) {
        Some(Access::ReadOnly) => "read-only",
        Some(Access::ReadWrite) => "read-write",
        Some(Access::ReadCreate) => "read-create",
        Some(Access::AccessibleForNotify) => "accessible-for-notify",
        Some(Access::NotAccessible) => "not-accessible",
        None => "",
    };
    if !access.is_empty() {
        let _ = writeln!(out, "  MAX-ACCESS\t{access}");
    }
    let status = match object.status() {
        Some(Status::Current) => "current",
        Some(Status::Deprecated) => "deprecated",
        Some(Status::Obsolete) => "obsolete",
        _ => "",
    };
    if !status.is_empty() {
        let _ = writeln!(out, "  STATUS\t{status}");
    }
    if let Some(description) = object.description() {
        let _ = writeln!(out, "  DESCRIPTION\t\"{description}\"");
    }
    let path: Vec<String> = (1..=name.arcs().len())
        .filter_map(|length| name.arcs().get(..length))
        .filter_map(|arcs| {
            let number = arcs.last()?;
            let object = mib.object_at(arcs);
            let is_last = arcs.len() == name.arcs().len();
            Some(match object {
                Some(object) if !is_last => format!("{}({number})", object.name()),
                _ => number.to_string(),
            })
        })
        .collect();
    let _ = writeln!(out, "::= {{ {} }}", path.join(" "));
}

fn append_syntax(syntax: Syntax<'_>, out: &mut String) {
    if let Some(convention) = syntax.textual_convention() {
        let _ = writeln!(out, "  -- TEXTUAL CONVENTION {convention}");
    }
    let base = match syntax.base() {
        BaseType::Integer32 => "INTEGER".to_owned(),
        other => other.to_string(),
    };
    let names = syntax.named_numbers().iter();
    let names: Vec<String> = names
        .map(|(name, number)| format!("{name}({number})"))
        .collect();
    let ranges: Vec<String> = syntax
        .ranges()
        .iter()
        .map(|(lowest, highest)| match lowest == highest {
            true => lowest.to_string(),
            false => format!("{lowest}..{highest}"),
        })
        .collect();
    let ranges = ranges.join(" | ");
    let refined = match (names.is_empty(), ranges.is_empty()) {
        (false, _) => format!(" {{{}}} ", names.join(", ")),
        (true, false) => format!(" ({ranges}) "),
        (true, true) => String::new(),
    };
    let _ = writeln!(out, "  SYNTAX\t{base}{refined}");
    if let Some(hint) = syntax.display_hint() {
        let _ = writeln!(out, "  DISPLAY-HINT\t\"{hint}\"");
    }
}
