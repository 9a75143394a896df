//! What agent and runner tell each other: a message in each packet, with file descriptors beside it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

use super::{Place, Question};

/// Longer messages are none: the longest names a configuration's error.
const LONGEST: usize = 16_384;
/// The pipes of a program.
const DESCRIPTORS: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Request {
    /// Reads the configuration, which has this checksum. Of those that it has read before, it keeps the one in use.
    Read { checksum: u32, in_use: Option<u32> },
    /// Starts a program. The answer brings its output, and its input if that is wanted.
    Start {
        place: Place,
        question: Option<Question>,
        wants_input: bool,
    },
    /// Asks whether it has ended.
    Look { run: u64 },
    /// Ends it, with all that it started.
    End { run: u64 },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The configuration was read.
    Read,
    Started {
        run: u64,
    },
    /// `None` as long as it runs.
    Status {
        status: Option<i32>,
    },
    Refused {
        problem: String,
    },
}

/// Sends a message.
pub(super) fn send(
    socket: impl AsFd,
    message: &impl Serialize,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let octets = serde_json::to_vec(message)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("too many file descriptors"));
    }
    let slices = [IoSlice::new(&octets)];
    sendmsg(socket, &slices, &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives a message; `None` when the other side has ended.
pub(super) fn receive<T: for<'de> Deserialize<'de>>(
    socket: impl AsFd,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut octets = vec![0; LONGEST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut slices = [IoSliceMut::new(&mut octets)];
    let received = loop {
        match recvmsg(
            &socket,
            &mut slices,
            &mut ancillary,
            RecvFlags::CMSG_CLOEXEC,
        ) {
            Err(rustix::io::Errno::INTR) => {}
            received => break received?,
        }
    };
    let descriptors = ancillary.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
        _ => Vec::new(),
    });
    let descriptors = descriptors.collect();
    if received.bytes == 0 {
        return Ok(None);
    }
    if received.flags.contains(ReturnFlags::TRUNC) {
        return Err(io::Error::other("a message is too long"));
    }
    let message = octets.get(..received.bytes).unwrap_or_default();
    Ok(Some((serde_json::from_slice(message)?, descriptors)))
}
