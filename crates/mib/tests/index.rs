//! The index codec against every index that is built in.
#![cfg(test)]

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any};
use proptest::sample::select;
use proptest::{prop_assert, prop_assert_eq, proptest};

use varbind_mib::{BaseType, Index, IndexError, IndexPart, IndexValue, Kind, Mib, Syntax};

fn indexes(mib: &Mib) -> Vec<Index<'_>> {
    mib.subtree(&[1, 3])
        .filter(|object| object.kind() == Kind::Row)
        .map(|object| object.index().expect("a row has an index"))
        .collect()
}

fn number(syntax: Syntax<'static>) -> BoxedStrategy<u32> {
    if !syntax.named_numbers().is_empty() {
        let numbers: Vec<u32> = syntax
            .named_numbers()
            .iter()
            .filter_map(|(_, number)| u32::try_from(number).ok())
            .collect();
        return select(numbers).boxed();
    }
    match syntax.ranges().to_vec() {
        ranges if ranges.is_empty() => any::<u32>().boxed(),
        ranges => select(ranges)
            .prop_flat_map(|(lowest, highest)| lowest.max(0)..=highest)
            .prop_map(|number| u32::try_from(number).expect("in range"))
            .boxed(),
    }
}

fn value(part: IndexPart<'static>) -> BoxedStrategy<IndexValue> {
    let syntax = part.syntax();
    match syntax.base() {
        BaseType::OctetString => {
            let ranges = match syntax.ranges().to_vec() {
                ranges if ranges.is_empty() => vec![(0, 40)],
                ranges => ranges,
            };
            select(ranges)
                .prop_flat_map(|(lowest, highest)| {
                    let count = |number: i64| usize::try_from(number.min(300)).expect("small");
                    vec(any::<u8>(), count(lowest)..=count(highest))
                })
                .prop_map(IndexValue::Octets)
                .boxed()
        }
        BaseType::ObjectIdentifier => vec(any::<u32>(), 0..20)
            .prop_map(IndexValue::ObjectIdentifier)
            .boxed(),
        BaseType::IpAddress => any::<[u8; 4]>().prop_map(IndexValue::IpAddress).boxed(),
        _ => number(syntax).prop_map(IndexValue::Number).boxed(),
    }
}

/// An index that is built in, and values for its columns.
fn index_and_values() -> impl Strategy<Value = (Index<'static>, Vec<IndexValue>)> {
    let mib: &'static Mib = Box::leak(Box::new(Mib::builtin()));
    select(indexes(mib)).prop_flat_map(|index| {
        let values: Vec<_> = index.parts().iter().map(value).collect();
        (Just(index), values)
    })
}

fn fixed_string() -> Index<'static> {
    const SYNTAX: Syntax<'static> = Syntax::new(BaseType::OctetString)
        .convention("MacAddress")
        .hint("1x:")
        .range(&[(6, 6)]);
    const NUMBER: Syntax<'static> = Syntax::new(BaseType::Integer32);
    const PARTS: &[IndexPart<'static>] = &[
        IndexPart::new("address", SYNTAX, false),
        IndexPart::new("number", NUMBER, false),
    ];
    Index::new(PARTS)
}

proptest! {
    #[test]
    fn values_survive_encoding_and_decoding((index, values) in index_and_values()) {
        let instance = index.encode(&values).expect("values that are allowed");
        prop_assert_eq!(index.decode(&instance), Ok(values.clone()));
        prop_assert_eq!(index.show(&instance).map(|shown| shown.len()), Some(values.len()));
    }

    #[test]
    fn a_shorter_or_longer_instance_is_no_other_value((index, values) in index_and_values()) {
        let mut instance = index.encode(&values).expect("values that are allowed");
        let is_open_ended = index.parts().iter().last().is_some_and(IndexPart::is_implied);
        if !is_open_ended {
            let shorter = instance.split_last().map(|(_, rest)| rest.to_vec());
            prop_assert!(index.decode(&shorter.unwrap_or_default()).is_err());
            instance.push(1);
            prop_assert_eq!(index.decode(&instance), Err(IndexError::TooLong { rest: 1 }));
        }
    }

    #[test]
    fn what_decodes_is_encoded_alike(numbers in vec(any::<u8>(), 0..40), at in any::<usize>()) {
        let mib = Mib::builtin();
        let indexes = indexes(&mib);
        let index = indexes[at % indexes.len()];
        let instance: Vec<u32> = numbers.into_iter().map(u32::from).collect();
        if let Ok(values) = index.decode(&instance)
            && let Ok(encoded) = index.encode(&values)
        {
            prop_assert_eq!(encoded, instance);
        }
    }

    #[test]
    fn a_name_that_is_shown_is_read_as_the_same_name((index, values) in index_and_values(), at in any::<usize>()) {
        let mib = Mib::builtin();
        let columns: Vec<_> = mib
            .subtree(&[1, 3])
            .filter(|object| object.kind() == Kind::Column)
            .filter(|object| {
                let row = &object.oid()[..object.oid().len() - 1];
                mib.object_at(row).and_then(|row| row.index()) == Some(index)
            })
            .collect();
        let column = columns[at % columns.len()];
        let mut name = column.oid().to_vec();
        name.extend(index.encode(&values).expect("values that are allowed"));
        // What is printed of strings that do not print is not meant to be read.
        let prints = values.iter().all(|value| match value {
            IndexValue::Octets(octets) => octets.iter().all(|octet| {
                octet.is_ascii_alphanumeric()
            }),
            _ => true,
        });
        if name.len() <= 128 && prints {
            let mut text = String::new();
            varbind_mib::format_name(&mib, &varbind_mib::OutputOptions::default(), &name, &mut text);
            let read = mib.resolve(&text).expect("a name that can be read");
            prop_assert_eq!(read.arcs(), &name[..], "{}", text);
        }
    }
}

#[test]
fn strings_of_fixed_length_have_no_length_in_front() {
    let index = fixed_string();
    let values = [
        IndexValue::Octets(vec![2, 0xfc, 0, 0, 0, 1]),
        IndexValue::Number(7),
    ];
    let instance = index.encode(&values).expect("6 octets");
    assert_eq!(instance, [2, 0xfc, 0, 0, 0, 1, 7]);
    assert_eq!(index.decode(&instance), Ok(values.to_vec()));
    assert_eq!(
        index.show(&instance),
        Some(vec!["2:fc:0:0:0:1".to_owned(), "7".to_owned()])
    );
    let short = [IndexValue::Octets(vec![1; 5]), IndexValue::Number(7)];
    let error = index.encode(&short).map_err(|error| error.to_string());
    let expected = "5 is out of range for the index column address (6)";
    assert_eq!(error, Err(expected.to_owned()));
}

#[test]
fn an_instance_that_is_no_index_is_refused_with_its_column() {
    let mib = Mib::builtin();
    let index = mib.table("ipAddressTable").expect("a table").index();
    let refused = |instance: &[u32]| index.decode(instance).map_err(|error| error.to_string());
    assert_eq!(
        refused(&[1, 4, 127, 0, 0]),
        Err("the instance ends before the index column ipAddressAddr is complete".to_owned())
    );
    assert_eq!(
        refused(&[1, 4, 127, 0, 0, 256]),
        Err("256 in the index column ipAddressAddr is not an octet (0 to 255)".to_owned())
    );
    assert_eq!(
        refused(&[1, 4_294_967_295, 1]),
        Err("the instance ends before the index column ipAddressAddr is complete".to_owned())
    );
}
