//! What coding costs with each compression: a response with 216 objects of ifTable, the size of the study of 2004.
//!
//! `plain` writes the message in BER or reads it with all names and values; the others do the same and compress or expand it. The
//! dictionary is that of a session in which the same table was read before with other counters.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use varbind::codec::ber::{EncodeError, Writer};
use varbind::codec::message::{CommunityMessage, Version};
use varbind::codec::pdu::{Pdu, PduType};
use varbind::codec::smi::{OidScratch, ValueRef};
use varbind::compression::{
    DictionaryDecoder, DictionaryEncoder, NameCompression, compress_message, expand_message,
};

const ROWS: u32 = 12;
const COLUMNS: u32 = 18;

/// A response by columns, whose counters are those of the `time`th reading.
fn encode(time: u32, buffer: &mut [u8]) -> Result<Vec<u8>, EncodeError> {
    let mut writer = Writer::new(buffer, CommunityMessage::HEADROOM)?;
    for column in 1..=COLUMNS {
        for row in 1..=ROWS {
            let digits = (row * COLUMNS + column)
                .wrapping_add(time)
                .wrapping_mul(2_654_435_761);
            let value = match column {
                1 => ValueRef::Integer(row.cast_signed()),
                2 => ValueRef::OctetString(b"GigabitEthernet0/1"),
                3 | 4 | 7 | 8 => ValueRef::Integer(6),
                10 | 16 => ValueRef::Counter32(digits),
                11 | 17 => ValueRef::Counter32(digits >> 8),
                _ => ValueRef::Counter32(0),
            };
            writer.append_var_bind(&[1, 3, 6, 1, 2, 1, 2, 2, 1, column, row], value)?;
        }
    }
    writer.prepend_pdu(PduType::Response, 0x1234_5678, 0, 0)?;
    writer.prepend_community_header(Version::V2c, b"public")?;
    Ok(writer.written().to_vec())
}

/// Reads all names and values.
fn decode(message: &[u8]) -> Option<usize> {
    let Pdu::Common(pdu) = CommunityMessage::decode(message).ok()?.pdu else {
        return None;
    };
    let mut scratch = OidScratch::new();
    let mut count = 0;
    for var_bind in pdu.var_binds {
        let var_bind = var_bind.ok()?;
        count += black_box(var_bind.name.decode_into(&mut scratch)).len();
        black_box(var_bind.value);
    }
    Some(count)
}

fn coding(criterion: &mut Criterion) {
    let mut buffer = vec![0; 65_536];
    let mut group = criterion.benchmark_group("response of 216 objects");
    group.throughput(Throughput::Elements(u64::from(ROWS * COLUMNS)));
    let plain = encode(0, &mut buffer).unwrap_or_default();
    group.bench_function("plain encode", |bencher| {
        bencher.iter(|| encode(black_box(0), &mut buffer));
    });
    group.bench_function("plain decode", |bencher| {
        bencher.iter(|| decode(black_box(&plain)));
    });
    for names in [NameCompression::Prefix, NameCompression::Delta] {
        let compressed = compress_message(&plain, names).unwrap_or_default();
        println!("{names}: {} octets of {}", compressed.len(), plain.len());
        group.bench_function(format!("{names} encode"), |bencher| {
            bencher.iter(|| {
                let message = encode(black_box(0), &mut buffer).unwrap_or_default();
                compress_message(&message, names)
            });
        });
        group.bench_function(format!("{names} decode"), |bencher| {
            bencher.iter(|| {
                let message = expand_message(black_box(&compressed), 65_507);
                decode(&message.unwrap_or_default())
            });
        });
    }
    let mut time = 0;
    let mut encoder = DictionaryEncoder::new();
    group.bench_function("dictionary encode", |bencher| {
        bencher.iter(|| {
            time += 1;
            let message = encode(time, &mut buffer).unwrap_or_default();
            let message = compress_message(&message, NameCompression::Successor);
            let mut frame = Vec::new();
            let done = encoder.compress(&message.unwrap_or_default(), &mut frame);
            (done.is_ok(), frame)
        });
    });
    let frames: Vec<_> = {
        let mut encoder = DictionaryEncoder::new();
        (0..200)
            .filter_map(|time| {
                let message = encode(time, &mut buffer).ok()?;
                let message = compress_message(&message, NameCompression::Successor).ok()?;
                let mut frame = Vec::new();
                encoder.compress(&message, &mut frame).ok()?;
                Some(frame)
            })
            .collect()
    };
    let mut at = 0;
    let mut decoder = DictionaryDecoder::new();
    group.bench_function("dictionary decode", |bencher| {
        bencher.iter(|| {
            if at == frames.len() {
                // From the beginning, as the encoder did.
                at = 0;
                decoder = DictionaryDecoder::new();
            }
            let expanded = decoder.expand(&frames[at], 65_507).map(<[u8]>::to_vec);
            at += 1;
            let message = expand_message(&expanded.unwrap_or_default(), 65_507);
            decode(&message.unwrap_or_default())
        });
    });
    group.finish();
}

criterion_group!(benches, coding);
criterion_main!(benches);
