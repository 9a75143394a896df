use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::ValueRef;

use super::get_next::{NotRead, Search};
use super::name_list::NameList;
use super::{Request, Stop, TOO_BIG, Workspace, admission, error_at};
use crate::access_control::ViewTree;

/// GetBulkRequest-PDU (RFC 3416 section 4.2.3).
pub(super) fn process(
    request: &Request<'_>,
    view: &ViewTree,
    workspace: &mut Workspace,
    writer: &mut Writer<'_>,
) -> Result<(), Stop> {
    workspace.row.clear();
    for var_bind in request.pdu.var_binds.clone() {
        let name = var_bind?.name.decode_into(&mut workspace.asked);
        workspace.row.push(name, false);
    }
    let admits = |_: &[u32], value: &ValueRef<'_>| admission(request.version, value);
    let mut bulk = Bulk {
        search: Search::new(request.context, request.registry, view, &admits),
        workspace,
        writer,
    };
    let count = bulk.workspace.row.len();
    let non_repeaters = request.pdu.non_repeaters().min(count);
    bulk.writer
        .limit_appended(request.bulk_room.min(request.room));
    let outcome = bulk.append(non_repeaters, request.pdu.max_repetitions());
    let is_empty = bulk.writer.is_empty();
    bulk.writer.limit_appended(request.room);
    let outcome = match outcome {
        // What does not fit is left out, but something must fit.
        Err(End::Full) if is_empty => bulk.append_first(),
        Err(End::Full) => Ok(()),
        outcome => outcome,
    };
    outcome.map_err(|end| match end {
        End::Full => TOO_BIG,
        End::MustWait => Stop::MustWait,
        End::Failed { at } | End::TooLong { at } => error_at(ErrorStatus::GenErr, at),
    })
}

enum End {
    Full,
    MustWait,
    Failed { at: usize },
    TooLong { at: usize },
}

struct Bulk<'r, 'w, 'b> {
    search: Search<'r>,
    workspace: &'w mut Workspace,
    writer: &'w mut Writer<'b>,
}

impl Bulk<'_, '_, '_> {
    fn append(&mut self, non_repeaters: usize, max_repetitions: usize) -> Result<(), End> {
        let mut row = std::mem::take(&mut self.workspace.row);
        let mut next_row = std::mem::take(&mut self.workspace.next_row);
        let result =
            self.append_repetitions(non_repeaters, max_repetitions, &mut row, &mut next_row);
        self.workspace.row = row;
        self.workspace.next_row = next_row;
        result
    }

    /// Appends what follows the first name alone: a value that does not go with others must not stop a walk.
    fn append_first(&mut self) -> Result<(), End> {
        let row = std::mem::take(&mut self.workspace.row);
        let mut next_row = std::mem::take(&mut self.workspace.next_row);
        let result = self.append_row(&row, 0..1, &mut next_row);
        self.workspace.row = row;
        self.workspace.next_row = next_row;
        result.map(|_| ())
    }

    fn append_repetitions(
        &mut self,
        non_repeaters: usize,
        max_repetitions: usize,
        row: &mut NameList,
        next_row: &mut NameList,
    ) -> Result<(), End> {
        self.append_row(row, 0..non_repeaters, next_row)?;
        // The names of the first row begin with those of the non-repeaters.
        let mut range = non_repeaters..row.len();
        for repetition in 0..max_repetitions {
            self.search.may_end = repetition > 0;
            let (length, variables) = (self.writer.len(), self.workspace.variables);
            let found = match self.append_row(row, range.clone(), next_row) {
                // RFC 3416 4.2.3 (3): a response that takes too long may end after a complete repetition.
                Err(End::TooLong { .. }) if repetition > 0 => {
                    self.writer.truncate(length);
                    self.workspace.variables = variables;
                    return Ok(());
                }
                Err(end) => return Err(end.behind(non_repeaters, repetition)),
                Ok(found) => found,
            };
            // RFC 3416 4.2.3: a row of endOfMibView alone ends the response.
            if !found {
                break;
            }
            std::mem::swap(row, next_row);
            range = 0..row.len();
        }
        Ok(())
    }

    /// Appends what follows each of the names in `range`, and collects what was found; whether anything was.
    fn append_row(
        &mut self,
        row: &NameList,
        range: std::ops::Range<usize>,
        next_row: &mut NameList,
    ) -> Result<bool, End> {
        next_row.clear();
        let mut any = false;
        let Workspace {
            from,
            answer,
            variables,
            ..
        } = &mut *self.workspace;
        for at in range {
            let (name, has_ended) = row.name(at);
            let mut found = false;
            if !has_ended {
                from.set(name);
                found = self
                    .search
                    .next_instance(from, answer, self.writer)
                    .map_err(|error| end(&error, at))?;
            }
            if found {
                next_row.push(answer.arcs(), false);
                *variables += 1;
                any = true;
                continue;
            }
            let length = self.writer.len();
            let appended = self.writer.append_var_bind(name, ValueRef::EndOfMibView);
            if appended.is_err() {
                self.writer.truncate(length);
                return Err(End::Full);
            }
            next_row.push(name, true);
        }
        Ok(any)
    }
}

impl End {
    /// The rows behind the first one are without the non-repeaters, but not the request.
    fn behind(self, non_repeaters: usize, repetition: usize) -> Self {
        let offset = if repetition == 0 { 0 } else { non_repeaters };
        match self {
            Self::Full => Self::Full,
            Self::MustWait => Self::MustWait,
            Self::Failed { at } => Self::Failed { at: at + offset },
            Self::TooLong { at } => Self::TooLong { at: at + offset },
        }
    }
}

const fn end(error: &NotRead, at: usize) -> End {
    match error {
        NotRead::Unwritten(EncodeError::BufferFull) => End::Full,
        NotRead::Unwritten(_) | NotRead::Failed => End::Failed { at },
        NotRead::MustWait => End::MustWait,
        NotRead::TooLong => End::TooLong { at },
    }
}
