use varbind_codec::ber::Writer;
use varbind_codec::compression::{Compressed, NameCompression};
use varbind_codec::pdu::{ErrorStatus, PduType};

use super::{CommandResponder, NotProcessed, Request, Workspace};

/// How much more than fits is put together for a response that will be smaller. What was too much is cut off, so that this
/// bounds the work, not the response.
const EXCESS: usize = 2;

impl CommandResponder {
    /// As [`process_pdu`](Self::process_pdu), with compressed names if possible; the result says whether they are.
    pub(crate) fn process_compressed_pdu(
        &self,
        request: &Request<'_>,
        names: NameCompression,
        workspace: &mut Workspace,
        writer: &mut Writer<'_>,
    ) -> Result<((ErrorStatus, i32), Option<NameCompression>), NotProcessed> {
        let bulk_room = request.bulk_room.min(request.room);
        let is_bulk = request.pdu.pdu_type == PduType::GetBulkRequest;
        if is_bulk {
            let larger = Request {
                room: request.room.max(EXCESS * bulk_room),
                bulk_room: EXCESS * bulk_room,
                ..*request
            };
            writer.limit_appended(larger.room);
            let error = self.process_pdu(&larger, workspace, writer)?;
            if error.0 == ErrorStatus::NoError
                && compress(
                    names,
                    Room::Cut(bulk_room),
                    &mut workspace.compressed,
                    writer,
                )
            {
                return Ok((error, Some(names)));
            }
            // Not one binding fits, or they cannot be compressed: as if compression had not been requested.
            writer.truncate(0);
            writer.limit_appended(request.room);
        }
        let error = self.process_pdu(request, workspace, writer)?;
        let is_compressed = compress(
            names,
            Room::Whole(request.room),
            &mut workspace.compressed,
            writer,
        );
        Ok((error, is_compressed.then_some(names)))
    }
}

/// How many octets a list may take, and what is done with one that takes more.
#[derive(Clone, Copy)]
enum Room {
    /// It is cut behind a binding.
    Cut(usize),
    /// It stays as it is.
    Whole(usize),
}

/// Compresses what was written; `false` if it stays as it is.
fn compress(
    names: NameCompression,
    room: Room,
    compressed: &mut Vec<u8>,
    writer: &mut Writer<'_>,
) -> bool {
    let length = writer.len();
    let (limit, least) = match room {
        Room::Cut(limit) => (limit, length.min(1)),
        Room::Whole(limit) => (limit, length),
    };
    match names.compress(writer.written(), limit, compressed) {
        Ok(Compressed { taken }) if taken >= least && compressed.len() <= length => {}
        _ => return false,
    }
    writer.truncate(0);
    // There is room for it where more was.
    writer.append(compressed).is_ok()
}
