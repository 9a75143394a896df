use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use varbind_codec::smi::Value;
use varbind_engine::instrumentation::Storage;

use super::super::StorageType;
use super::{Fixture, TABLE};

/// What is shown of all rows that are to be on the disk, secrets included.
fn kept(fixture: &Fixture) -> Vec<String> {
    let rows = fixture.table.rows();
    let rows = rows
        .iter()
        .filter(|row| row.storage_type() != StorageType::Volatile);
    rows.map(|row| {
        let columns = TABLE.readable();
        let values: Vec<_> = columns.iter().map(|column| row.value(*column)).collect();
        format!("{:?} {values:?} {:?}", row.index(), row.secret(101))
    })
    .collect()
}

/// Mostly of the right syntax.
fn any_assignment() -> impl Strategy<Value = (u32, String, Value)> {
    let octets = |most| proptest::collection::vec(any::<u8>(), 0..=most);
    let octets = move |most| octets(most).prop_map(Value::OctetString);
    let integer = |most: i32| (0..=most).prop_map(Value::Integer);
    let status = prop_oneof![Just(1), Just(4), Just(4), Just(5), Just(5), 0..8_i32];
    let cell = prop_oneof![
        3 => (Just(2_u32), octets(5)),
        1 => (Just(3), integer(11)),
        1 => (Just(4), octets(3)),
        1 => (Just(5), integer(6)),
        4 => (Just(6), status.prop_map(Value::Integer)),
        1 => (Just(8), octets(17)),
        1 => (1..10_u32, integer(3)),
    ];
    ("[a-e]", cell).prop_map(|(index, (column, value))| (column, index, value))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    /// Whatever managers set: there are no more rows than there may be, what is active has what it needs, what is
    /// refused or undone changes nothing, and the next agent has what this one had.
    #[test]
    fn any_sets_leave_a_table_that_the_next_agent_has_as_well(
        sets in proptest::collection::vec(
            (proptest::collection::vec(any_assignment(), 1..3), proptest::bool::weighted(0.2)),
            0..80,
        ),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let fixture = Fixture::open(directory.path());
        for (set, is_undone) in &sets {
            let before = kept(&fixture);
            let wish: Vec<_> = set
                .iter()
                .map(|(column, index, value)| (*column, index.as_str(), value.as_value_ref()))
                .collect();
            match fixture.prepare(&wish) {
                Err((at, _)) => assert!(at < wish.len()),
                Ok(mut prepared) => {
                    prepared.iter_mut().for_each(|set| set.commit().unwrap());
                    if *is_undone {
                        prepared.iter_mut().for_each(|set| set.undo().unwrap());
                        assert_eq!(kept(&fixture), before);
                    }
                }
            }
            fixture.store.make_durable().unwrap();
            let rows = fixture.table.rows();
            assert!(rows.iter().count() <= TABLE.capacity);
            assert!(rows.active().all(|row| row.octets(2).is_some()));
        }
        let before = kept(&fixture);
        drop(fixture);
        assert_eq!(kept(&Fixture::open(directory.path())), before);
    }
}
