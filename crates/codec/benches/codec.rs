//! How long one message takes to read and to write.

use std::hint::black_box;

#[cfg(feature = "experiments")]
use criterion::BenchmarkGroup;
#[cfg(feature = "experiments")]
use criterion::measurement::WallTime;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use varbind_codec::ber::{EncodeError, Writer};
#[cfg(feature = "experiments")]
use varbind_codec::compression::NameCompression;
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::{OidScratch, ValueRef};

/// A PDU and its variable bindings.
struct Message<'a> {
    pdu_type: PduType,
    var_binds: Vec<([u32; 11], ValueRef<'a>)>,
}

impl Message<'_> {
    /// A request for ifInOctets.1.
    fn get() -> Self {
        Self {
            pdu_type: PduType::GetRequest,
            var_binds: vec![([1, 3, 6, 1, 2, 1, 2, 2, 1, 10, 1], ValueRef::Null)],
        }
    }

    /// 50 values of ifTable, five columns of ten interfaces.
    fn if_table() -> Self {
        let columns = [
            (1, ValueRef::Integer(42)),
            (2, ValueRef::OctetString(b"GigabitEthernet0/1")),
            (5, ValueRef::Gauge32(1_000_000_000)),
            (9, ValueRef::TimeTicks(8_640_000)),
            (10, ValueRef::Counter32(3_123_456_789)),
        ];
        let rows = (1..=10_u32).flat_map(|row| columns.map(|column| (row, column)));
        Self {
            pdu_type: PduType::Response,
            var_binds: rows
                .map(|(row, (column, value))| ([1, 3, 6, 1, 2, 1, 2, 2, 1, column, row], value))
                .collect(),
        }
    }

    /// Writes the message and returns it.
    fn write<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b [u8], EncodeError> {
        let mut writer = Writer::new(buffer, CommunityMessage::HEADROOM)?;
        for (name, value) in &self.var_binds {
            writer.append_var_bind(name, *value)?;
        }
        writer.prepend_pdu(self.pdu_type, 0x1234_5678, 0, 0)?;
        writer.prepend_community_header(Version::V2c, b"public")?;
        let range = writer.range();
        buffer.get(range).ok_or(EncodeError::BufferFull)
    }
}

/// Reads all of a message, names as numbers too, and returns how many numbers there are in them.
fn read(message: &[u8], scratch: &mut OidScratch) -> Option<usize> {
    let Pdu::Common(pdu) = CommunityMessage::decode(message).ok()?.pdu else {
        return None;
    };
    let mut count = 0;
    for var_bind in pdu.var_binds {
        let var_bind = var_bind.ok()?;
        count += var_bind.name.decode_into(scratch).len();
        black_box(var_bind.value);
    }
    Some(count)
}

fn codec(criterion: &mut Criterion) {
    let messages = [
        ("get", Message::get()),
        ("response of 50 bindings", Message::if_table()),
    ];
    for (what, message) in &messages {
        let mut buffer = [0; 4096];
        let octets = message
            .write(&mut buffer)
            .map(<[u8]>::to_vec)
            .unwrap_or_default();
        let expected = 11 * message.var_binds.len();
        let mut scratch = OidScratch::new();
        assert_eq!(read(&octets, &mut scratch), Some(expected), "{what}");

        let mut group = criterion.benchmark_group(*what);
        group.throughput(Throughput::Elements(message.var_binds.len() as u64));
        group.bench_function("decode", |bencher| {
            bencher.iter(|| read(black_box(&octets), &mut scratch));
        });
        group.bench_function("encode", |bencher| {
            bencher.iter(|| {
                black_box(message)
                    .write(black_box(&mut buffer))
                    .map(<[u8]>::len)
            });
        });
        #[cfg(feature = "experiments")]
        for compression in NameCompression::ALL {
            compressed(&mut group, compression, &octets);
        }
        group.finish();
    }
}

/// What compression of the names costs beside reading and writing.
#[cfg(feature = "experiments")]
fn compressed(
    group: &mut BenchmarkGroup<'_, WallTime>,
    compression: NameCompression,
    octets: &[u8],
) {
    let Ok(message) = CommunityMessage::decode(octets) else {
        return;
    };
    let Pdu::Common(pdu) = message.pdu else {
        return;
    };
    let list = pdu.var_binds.encoded();
    let mut compressed = Vec::new();
    let done = compression.compress(list, usize::MAX, &mut compressed);
    assert!(done.is_ok());
    let mut expanded = Vec::new();
    group.bench_function(format!("{compression} compress"), |bencher| {
        let mut output = Vec::new();
        bencher.iter(|| compression.compress(black_box(list), usize::MAX, &mut output));
    });
    group.bench_function(format!("{compression} expand"), |bencher| {
        bencher.iter(|| compression.expand(black_box(&compressed), usize::MAX, &mut expanded));
    });
    assert_eq!(expanded, list);
}

criterion_group!(benches, codec);
criterion_main!(benches);
