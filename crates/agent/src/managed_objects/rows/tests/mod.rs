//! RFC 2579, RowStatus and StorageType, with a table made up for it.

use std::path::Path;
use std::sync::Arc;

use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_engine::clock::Instant;
use varbind_engine::instrumentation::{
    ManagedObject, PreparedSet, Registry, RequestContext, SetError, Storage,
};

use super::index::split;
use super::*;
use crate::persistence::{Mode, Store};

/// name (IMPLIED), address (required), weight (DEFVAL 1), note (fixed while active), storage type, status; a secret.
static TABLE: TableDescription = TableDescription {
    name: "testTable",
    entry: &[1, 3, 6, 1, 4, 1, 32473, 1, 1],
    index: &[IndexPart::ImpliedText(1, 8)],
    columns: &[
        Column::required(2, Syntax::Octets(1, 4)),
        Column::with_default(3, Syntax::Integer(0, 10), Constant::Integer(1)),
        Column::with_default(4, Syntax::AdminString(0, 8), Constant::Octets(b""))
            .fixed_while_active(),
        Column::storage_type(5),
        Column::row_status(6),
        Column::read_only(7, Syntax::Integer(0, 10)),
        Column::optional(8, Syntax::Octets(0, 16)).shown_as(Constant::Octets(b"")),
        Column::secret(101),
    ],
    capacity: 4,
};

const ACTIVE: ValueRef<'static> = ValueRef::Integer(1);
const NOT_IN_SERVICE: ValueRef<'static> = ValueRef::Integer(2);
const NOT_READY: ValueRef<'static> = ValueRef::Integer(3);
const CREATE_AND_GO: ValueRef<'static> = ValueRef::Integer(4);
const CREATE_AND_WAIT: ValueRef<'static> = ValueRef::Integer(5);
const DESTROY: ValueRef<'static> = ValueRef::Integer(6);
const ADDRESS: ValueRef<'static> = ValueRef::OctetString(b"here");

/// The secret is what column 8 was set to.
struct Rules;

impl RowRules for Rules {
    fn assign(&self, row: &mut Row, assignment: &Assignment, _: &RowSet) -> Result<(), SetError> {
        match (assignment.column, assignment.octets()) {
            (8, Some(octets)) => row.put(101, Some(Cell::Secret(octets.to_vec().into()))),
            _ => assignment.put_into(row),
        }
        Ok(())
    }
}

struct Fixture {
    store: Arc<Store>,
    table: Arc<ConceptualTable>,
    registry: Registry,
}

const REQUEST: RequestContext<'static> = RequestContext::of_agent(Instant::ORIGIN);

impl Fixture {
    fn open(directory: &Path) -> Self {
        Self::open_for(directory, Mode::Write)
    }

    fn open_for(directory: &Path, mode: Mode) -> Self {
        let store = Arc::new(Store::open(directory, mode).unwrap());
        let table = Arc::new(ConceptualTable::open(&TABLE, Rules, &store).unwrap());
        let object = Arc::clone(&table) as Arc<dyn ManagedObject>;
        let registry = Registry::builder()
            .register(table.entry().clone(), object)
            .build()
            .unwrap();
        Self {
            store,
            table,
            registry,
        }
    }

    fn prepare(
        &self,
        assignments: &[(u32, &str, ValueRef<'_>)],
    ) -> Result<Vec<Box<dyn PreparedSet>>, (usize, SetError)> {
        let prepare = |(at, &(column, index, value)): (usize, &(u32, &str, ValueRef<'_>))| {
            let name = [TABLE.entry, &[column], &arcs(index)].concat();
            let set = self.table.prepare_set(&REQUEST, &name, value);
            set.map_err(|error| (at, error))
        };
        let mut prepared = assignments
            .iter()
            .enumerate()
            .map(prepare)
            .collect::<Result<Vec<_>, _>>()?;
        for (at, set) in prepared.iter_mut().enumerate() {
            set.check().map_err(|error| (at, error))?;
        }
        Ok(prepared)
    }

    /// As the command responder carries out one SetRequest.
    fn set(&self, assignments: &[(u32, &str, ValueRef<'_>)]) -> Result<(), (usize, SetError)> {
        let mut prepared = self.prepare(assignments)?;
        prepared.iter_mut().for_each(|set| set.commit().unwrap());
        self.store.make_durable().unwrap();
        Ok(())
    }

    fn status(&self, index: &str) -> Option<RowStatus> {
        let rows = self.table.rows();
        rows.with_index(&arcs(index)).map(|row| row.status())
    }

    fn read(&self, column: u32, index: &str) -> Option<Value> {
        let name = [TABLE.entry, &[column], &arcs(index)].concat();
        self.registry.read(&REQUEST, &name).ok()
    }
}

fn arcs(text: &str) -> Vec<u32> {
    text.bytes().map(u32::from).collect()
}

fn with_rows(directory: &Path) -> Fixture {
    let fixture = Fixture::open(directory);
    fixture.set(&[(6, "b", CREATE_AND_WAIT)]).unwrap();
    fixture
        .set(&[(2, "c", ADDRESS), (6, "c", CREATE_AND_WAIT)])
        .unwrap();
    fixture
        .set(&[(6, "d", CREATE_AND_GO), (2, "d", ADDRESS)])
        .unwrap();
    fixture
}

/// Each field of the state table, where rows a to d are in the states A to D.
#[test]
fn rows_go_from_state_to_state_as_the_standard_says() {
    use RowStatus::{Active, NotInService, NotReady};
    use SetError::{InconsistentName, InconsistentValue, WrongValue};
    type Wish = &'static [(u32, ValueRef<'static>)];
    type Fields = [Result<Option<RowStatus>, SetError>; 4];
    let refused = Err(InconsistentValue);
    let cases: [(Wish, Fields); 9] = [
        (
            &[(6, CREATE_AND_GO), (2, ADDRESS)],
            [Ok(Some(Active)), refused, refused, refused],
        ),
        (&[(6, CREATE_AND_GO)], [refused, refused, refused, refused]),
        (
            &[(6, CREATE_AND_WAIT)],
            [Ok(Some(NotReady)), refused, refused, refused],
        ),
        (
            &[(6, ACTIVE)],
            [refused, refused, Ok(Some(Active)), Ok(Some(Active))],
        ),
        (
            &[(6, ACTIVE), (2, ADDRESS)],
            [
                refused,
                Ok(Some(Active)),
                Ok(Some(Active)),
                Ok(Some(Active)),
            ],
        ),
        (
            &[(2, ADDRESS), (6, NOT_IN_SERVICE)],
            [
                refused,
                Ok(Some(NotInService)),
                Ok(Some(NotInService)),
                Ok(Some(NotInService)),
            ],
        ),
        (&[(6, DESTROY)], [Ok(None), Ok(None), Ok(None), Ok(None)]),
        (
            &[(2, ADDRESS)],
            [
                Err(InconsistentName),
                Ok(Some(NotInService)),
                Ok(Some(NotInService)),
                Ok(Some(Active)),
            ],
        ),
        (&[(6, NOT_READY)], [Err(WrongValue); 4]),
    ];
    for (wish, fields) in cases {
        for (index, expected) in ["a", "b", "c", "d"].into_iter().zip(fields) {
            let directory = tempfile::tempdir().unwrap();
            let fixture = with_rows(directory.path());
            let before = fixture.status(index);
            let wish: Vec<_> = wish
                .iter()
                .map(|&(column, value)| (column, index, value))
                .collect();
            let outcome = fixture.set(&wish).map_err(|(_, error)| error);
            let status = fixture.status(index);
            assert_eq!(outcome.map(|()| status), expected, "{index} {wish:?}");
            if expected.is_err() {
                assert_eq!(status, before);
            }
        }
    }
}

#[test]
fn the_columns_of_a_row_may_come_in_any_order_and_many_rows_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = Fixture::open(directory.path());
    fixture
        .set(&[
            (2, "x", ADDRESS),
            (6, "y", CREATE_AND_GO),
            (6, "x", CREATE_AND_GO),
            (3, "x", ValueRef::Integer(7)),
            (2, "y", ADDRESS),
        ])
        .unwrap();
    assert_eq!(fixture.read(3, "x"), Some(Value::Integer(7)));
    assert_eq!(fixture.read(3, "y"), Some(Value::Integer(1)));
    assert_eq!(fixture.read(6, "y"), Some(Value::Integer(1)));
}

/// RFC 3416 4.2.5: what is refused changes nothing, and the error is at the variable that is to blame.
#[test]
fn each_wrong_value_has_its_error() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = with_rows(directory.path());
    let text = |text: &'static str| ValueRef::OctetString(text.as_bytes());
    let cases = [
        ((2, "d", ValueRef::Integer(1)), SetError::WrongType),
        ((2, "d", text("")), SetError::WrongLength),
        ((2, "d", text("12345")), SetError::WrongLength),
        ((3, "d", ValueRef::Integer(11)), SetError::WrongValue),
        (
            (4, "c", ValueRef::OctetString(&[0xff])),
            SetError::WrongValue,
        ),
        ((4, "d", text("new")), SetError::InconsistentValue),
        ((5, "d", ValueRef::Integer(1)), SetError::WrongValue),
        ((5, "d", ValueRef::Integer(4)), SetError::WrongValue),
        ((5, "d", ValueRef::Integer(5)), SetError::WrongValue),
        ((5, "d", ValueRef::Integer(6)), SetError::WrongValue),
        ((6, "d", ValueRef::Integer(0)), SetError::WrongValue),
        ((6, "d", ValueRef::Gauge32(1)), SetError::WrongType),
        ((6, "", CREATE_AND_WAIT), SetError::NoCreation),
        ((6, "too long.", CREATE_AND_WAIT), SetError::NoCreation),
        ((7, "d", ValueRef::Integer(1)), SetError::NotWritable),
        ((1, "d", text("d")), SetError::NotWritable),
        ((101, "d", text("d")), SetError::NotWritable),
    ];
    for ((column, index, value), error) in cases {
        let refused = fixture.set(&[(3, "c", ValueRef::Integer(2)), (column, index, value)]);
        assert_eq!(refused, Err((1, error)), "{column} {index} {value:?}");
        assert_eq!(fixture.read(3, "c"), Some(Value::Integer(1)));
    }
    let twice = [
        (3, "d", ValueRef::Integer(2)),
        (3, "d", ValueRef::Integer(3)),
    ];
    assert_eq!(fixture.set(&twice), Err((1, SetError::InconsistentValue)));
    fixture.set(&[(6, "e", CREATE_AND_WAIT)]).unwrap();
    let one_more = [(3, "c", ValueRef::Integer(2)), (6, "f", CREATE_AND_WAIT)];
    let full = Err((1, SetError::ResourceUnavailable));
    assert_eq!(fixture.set(&one_more), full);
    fixture.set(&[(6, "b", DESTROY)]).unwrap();
    fixture.set(&one_more).unwrap();
}

#[test]
fn rows_that_are_not_volatile_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = with_rows(directory.path());
    fixture
        .set(&[
            (3, "d", ValueRef::Integer(9)),
            (8, "d", ValueRef::OctetString(b"hush")),
        ])
        .unwrap();
    fixture.set(&[(5, "c", ValueRef::Integer(2))]).unwrap();
    assert_eq!(fixture.read(8, "d"), Some(Value::OctetString(vec![])));
    assert!(fixture.status("c").is_some());
    drop(fixture);
    let fixture = Fixture::open(directory.path());
    assert_eq!(fixture.status("b"), Some(RowStatus::NotReady));
    assert_eq!(fixture.status("c"), None);
    assert_eq!(fixture.status("d"), Some(RowStatus::Active));
    assert_eq!(fixture.read(3, "d"), Some(Value::Integer(9)));
    let rows = fixture.table.rows();
    let row = rows.with_index(&arcs("d")).unwrap();
    assert_eq!(row.secret(101), Some(&b"hush"[..]));
    assert!(!format!("{rows:?}").contains(&format!("{:?}", b"hush")));
    fixture
        .set(&[(6, "d", DESTROY), (6, "b", DESTROY)])
        .unwrap();
    let text = std::fs::read_to_string(directory.path().join("values")).unwrap();
    assert_eq!(text, "varbind-values 1\n", "no secret is left behind");
    drop((rows, fixture));
    let fixture = Fixture::open(directory.path());
    assert_eq!(fixture.table.rows().iter().count(), 0);
}

#[test]
fn a_change_that_is_undone_is_as_if_it_never_was() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = with_rows(directory.path());
    let before = std::fs::read(directory.path().join("values")).unwrap();
    let mut prepared = fixture
        .prepare(&[(6, "d", DESTROY), (3, "c", ValueRef::Integer(2))])
        .unwrap();
    prepared.iter_mut().for_each(|set| set.commit().unwrap());
    assert_eq!(fixture.status("d"), None);
    prepared
        .iter_mut()
        .rev()
        .for_each(|set| set.undo().unwrap());
    assert_eq!(fixture.status("d"), Some(RowStatus::Active));
    assert_eq!(fixture.read(3, "c"), Some(Value::Integer(1)));
    fixture.store.make_durable().unwrap();
    let after = std::fs::read(directory.path().join("values")).unwrap();
    assert_eq!(after, before);
}

#[test]
fn rows_of_the_file_are_read_only_and_hide_others() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = with_rows(directory.path());
    let version = fixture.table.version();
    let row = |index| {
        let address = Value::OctetString(b"file".to_vec());
        Row::configured(&TABLE, arcs(index), [(2, address)])
    };
    fixture.table.configure([row("d"), row("f")]);
    assert_ne!(fixture.table.version(), version);
    assert_eq!(fixture.read(5, "d"), Some(Value::Integer(5)));
    for (wish, error) in [
        ((6, "d", DESTROY), SetError::NotWritable),
        ((2, "f", ADDRESS), SetError::NotWritable),
        ((5, "f", ValueRef::Integer(3)), SetError::WrongValue),
        ((6, "f", CREATE_AND_GO), SetError::NotWritable),
    ] {
        assert_eq!(fixture.set(&[wish]), Err((0, error)));
    }
    fixture.set(&[(5, "f", ValueRef::Integer(5))]).unwrap();
    fixture.table.configure([]);
    assert_eq!(
        fixture.read(2, "d"),
        Some(Value::OctetString(b"here".to_vec()))
    );
    assert_eq!(fixture.status("f"), None);
    // What the file said was never written down.
    let text = std::fs::read_to_string(directory.path().join("values")).unwrap();
    assert!(!text.contains("file"));
}

#[test]
fn indexes_are_taken_apart_as_they_are_put_together() {
    let parts = [
        IndexPart::Octets(5, 32),
        IndexPart::Text(1, 4),
        IndexPart::Integer(1, 3),
        IndexPart::ObjectIdentifier,
        IndexPart::ImpliedObjectIdentifier,
    ];
    let mut index = Vec::new();
    append_counted(&mut index, [0, 1, 2, 3, 255].into_iter());
    append_counted(&mut index, arcs("ops").into_iter());
    index.push(2);
    append_counted(&mut index, [1, 3, 6].into_iter());
    index.extend([1, 3]);
    let values = split(&parts, &index).unwrap();
    let expected = [
        IndexValue::Octets(vec![0, 1, 2, 3, 255]),
        IndexValue::Octets(b"ops".to_vec()),
        IndexValue::Integer(2),
        IndexValue::ObjectIdentifier(vec![1, 3, 6]),
        IndexValue::ObjectIdentifier(vec![1, 3]),
    ];
    assert_eq!(values, expected);
    for broken in 0..index.len() - 2 {
        assert_eq!(split(&parts, &index[..broken]), None);
    }
    index[1] = 256;
    assert_eq!(split(&parts, &index), None);
}

#[test]
fn tags_have_no_delimiters_and_lists_no_empty_tags() {
    for (syntax, text, is_right) in [
        (Syntax::TagValue, "router", true),
        (Syntax::TagValue, "", true),
        (Syntax::TagValue, "two tags", false),
        (Syntax::TagList, "", true),
        (Syntax::TagList, "one\ttwo three", true),
        (Syntax::TagList, "one  two", false),
        (Syntax::TagList, " one", false),
        (Syntax::TagList, "one ", false),
        (Syntax::TagList, "one one", false),
    ] {
        let value = ValueRef::OctetString(text.as_bytes());
        assert_eq!(syntax.check(value).is_ok(), is_right, "{text:?}");
    }
}

#[test]
fn where_nothing_can_be_kept_no_row_can_be_made() {
    let directory = tempfile::tempdir().unwrap();
    drop(with_rows(directory.path()));
    let fixture = Fixture::open_for(directory.path(), Mode::Read);
    assert_eq!(fixture.status("d"), Some(RowStatus::Active));
    for wish in [(6, "e", CREATE_AND_WAIT), (5, "d", ValueRef::Integer(2))] {
        let refused = Err((0, SetError::ResourceUnavailable));
        assert_eq!(fixture.set(&[wish]), refused);
    }
}

/// A row of a file that was changed by hand, or by a version with other columns.
#[test]
fn a_row_that_lacks_something_is_left_out() {
    let directory = tempfile::tempdir().unwrap();
    drop(with_rows(directory.path()));
    let store = Store::open(directory.path(), Mode::Write).unwrap();
    let entry = Oid::new(TABLE.entry).unwrap();
    for (column, index) in [(2, "d"), (6, "c")] {
        let name = [&[column], &*arcs(index)].concat();
        store.note_removed(&entry.child(&name).unwrap());
    }
    store.make_durable().unwrap();
    drop(store);
    let fixture = Fixture::open(directory.path());
    // Without its address, without its status; b was never ready.
    fixture.set(&[(6, "b", DESTROY)]).unwrap();
    let text = std::fs::read_to_string(directory.path().join("values")).unwrap();
    assert_eq!(text, "varbind-values 1\n", "nothing of them is left");
    fixture.set(&[(6, "b", CREATE_AND_WAIT)]).unwrap();
    assert_eq!(fixture.status("d"), None);
    assert_eq!(fixture.status("c"), None);
    assert_eq!(fixture.status("b"), Some(RowStatus::NotReady));
}

mod any_sets;
