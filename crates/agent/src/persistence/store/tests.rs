use super::*;

fn name() -> Oid {
    "1.3.6.1.2.1.1.4.0".parse().unwrap()
}

fn set(store: &Store, value: i32) -> Result<(), NotStored> {
    store
        .cell(&name())
        .store(Some(Arc::new(Value::Integer(value))));
    store.note(&name(), Value::Integer(value));
    store.make_durable()
}

#[test]
fn values_outlive_the_store() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().join("below/it");
    let store = Store::open(&directory, Mode::Write).unwrap();
    set(&store, 1).unwrap();
    set(&store, 2).unwrap();
    drop(store);
    let store = Store::open(&directory, Mode::Read).unwrap();
    assert_eq!(
        store.cell(&name()).load_full(),
        Some(Arc::new(Value::Integer(2)))
    );
    assert!(!store.is_open());
}

#[test]
fn a_directory_belongs_to_one_writer() {
    let directory = tempfile::tempdir().unwrap();
    let first = Store::open(directory.path(), Mode::Write).unwrap();
    let error = Store::open(directory.path(), Mode::Write).unwrap_err();
    assert!(
        error.to_string().contains(&std::process::id().to_string()),
        "{error}"
    );
    Store::open(directory.path(), Mode::Read).unwrap();
    drop(first);
    Store::open(directory.path(), Mode::Write).unwrap();
}

/// A program that is being started has copies of all descriptors until it runs.
#[test]
fn a_store_that_is_closed_is_free_whoever_has_a_copy_of_its_lock() {
    let directory = tempfile::tempdir().unwrap();
    let first = Store::open(directory.path(), Mode::Write).unwrap();
    let copy = match &*lock(&first.state) {
        State::Open { _lock: held, .. } => held.0.try_clone().unwrap(),
        State::Closed(reason) => panic!("{reason}"),
    };
    drop(first);
    Store::open(directory.path(), Mode::Write).unwrap();
    drop(copy);
}

#[test]
fn a_directory_that_cannot_be_made_refuses_sets_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    // Even root makes no directory below a file.
    let store = Store::open(&directory.path().join("missing"), Mode::Read).unwrap();
    assert!(!store.is_open());
    let store = Store {
        directory: file.join("below"),
        ..store
    };
    store.open_for_writing().unwrap();
    assert!(!store.is_open());
    assert!(set(&store, 1).is_err());
}

#[test]
fn a_change_that_was_taken_back_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path(), Mode::Write).unwrap();
    store.note(&name(), Value::Integer(1));
    store.forget(&name());
    store.make_durable().unwrap();
    let content = fs::read_to_string(directory.path().join("values")).unwrap();
    assert_eq!(content, "varbind-values 1\n");
}
