use std::io;

/// What ends a message where the framing is not chunked (RFC 6242 section 4.3).
const END_OF_MESSAGE: &[u8] = b"]]>]]>";
/// What ends a message of chunks (RFC 6242 section 4.2).
const END_OF_CHUNKS: &[u8] = b"\n##\n";
/// The longest message that is taken.
const LONGEST: usize = 64 << 20;
/// The longest header of a chunk: LF, `#`, ten digits, LF.
const LONGEST_HEADER: usize = 13;

/// Where messages end in a stream (RFC 6242 section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// By a mark after each: in NETCONF 1.0, and around the hellos of both versions.
    EndOfMessage,
    /// By lengths of their chunks: in NETCONF 1.1, after the hellos.
    Chunked,
}

impl Framing {
    /// The octets of a message in the stream.
    pub(super) fn encode(self, message: &str) -> Vec<u8> {
        match self {
            Self::EndOfMessage => [message.as_bytes(), END_OF_MESSAGE].concat(),
            Self::Chunked => {
                let header = format!("\n#{}\n", message.len());
                [header.as_bytes(), message.as_bytes(), END_OF_CHUNKS].concat()
            }
        }
    }
}

/// The messages in a stream of octets.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// Octets that are not taken yet.
    octets: Vec<u8>,
    /// Chunks of the message that is not complete.
    message: Vec<u8>,
}

impl Messages {
    /// Octets that have come.
    pub(super) fn push(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
    }

    /// The next message, if it has come.
    ///
    /// # Errors
    /// If the stream is not framed so, or a message is no UTF-8 or longer than is taken.
    pub(super) fn next(&mut self, framing: Framing) -> io::Result<Option<String>> {
        if self.octets.len() + self.message.len() > LONGEST {
            return Err(wrong("a message is longer than 64 MiB"));
        }
        let message = match framing {
            Framing::EndOfMessage => self.until_mark(),
            Framing::Chunked => self.of_chunks()?,
        };
        let text = message.map(String::from_utf8).transpose();
        text.map_err(|_| wrong("a message is no UTF-8"))
    }

    fn until_mark(&mut self) -> Option<Vec<u8>> {
        let mut places = self.octets.windows(END_OF_MESSAGE.len());
        let length = places.position(|octets| octets == END_OF_MESSAGE)?;
        let message = self.octets.drain(..length).collect();
        self.octets.drain(..END_OF_MESSAGE.len());
        Some(message)
    }

    fn of_chunks(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut rest = self.octets.as_slice();
        let mut is_complete = false;
        while let Some((header, after)) = chunk_header(rest)? {
            match header {
                None => {
                    (rest, is_complete) = (after, true);
                    break;
                }
                Some(length) => match after.split_at_checked(length) {
                    None => break,
                    Some((chunk, after)) => {
                        self.message.extend_from_slice(chunk);
                        rest = after;
                    }
                },
            }
        }
        self.octets.drain(..self.octets.len() - rest.len());
        Ok(is_complete.then(|| std::mem::take(&mut self.message)))
    }
}

/// What a stream begins with, if that has come: the length of a chunk, or `None` for the end of all chunks; and what follows it.
fn chunk_header(octets: &[u8]) -> io::Result<Option<(Option<usize>, &[u8])>> {
    const NO_HEADER: &str = "a chunk begins without its length";
    let start = octets.get(..LONGEST_HEADER).unwrap_or(octets);
    if !start.starts_with(b"\n#") && !b"\n#".starts_with(start) {
        return Err(wrong(NO_HEADER));
    }
    let digits = start.get(2..).unwrap_or_default();
    let Some(length) = digits.iter().position(|octet| *octet == b'\n') else {
        return match start.len() {
            LONGEST_HEADER => Err(wrong(NO_HEADER)),
            _ => Ok(None),
        };
    };
    let (digits, after) = (
        digits.get(..length).unwrap_or_default(),
        octets.get(length + 3..).unwrap_or_default(),
    );
    let length = match digits {
        b"#" => None,
        digits => {
            let text = str::from_utf8(digits).ok();
            let length = text.and_then(|text| text.parse().ok());
            let length = length.filter(|length| (1..=LONGEST).contains(length));
            Some(length.ok_or_else(|| wrong(NO_HEADER))?)
        }
    };
    Ok(Some((length, after)))
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("NETCONF: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of a stream that comes in pieces of some octets each.
    fn messages(stream: &[u8], piece: usize, framing: Framing) -> io::Result<Vec<String>> {
        let mut messages = Messages::default();
        let mut all = Vec::new();
        for octets in stream.chunks(piece) {
            messages.push(octets);
            while let Some(message) = messages.next(framing)? {
                all.push(message);
            }
        }
        Ok(all)
    }

    #[test]
    fn messages_are_found_wherever_the_stream_is_cut() {
        let texts = ["<a/>", "<b>\n#3\n]]></b>", "<c>\u{e9}</c>"];
        for framing in [Framing::EndOfMessage, Framing::Chunked] {
            let stream: Vec<u8> = texts.iter().flat_map(|text| framing.encode(text)).collect();
            for piece in 1..=stream.len() {
                assert_eq!(messages(&stream, piece, framing).unwrap(), texts);
            }
        }
        // The example of RFC 6242 section 4.2.
        let chunks = b"\n#4\n<rpc\n#18\n message-id=\"102\"\n\n#2\n/>\n##\n";
        for piece in 1..=chunks.len() {
            let read = messages(chunks, piece, Framing::Chunked).unwrap();
            assert_eq!(read, ["<rpc message-id=\"102\"\n/>"]);
        }
    }

    #[test]
    fn streams_that_are_framed_otherwise_are_refused() {
        for stream in [
            b"<rpc/>".as_slice(),
            b"\n<rpc/>",
            b"\n#0\n",
            b"\n#-1\n",
            b"\n#99999999\n",
            b"\n#4294967296\n",
            b"\n#12345678901",
            b"\n#3\nabc\n##<hello/>12345",
            b"\n#2\n\xff\xff\n##\n",
        ] {
            messages(stream, 1, Framing::Chunked).unwrap_err();
        }
    }
}
