use std::ops::ControlFlow;

use clap::Args;
use terminal_size::{Width, terminal_size_of};
use varbind::codec::smi::Oid;
use varbind::engine::applications::command_generator::WalkOptions;
use varbind_terminal::Failure;

use crate::arguments::{OutputArguments, SessionArguments, WalkArguments};
use crate::output::{Format, Progress, Sink};
use crate::session;
use crate::table::{Layout, Rows, append_csv, append_json};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// The table, as ifTable or IF-MIB::ifTable
    #[arg(value_name = "TABLE")]
    table: String,

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
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        session::requested_names(&self.session, &mib, std::slice::from_ref(&self.table))?;
        let table = mib
            .table(&self.table)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let row = Oid::new(table.row().oid())
            .map_err(|error| Failure::Usage(format!("{}: {error}", self.table)))?;
        let mut session = session::open(&self.session)?;
        let mut sink = Sink::new();
        let mut progress = Progress::new(false);
        let mut rows = Rows::new(table);
        let mut objects = 0;
        let walk = WalkOptions {
            boundaries: if self.walk.is_get_next(self.session.version()) {
                session::columns_below(&mib, &row)
            } else {
                Vec::new()
            },
            #[cfg(feature = "experiments")]
            columns: session::columns_for_walk(&self.session, &mib, &row),
            ..self.walk.options()
        };
        let outcome = session.walk(&row, walk, |more| {
            rows.insert(more);
            objects += more.len() as u64;
            progress.tell(objects);
            ControlFlow::Continue(())
        });
        progress.finish();
        // What came before a failure is shown all the same.
        if outcome.is_ok() || rows.len() > 0 {
            match self.output.format() {
                Format::Json => append_json(&mib, &options, &rows, &mut sink.text),
                Format::Csv => append_csv(&mib, &options, &rows, &mut sink.text),
                Format::Text if rows.len() == 0 => {
                    let title = rows.table().object();
                    sink.text += &format!("{}::{}: no rows\n", title.module(), title.name());
                }
                Format::Text => {
                    let layout = self.layout(sink.is_terminal());
                    layout.append(&mib, &options, &rows, &mut sink.text);
                }
            }
        }
        sink.write()?;
        outcome
            .map(|summary| ::log::debug!("{summary:?}"))
            .map_err(|error| session::walk_failure(&self.session, &mib, &options, error))
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
