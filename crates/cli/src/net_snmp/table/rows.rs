use std::mem;

use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value, VarBind};
use varbind::engine::applications::command_generator::{Command, Response};
use varbind_mib::{format_name, format_value};

use super::super::command_line::CommandLine;
use super::super::console::Console;
use super::super::names::Names;
use super::super::session::{Session, print_error_status};
use super::super::{ERROR_STATUS, Stop};
use super::{Column, Letters, Table};

/// The widest index is at least as wide as its heading and a blank.
const INDEX_WIDTH: usize = 6;

/// A row, with the cells that the agent has.
pub(super) struct Row {
    pub(super) index: String,
    instance: Vec<u32>,
    pub(super) cells: Vec<Option<String>>,
}

/// Rows, and how wide their indexes are.
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    pub(super) index_width: usize,
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            index_width: INDEX_WIDTH,
        }
    }
}

impl Rows {
    pub(super) const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// The rows of a table, as they come.
pub(super) struct Retrieval<'a> {
    line: &'a CommandLine,
    get_next: bool,
    repetitions: u16,
    /// Whether GetNext brings all rows at once, so that parts can be laid out.
    is_whole: bool,
    session: Session,
    names: Names<'a>,
    rows: Rows,
    pub(super) total: usize,
    pub(super) is_done: bool,
    pub(super) has_extra_columns: bool,
    /// The instances after which GetNext continues.
    instance: Vec<u32>,
}

/// What a table ends with early.
type Code = u8;

impl<'a> Retrieval<'a> {
    pub(super) fn new(
        line: &'a CommandLine,
        letters: &Letters,
        session: Session,
        names: Names<'a>,
    ) -> Self {
        Self {
            line,
            get_next: letters.get_next,
            repetitions: letters.repetitions,
            is_whole: letters.layout.max_width > 0 && letters.layout.column_width == 0,
            session,
            names,
            rows: Rows::default(),
            total: 0,
            is_done: false,
            has_extra_columns: false,
            instance: Vec::new(),
        }
    }

    /// The next rows, all of them where GetBulk is used; a code, if the table ends early.
    pub(super) fn next_rows(
        &mut self,
        table: &mut Table,
        console: &mut Console,
    ) -> Result<Result<Rows, Code>, Stop> {
        self.rows.index_width = INDEX_WIDTH.max(self.rows.index_width);
        let outcome = match self.get_next {
            true => self.by_get_next(table, console)?,
            false => self.by_get_bulk(table, console)?,
        };
        let index_width = self.rows.index_width;
        let rows = mem::take(&mut self.rows);
        self.rows.index_width = index_width;
        self.total += rows.rows.len();
        Ok(outcome.map(|()| rows))
    }

    fn by_get_bulk(
        &mut self,
        table: &mut Table,
        console: &mut Console,
    ) -> Result<Result<(), Code>, Stop> {
        self.is_done = true;
        // No column has the number 0.
        let mut from = [table.row.as_slice(), &[0]].concat();
        loop {
            let Ok(name) = Oid::new(&from) else {
                return Ok(Ok(()));
            };
            let response = self.session.request(Command::GetBulk {
                non_repeaters: 0,
                max_repetitions: self.repetitions,
                names: &[name],
            });
            let response = match response {
                Ok(response) => response,
                Err(lost) => {
                    let code = self.session.print_lost(&lost, &mut self.names, console);
                    return Ok(Err(code));
                }
            };
            if let Some(code) = self.refused(&response, console)? {
                return Ok(code);
            }
            let mut next = None;
            for object in &response.var_binds {
                let instance = object.name.arcs().strip_prefix(table.row.as_slice());
                let Some([number, instance @ ..]) = instance else {
                    return Ok(Ok(()));
                };
                if object.value == Value::EndOfMibView {
                    return Ok(Ok(()));
                }
                next = Some(object.name.arcs().to_vec());
                let column = table
                    .columns
                    .iter()
                    .position(|column| column.number == *number);
                match column {
                    None => self.has_extra_columns = true,
                    Some(at) => {
                        if !self.put(&mut table.columns, at, instance, object) {
                            return Ok(Err(self.print_order(&object.name, console)));
                        }
                    }
                }
            }
            match next {
                Some(next) if next > from => from = next,
                _ => return Ok(Ok(())),
            }
        }
    }

    /// Asks for one row after the other, ten at most unless they have to be laid out together.
    fn by_get_next(
        &mut self,
        table: &mut Table,
        console: &mut Console,
    ) -> Result<Result<(), Code>, Stop> {
        while self.is_whole || self.rows.rows.len() < usize::from(self.repetitions) {
            let mut wanted = Vec::new();
            for column in &table.columns {
                let arcs = [table.row.as_slice(), &[column.number], &self.instance].concat();
                wanted.extend(Oid::new(&arcs));
            }
            let response = match self.session.request(Command::GetNext(&wanted)) {
                Ok(response) => response,
                Err(lost) => {
                    let code = self.session.print_lost(&lost, &mut self.names, console);
                    return Ok(Err(code));
                }
            };
            if let Some(code) = self.refused(&response, console)? {
                return Ok(code);
            }
            let mut row: Option<Vec<u32>> = None;
            let before = self.instance.clone();
            for (at, object) in response.var_binds.iter().enumerate() {
                let number = table.columns.get(at).map_or(0, |column| column.number);
                let column = [table.row.as_slice(), &[number]].concat();
                let Some(instance) = object.name.arcs().strip_prefix(column.as_slice()) else {
                    continue;
                };
                if object.value == Value::EndOfMibView {
                    continue;
                }
                // The first column that is there says which row it is.
                let row = row.get_or_insert_with(|| instance.to_vec()).clone();
                self.instance.clone_from(&row);
                let _ = self.put(&mut table.columns, at, &row, object);
            }
            if row.is_none() {
                self.is_done = true;
                break;
            }
            if self.instance <= before && !before.is_empty() {
                self.is_done = true;
                break;
            }
        }
        Ok(Ok(()))
    }

    /// What follows an error-status, if there is one.
    fn refused(
        &mut self,
        response: &Response,
        console: &mut Console,
    ) -> Result<Option<Result<(), Code>>, Stop> {
        match response.error_status {
            ErrorStatus::NoError => Ok(None),
            ErrorStatus::NoSuchName => {
                console.print("End of MIB\n")?;
                self.is_done = true;
                Ok(Some(Ok(())))
            }
            _ => {
                let shown = (&self.line.mib, &self.line.output);
                print_error_status(".", shown, response, console);
                Ok(Some(Err(ERROR_STATUS)))
            }
        }
    }

    /// Puts a value into its cell; `false` if there is one already.
    fn put(
        &mut self,
        columns: &mut [Column],
        at: usize,
        instance: &[u32],
        object: &VarBind,
    ) -> bool {
        let place = self
            .rows
            .rows
            .iter()
            .position(|row| row.instance == instance);
        let place = place.unwrap_or_else(|| {
            let index = self.shown_index(object, instance);
            self.rows.index_width = self.rows.index_width.max(index.len());
            self.rows.rows.push(Row {
                index,
                instance: instance.to_vec(),
                cells: columns.iter().map(|_| None).collect(),
            });
            self.rows.rows.len() - 1
        });
        let mut text = String::new();
        let (mib, options) = (&self.line.mib, &self.line.output);
        let (name, value) = (object.name.arcs(), object.value.as_value_ref());
        format_value(mib, options, name, value, &mut text);
        let text = text.replace('\n', " ");
        if let Some(column) = columns.get_mut(at) {
            column.width = column.width.max(text.len());
        }
        let row = self.rows.rows.get_mut(place);
        match row.and_then(|row| row.cells.get_mut(at)) {
            Some(cell) if cell.is_none() => {
                *cell = Some(text);
                true
            }
            _ => false,
        }
    }

    /// The index as it stands in names.
    fn shown_index(&self, object: &VarBind, instance: &[u32]) -> String {
        let (mib, options) = (&self.line.mib, &self.line.output);
        let arcs = object.name.arcs();
        let column = arcs.get(..arcs.len() - instance.len()).unwrap_or(arcs);
        let (mut whole, mut heading) = (String::new(), String::new());
        format_name(mib, options, arcs, &mut whole);
        format_name(mib, options, column, &mut heading);
        let index = whole.strip_prefix(&heading).unwrap_or(&whole);
        index.strip_prefix('.').unwrap_or(index).to_owned()
    }

    fn print_order(&self, name: &Oid, console: &mut Console) -> Code {
        let mut text = "OID not increasing: ".to_owned();
        format_name(&self.line.mib, &self.line.output, name.arcs(), &mut text);
        text.push('\n');
        console.error(&text);
        ERROR_STATUS
    }
}
