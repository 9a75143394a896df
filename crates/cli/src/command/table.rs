use std::ops::ControlFlow;

use clap::Args;
use terminal_size::{Width, terminal_size_of};
use varbind::codec::smi::Oid;
use varbind::engine::applications::command_generator::{WalkOptions, WalkSummary};
use varbind_inventory::Host;
use varbind_mib::{Kind, Mib, Object, OutputOptions, Table};
use varbind_terminal::{Failure, object_names};

use crate::arguments::{OutputArguments, ParallelArguments, SessionArguments, WalkArguments};
use crate::fleet::{self, Operation, TableRows};
use crate::output::{Format, Progress, Sink};
use crate::session;
use crate::table::{Layout, Rows, append_csv, append_json};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// The table, as ifTable or IF-MIB::ifTable
    #[arg(value_name = "TABLE", required = true, num_args = 1..)]
    tables: Vec<String>,

    /// Only these columns, in this order; they may be of other tables with the same index, as ifHCInOctets of ifXTable
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        help_heading = "Table"
    )]
    columns: Vec<String>,

    /// Show the instance identifier of each row (-Ci)
    #[arg(long, help_heading = "Table")]
    index: bool,

    /// Put this between columns instead of padding them (-Cf TEXT)
    #[arg(long, value_name = "TEXT", help_heading = "Table")]
    separator: Option<String>,

    /// Lines of at most this many characters, the rest in parts below [default: that of the terminal] (-CwN)
    #[arg(long, value_name = "N", help_heading = "Table")]
    width: Option<usize>,

    /// Columns of this many characters, longer values cut (-CcN)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), conflicts_with = "separator", help_heading = "Table")]
    column_width: Option<u16>,

    /// Whole names as headings, as ifDescr and not Descr
    #[arg(long, help_heading = "Table")]
    full_names: bool,

    /// Short headings; they are the default (-Cb)
    #[arg(long, conflicts_with = "full_names", help_heading = "Table")]
    brief: bool,

    /// Left-justify everything (-Cl)
    #[arg(long, help_heading = "Table")]
    left: bool,

    /// Headings only (-Ch)
    #[arg(long, conflicts_with = "no_header", help_heading = "Table")]
    header_only: bool,

    /// No headings (-CH)
    #[arg(long, help_heading = "Table")]
    no_header: bool,

    #[command(flatten)]
    walk: WalkArguments,

    #[command(flatten)]
    parallel: ParallelArguments,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn find_hosts(&mut self) -> Result<(), Failure> {
        fleet::take_selections(&mut self.session, &mut self.tables);
        fleet::find_hosts(&mut self.session)
    }

    fn table(&self) -> Result<&String, Failure> {
        match self.tables.as_slice() {
            [table] => Ok(table),
            [] => Err(Failure::Usage("name a table, as ifTable".to_owned())),
            [_, other, ..] => Err(Failure::Usage(format!("{other}: one table at a time"))),
        }
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let name = self.table()?;
        session::requested_names(&self.session, &mib, std::slice::from_ref(name))?;
        let table = mib
            .table(name)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let row = Oid::new(table.row().oid())
            .map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
        let mut wanted = Vec::new();
        for column in &self.columns {
            wanted.push(chosen_column(&mib, &table, column)?);
        }
        let roots: Vec<Oid> = match wanted.as_slice() {
            [] => vec![row.clone()],
            wanted => wanted.iter().map(|(column, _)| column.clone()).collect(),
        };
        let walk = WalkOptions {
            boundaries: if wanted.is_empty() && self.walk.is_get_next(self.session.version()) {
                session::columns_below(&mib, &row)
            } else {
                Vec::new()
            },
            #[cfg(feature = "experiments")]
            columns: session::columns_for_walk(&self.session, &mib, &row),
            ..self.walk.options()
        };
        let rows = Rows::new(table, wanted);
        let shown = (&mib, &options);
        match &self.session.selected {
            Some(hosts) => self.run_fleet(hosts, roots, walk, rows, shown),
            None => self.run_one(&roots, &walk, rows, shown),
        }
    }

    /// Retrieves the tables of all selected hosts.
    fn run_fleet(
        &self,
        hosts: &[Host],
        roots: Vec<Oid>,
        walk: WalkOptions,
        rows: Rows<'_>,
        (mib, options): (&Mib, &OutputOptions),
    ) -> Result<(), Failure> {
        let format = self.output.format();
        let mut rows = TableRows::new((mib, options), format, hosts, rows, self.full_names);
        let boundaries = match self.columns.is_empty() {
            true => walk.boundaries,
            false => roots.clone(),
        };
        let operation = Operation::Table {
            columns: roots.into(),
            options: Box::new(WalkOptions { boundaries, ..walk }),
        };
        fleet::run(
            &self.session,
            &self.parallel,
            operation,
            (mib, options),
            &mut rows,
        )
    }

    fn run_one(
        &self,
        roots: &[Oid],
        walk: &WalkOptions,
        mut rows: Rows<'_>,
        (mib, options): (&Mib, &OutputOptions),
    ) -> Result<(), Failure> {
        let mut session = session::open(&self.session)?;
        let mut sink = Sink::new();
        let mut progress = Progress::new(false);
        let mut objects = 0;
        let outcome = roots.iter().try_fold(WalkSummary::default(), |_, root| {
            session.walk(root, walk.clone(), |more| {
                rows.insert(more);
                objects += more.len() as u64;
                progress.show_objects(objects);
                ControlFlow::Continue(())
            })
        });
        progress.finish();
        // What came before a failure is shown all the same.
        if outcome.is_ok() || rows.len() > 0 {
            match self.output.format() {
                Format::Json => append_json(mib, options, &rows, &mut sink.text),
                Format::Csv => append_csv(mib, options, &rows, &mut sink.text),
                Format::Text if rows.len() == 0 => {
                    let title = rows.table().object();
                    sink.text += &format!("{}::{}: no rows\n", title.module(), title.name());
                }
                Format::Text => {
                    let layout = self.layout(sink.is_terminal());
                    layout.append(mib, options, &rows, &mut sink.text);
                }
            }
        }
        sink.write()?;
        outcome
            .map(|summary| ::log::debug!("{summary:?}"))
            .map_err(|error| session::walk_failure(&self.session, mib, options, error))
    }

    fn layout(&self, is_terminal: bool) -> Layout {
        let terminal = || terminal_size_of(std::io::stdout());
        Layout {
            width: match self.width {
                Some(0) => None,
                None if is_terminal => terminal().map(|(Width(columns), _)| columns.into()),
                width => width,
            },
            separator: self
                .separator
                .as_ref()
                .map(|text| text.replace("\\t", "\t")),
            column_width: self.column_width.map(usize::from),
            with_instance: self.index,
            full_names: self.full_names,
            without_header: self.no_header,
            header_only: self.header_only,
            left: self.left,
        }
    }
}

/// A column that is named, which must have the index of the table.
fn chosen_column<'m>(
    mib: &'m Mib,
    table: &Table<'m>,
    name: &str,
) -> Result<(Oid, Object<'m>), Failure> {
    let oid = object_names::name(mib, name)?;
    let object = mib
        .object_at(oid.arcs())
        .filter(|object| object.kind() == Kind::Column)
        .ok_or_else(|| Failure::Usage(format!("{name} is not a column of a table")))?;
    let row = oid.arcs().split_last().map_or(&[][..], |(_, row)| row);
    let parts = |table: &Table<'_>| {
        let index = table.index();
        let names = index.parts().iter().map(|part| part.name().to_owned());
        names.collect::<Vec<_>>()
    };
    let other = mib.table_at(row).map(|other| parts(&other));
    if other.as_ref() == Some(&parts(table)) {
        return Ok((oid, object));
    }
    Err(Failure::Usage(format!(
        "{name} is of a table with another index than {}: name columns of one index",
        table.object().name()
    )))
}
