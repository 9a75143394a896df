use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::Value;

use super::get_next::{NotRead, next_instance};
use super::name_list::NameList;
use super::{Request, Stop, TOO_BIG, Workspace, error_at};
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
        workspace.row.push(name);
    }
    let mut bulk = Bulk {
        request,
        view,
        workspace,
        writer,
    };
    let count = bulk.workspace.row.len();
    let non_repeaters = request.pdu.non_repeaters().min(count);
    let outcome = bulk.append(non_repeaters, request.pdu.max_repetitions());
    let is_empty = bulk.writer.is_empty();
    match outcome {
        // What does not fit is left out, but something must fit.
        Err(End::Full) if is_empty => Err(TOO_BIG),
        Err(End::Full) | Ok(()) => Ok(()),
        Err(End::Failed { at }) => Err(error_at(ErrorStatus::GenErr, at)),
    }
}

enum End {
    Full,
    Failed { at: usize },
}

struct Bulk<'r, 'w, 'b> {
    request: &'r Request<'r>,
    view: &'r ViewTree,
    workspace: &'w mut Workspace,
    writer: &'w mut Writer<'b>,
}

impl Bulk<'_, '_, '_> {
    fn append(&mut self, non_repeaters: usize, max_repetitions: usize) -> Result<(), End> {
        let mut row = std::mem::take(&mut self.workspace.row);
        let mut next_row = std::mem::take(&mut self.workspace.next_row);
        let result = self.append_row(&row, 0..non_repeaters, None).and_then(|_| {
            let count = row.len();
            for _ in 0..max_repetitions {
                // The names of the repeaters are looked up behind the non-repeaters, whose names stay.
                next_row.clear();
                for at in 0..non_repeaters {
                    next_row.push(row.name(at));
                }
                let found = self.append_row(&row, non_repeaters..count, Some(&mut next_row))?;
                // RFC 3416 4.2.3: a row of endOfMibView alone ends the response.
                if !found {
                    break;
                }
                std::mem::swap(&mut row, &mut next_row);
            }
            Ok(())
        });
        self.workspace.row = row;
        self.workspace.next_row = next_row;
        result
    }

    /// Appends what follows each of the names in `range`, and collects what was found; whether anything was.
    fn append_row(
        &mut self,
        row: &NameList,
        range: std::ops::Range<usize>,
        mut next_row: Option<&mut NameList>,
    ) -> Result<bool, End> {
        let mut any = false;
        for at in range {
            let name = row.name(at);
            let Workspace { from, answer, .. } = &mut *self.workspace;
            from.set(name);
            let found = next_instance(self.request, self.view, from, answer, self.writer)
                .map_err(|error| end(&error, at))?;
            if !found {
                let length = self.writer.len();
                let appended = self.writer.append_var_bind(name, Value::EndOfMibView);
                if appended.is_err() {
                    self.writer.truncate(length);
                    return Err(End::Full);
                }
            }
            any |= found;
            if let Some(next_row) = next_row.as_deref_mut() {
                next_row.push(if found { answer.arcs() } else { name });
            }
        }
        Ok(any)
    }
}

const fn end(error: &NotRead, at: usize) -> End {
    match error {
        NotRead::Unwritten(EncodeError::BufferFull) => End::Full,
        NotRead::Unwritten(_) | NotRead::Failed => End::Failed { at },
    }
}
