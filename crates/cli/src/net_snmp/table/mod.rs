//! snmptable.

mod layout;
mod rows;

use varbind::codec::smi::Oid;
use varbind_mib::{Access, Mib, OutputOptions, format_name};

use super::command_line::CommandLine;
use super::console::Console;
use super::getopt::GetOpt;
use super::names::Names;
use super::session::Session;
use super::tool::Call;
use super::{Ended, FAILED, Stop};
use crate::arguments::SnmpVersion;
use layout::Layout;
use rows::Retrieval;

/// The letters behind `-C`.
#[derive(Debug)]
struct Letters {
    layout: Layout,
    headers_only: bool,
    brief: bool,
    get_next: bool,
    repetitions: u16,
}

/// A column: its last sub-identifier and its heading.
#[derive(Debug, PartialEq, Eq)]
struct Column {
    number: u32,
    label: String,
    width: usize,
}

/// A table whose columns are known.
struct Table {
    /// As the headings name it.
    name: String,
    /// The name of its row.
    row: Vec<u32>,
    columns: Vec<Column>,
}

impl Letters {
    fn take(
        &mut self,
        letters: &str,
        words: &mut GetOpt<'_>,
        console: &mut Console,
    ) -> Result<(), Stop> {
        for letter in letters.chars() {
            match letter {
                'l' => self.layout.left = true,
                'h' => self.headers_only = true,
                'H' => self.layout.no_headers = true,
                'B' => self.get_next = true,
                'b' => self.brief = true,
                'i' => self.layout.with_index = true,
                'f' => self.layout.separator = Some(argument(letter, words)?),
                'w' => self.layout.max_width = number(letter, words, 1)?,
                // A column is one narrower: a blank stands at its end.
                'c' => self.layout.column_width = number(letter, words, 3)? - 1,
                'r' => {
                    self.repetitions = u16::try_from(number(letter, words, 1)?).unwrap_or(u16::MAX);
                }
                letter => {
                    console.error(&format!("Bad option after -C: {letter}\n"));
                    return Err(Stop::Usage(String::new()));
                }
            }
        }
        Ok(())
    }
}

fn argument(letter: char, words: &mut GetOpt<'_>) -> Result<String, Stop> {
    words
        .take_word()
        .ok_or_else(|| Stop::Usage(format!("Bad -C{letter} option: no argument given\n")))
}

fn number(letter: char, words: &mut GetOpt<'_>, lowest: usize) -> Result<usize, Stop> {
    let text = argument(letter, words)?;
    let number = text.parse().ok().filter(|number| *number >= lowest);
    number.ok_or_else(|| Stop::Usage(format!("Bad -C{letter} option: {text}\n")))
}

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let mut letters = Letters {
        layout: Layout::default(),
        headers_only: false,
        brief: false,
        get_next: false,
        repetitions: 10,
    };
    let line = CommandLine::read(call, console, &mut |text, words, console| {
        letters.take(text, words, console)
    })?;
    let [name] = line.operands.as_slice() else {
        return Err(Stop::Usage("Must have exactly one table name\n".to_owned()));
    };
    let mut names = Names::new(&line.mib, &line.input);
    let Some(root) = names.read_or_log(name, console) else {
        return Ok(FAILED);
    };
    let mut table = match Table::of(&line.mib, &line.output, &root) {
        Ok(table) => table,
        Err(name) => {
            console.error(&format!("Was that a table? {name}\n"));
            return Ok(FAILED);
        }
    };
    if letters.brief {
        shorten(&mut table.columns);
    }
    let session = Session::open(call, &line, &mut names, console)?;
    letters.get_next |= line.version == SnmpVersion::V1;
    let mut retrieval = Retrieval::new(&line, &letters, session, names);
    loop {
        let rows = match letters.headers_only {
            true => rows::Rows::default(),
            false => match retrieval.next_rows(&mut table, console)? {
                Ok(rows) => rows,
                Err(code) => return Ok(code),
            },
        };
        if letters.headers_only || !rows.is_empty() {
            letters
                .layout
                .print(&table, &rows, letters.headers_only, console)?;
        }
        if letters.headers_only || retrieval.is_done {
            break;
        }
    }
    if retrieval.total == 0 {
        console.print(&format!("{}: No entries\n", table.name))?;
    }
    if retrieval.has_extra_columns {
        let name = &table.name;
        console.print(&format!(
            "{name}: WARNING: More columns on agent than in MIB\n"
        ))?;
    }
    Ok(0)
}

impl Table {
    /// The columns of a table; its name, if the MIB has none for it.
    fn of(mib: &Mib, options: &OutputOptions, root: &Oid) -> Result<Self, String> {
        let mut name = String::new();
        format_name(mib, options, root.arcs(), &mut name);
        let below = root.arcs().len() + 1;
        let mut objects = mib.subtree(root.arcs());
        let row = objects.find(|object| object.oid().len() == below);
        let Some(row) = row.map(|object| object.oid().to_vec()) else {
            return Err(name);
        };
        let mut columns = Vec::new();
        for object in mib.subtree(&row) {
            let is_column = object.oid().len() == row.len() + 1;
            if !is_column || object.access() == Some(Access::NotAccessible) {
                continue;
            }
            let mut label = String::new();
            format_name(mib, options, object.oid(), &mut label);
            let label = label.rsplit(['.', ':']).next().unwrap_or_default();
            if label.starts_with(|c: char| c.is_ascii_digit()) {
                break;
            }
            columns.push(Column {
                number: object.oid().last().copied().unwrap_or_default(),
                label: label.to_owned(),
                width: label.len(),
            });
        }
        match columns.is_empty() {
            true => Err(name),
            false => Ok(Self { name, row, columns }),
        }
    }
}

/// Takes off the headings what they have in common.
fn shorten(columns: &mut [Column]) {
    let pairs = columns.windows(2);
    let common = pairs.filter_map(|pair| match pair {
        [before, column] => {
            let same = before.label.bytes().zip(column.label.bytes());
            let same = same.take_while(|(a, b)| a == b).count();
            // A heading that another one begins with keeps its last letter.
            let is_whole = same == before.label.len();
            Some(if is_whole {
                same.saturating_sub(1)
            } else {
                same
            })
        }
        _ => None,
    });
    let Some(common) = common.min() else { return };
    let shortest = columns.first().map_or(0, |column| column.label.len());
    let common = common.min(shortest);
    for column in columns {
        column.label = column.label.get(common..).unwrap_or_default().to_owned();
        column.width = column.label.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_that_can_be_read() {
        let mib = Mib::builtin();
        let options = OutputOptions::default();
        let root = |name: &str| mib.resolve(name).unwrap();
        let table = Table::of(&mib, &options, &root("sysORTable")).unwrap();
        assert_eq!(table.name, "SNMPv2-MIB::sysORTable");
        let labels: Vec<_> = table.columns.iter().map(|c| c.label.as_str()).collect();
        assert_eq!(labels, ["sysORID", "sysORDescr", "sysORUpTime"]);
        for name in ["sysDescr", "system", "ifEntry", "1.3.6.1.4.1.99"] {
            assert!(Table::of(&mib, &options, &root(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn headings_lose_what_they_have_in_common() {
        let column = |label: &str| Column {
            number: 1,
            label: label.to_owned(),
            width: 0,
        };
        let mut columns = [column("sysORID"), column("sysORDescr"), column("sysORUp")];
        shorten(&mut columns);
        let labels: Vec<_> = columns.iter().map(|column| &column.label).collect();
        assert_eq!(labels, ["ID", "Descr", "Up"]);
    }
}
