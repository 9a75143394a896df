use super::*;

fn binding(value: &str) -> [Binding; 1] {
    let value = Value::OctetString(value.as_bytes().to_vec());
    [("1.3.6.1.2.1.1.4.0".parse().unwrap(), Some(value))]
}

fn append(journal: &mut Journal, changes: &[Binding]) {
    let nothing = || ValuesInTransit(Values::new());
    journal.append(changes, nothing).unwrap();
}

fn values(bindings: [Binding; 1]) -> Values {
    let mut content = Content::default();
    bindings
        .into_iter()
        .for_each(|binding| content.apply(binding));
    content.values
}

#[test]
fn removed_values_are_gone() {
    let directory = tempfile::tempdir().unwrap();
    let (mut journal, _) = Journal::open(directory.path()).unwrap();
    append(&mut journal, &binding("secret"));
    let [(name, _)] = binding("");
    append(&mut journal, &[(name, None)]);
    let (mut journal, kept) = Journal::open(directory.path()).unwrap();
    assert_eq!(kept, Values::new());
    journal.rewrite(&kept);
    let text = fs::read_to_string(directory.path().join(NAME)).unwrap();
    assert_eq!(text, HEADER);
}

#[test]
fn the_last_value_counts_after_each_possible_cut() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(NAME);
    let (mut journal, kept) = Journal::open(directory.path()).unwrap();
    assert!(kept.is_empty());
    append(&mut journal, &binding("first"));
    let acknowledged = fs::metadata(&path).unwrap().len();
    append(&mut journal, &binding("second"));
    let octets = fs::read(&path).unwrap();
    for end in usize::try_from(acknowledged).unwrap()..octets.len() {
        fs::write(&path, &octets[..end]).unwrap();
        let (_, kept) = Journal::open(directory.path()).unwrap();
        assert_eq!(kept, values(binding("first")), "{end}");
        assert_eq!(
            directory.path().join(DAMAGED_NAME).exists(),
            end as u64 > acknowledged
        );
    }
}

#[test]
fn a_damaged_line_costs_that_line_alone_and_the_file_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(NAME);
    let (mut journal, _) = Journal::open(directory.path()).unwrap();
    append(&mut journal, &binding("first"));
    append(&mut journal, &binding("second"));
    let damaged = fs::read_to_string(&path)
        .unwrap()
        .replace("second", "sEcond");
    fs::write(&path, &damaged).unwrap();
    let (mut journal, kept) = Journal::open(directory.path()).unwrap();
    assert_eq!(kept, values(binding("first")));
    let kept = fs::read_to_string(directory.path().join(DAMAGED_NAME)).unwrap();
    assert_eq!(kept, damaged);
    append(&mut journal, &binding("third"));
    let content = read(directory.path()).unwrap().unwrap();
    assert_eq!(
        (content.values, content.damaged),
        (values(binding("third")), 0)
    );
}

#[test]
fn a_file_of_another_version_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join(NAME),
        "varbind-values 2\nsysContact ops\n",
    )
    .unwrap();
    let error = Journal::open(directory.path()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
}

#[test]
fn a_file_that_has_grown_is_rewritten() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(NAME);
    let (mut journal, mut kept) = Journal::open(directory.path()).unwrap();
    let mut largest = 0;
    for number in 0..1000 {
        let change = binding(&format!("{number} {}", "x".repeat(200)));
        append(&mut journal, &change);
        kept.extend(values(change));
        if journal.has_grown() {
            journal.rewrite(&kept);
        }
        largest = fs::metadata(&path).unwrap().len().max(largest);
    }
    // All lines together have more than 200,000 octets.
    assert!(largest < LARGE + 1024, "{largest}");
    assert_eq!(read(directory.path()).unwrap().unwrap().values, kept);
}

#[test]
fn a_damaged_first_line_costs_no_value() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(NAME);
    let (mut journal, _) = Journal::open(directory.path()).unwrap();
    append(&mut journal, &binding("first"));
    append(&mut journal, &binding("second"));
    let intact = fs::read(&path).unwrap();
    for at in 0..HEADER.len() {
        for bit in 0..8 {
            let mut damaged = intact.clone();
            damaged[at] ^= 1 << bit;
            fs::write(&path, &damaged).unwrap();
            let (_, kept) = Journal::open(directory.path()).unwrap();
            assert_eq!(kept, values(binding("second")), "{at} {bit}");
            assert_eq!(
                fs::read(directory.path().join(DAMAGED_NAME)).unwrap(),
                damaged
            );
        }
    }
}

#[test]
fn a_file_without_values_is_read_whatever_its_first_line_is() {
    let directory = tempfile::tempdir().unwrap();
    for header in ["varbind-values 3\n", "varbind-values 1", ""] {
        fs::write(directory.path().join(NAME), header).unwrap();
        let (_, kept) = Journal::open(directory.path()).unwrap();
        assert_eq!(kept, Values::new(), "{header:?}");
    }
}

#[test]
fn a_file_that_grows_over_many_starts_is_rewritten() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(NAME);
    let mut largest = 0;
    for start in 0..100 {
        let (mut journal, _) = Journal::open(directory.path()).unwrap();
        for number in 0..20 {
            let value = format!("{start} {number} {}", "x".repeat(200));
            append(&mut journal, &binding(&value));
        }
        largest = fs::metadata(&path).unwrap().len().max(largest);
    }
    // All lines together have more than 400,000 octets.
    assert!(largest < LARGE + 20 * 1024, "{largest}");
    let (_, kept) = Journal::open(directory.path()).unwrap();
    assert_eq!(kept, values(binding(&format!("99 19 {}", "x".repeat(200)))));
}
