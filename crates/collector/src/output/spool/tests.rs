use std::fs;

use super::*;

const FORMAT: &str = "lines";

fn batch(number: u32) -> Batch {
    Batch {
        octets: format!("batch {number}").into_bytes(),
        size: Size {
            polls: 1,
            samples: number,
        },
    }
}

fn open(directory: &Path, max_bytes: u64) -> Spool {
    Spool::open(directory, FORMAT, max_bytes).unwrap()
}

fn append(spool: &mut Spool, numbers: std::ops::Range<u32>) {
    for number in numbers {
        let mut dropped = Size::default();
        spool.append(&batch(number), &mut dropped).unwrap();
        assert_eq!(dropped, Size::default());
    }
}

/// Delivers so many batches, and returns their numbers.
fn deliver(spool: &mut Spool, most: usize) -> Vec<u32> {
    let mut numbers = Vec::new();
    let mut lost = Size::default();
    while numbers.len() < most
        && let Some(head) = spool.head(&mut lost).unwrap()
    {
        assert_eq!(*head, batch(head.size.samples));
        numbers.push(head.size.samples);
        spool.advance().unwrap();
    }
    assert_eq!(lost, Size::default());
    numbers
}

fn segments(directory: &Path) -> Vec<PathBuf> {
    let numbers = segment::numbers(directory).unwrap();
    numbers
        .iter()
        .map(|number| segment::path(directory, *number))
        .collect()
}

#[test]
fn batches_come_back_once_and_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path(), 1600);
    append(&mut spool, 0..30);
    assert_eq!(deliver(&mut spool, 7), (0..7).collect::<Vec<_>>());
    drop(spool);
    let mut spool = open(directory.path(), 1600);
    append(&mut spool, 30..32);
    assert_eq!(deliver(&mut spool, 100), (7..32).collect::<Vec<_>>());
    assert_eq!(spool.octets(), 0);
    drop(spool);
    let mut spool = open(directory.path(), 1600);
    assert_eq!(deliver(&mut spool, 100), Vec::<u32>::new());
    append(&mut spool, 32..33);
    assert_eq!(deliver(&mut spool, 100), [32]);
    assert_eq!(segments(directory.path()).len(), 1);
}

#[test]
fn a_torn_end_costs_nothing_but_itself() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path(), 1 << 20);
    append(&mut spool, 0..3);
    drop(spool);
    let [path] = segments(directory.path()).try_into().unwrap();
    let whole = fs::read(&path).unwrap();
    let last = usize::try_from(record::length(&batch(2))).unwrap();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let mut spool = open(directory.path(), 1 << 20);
        append(&mut spool, 9..10);
        let expected = match cut {
            _ if cut == whole.len() => vec![0, 1, 2, 9],
            _ if cut >= whole.len() - last => vec![0, 1, 9],
            _ if cut >= whole.len() - 2 * last => vec![0, 9],
            _ => vec![9],
        };
        drop(spool);
        let mut spool = open(directory.path(), 1 << 20);
        let mut found = Vec::new();
        while let Some(head) = spool.head(&mut Size::default()).unwrap() {
            found.push(head.size.samples);
            let (_, octets) = spool.head.take().unwrap();
            spool.position.offset += octets;
        }
        assert_eq!(found, expected, "cut at {cut}");
        drop(spool);
        segments(directory.path())
            .iter()
            .for_each(|path| fs::remove_file(path).unwrap());
        fs::remove_file(directory.path().join("position")).unwrap();
    }
}

#[test]
fn no_flipped_bit_is_delivered() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path(), 1 << 20);
    append(&mut spool, 0..2);
    drop(spool);
    let [path] = segments(directory.path()).try_into().unwrap();
    let whole = fs::read(&path).unwrap();
    let first = usize::try_from(segment::first_record(FORMAT)).unwrap();
    for at in first..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&path, damaged).unwrap();
        fs::remove_file(directory.path().join("position")).unwrap();
        let mut spool = open(directory.path(), 1 << 20);
        let mut found = Vec::new();
        while let Some(head) = spool.head(&mut Size::default()).unwrap() {
            found.push(head.octets.clone());
            let (_, octets) = spool.head.take().unwrap();
            spool.position.offset += octets;
        }
        let intact = [b"batch 0".to_vec()];
        let is_in_first = at < first + usize::try_from(record::length(&batch(0))).unwrap();
        assert_eq!(found, intact[..usize::from(!is_in_first)], "octet {at}");
    }
}

#[test]
fn damage_under_a_running_process_is_counted() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path(), 1 << 20);
    append(&mut spool, 1..4);
    let [path] = segments(directory.path()).try_into().unwrap();
    let mut octets = fs::read(&path).unwrap();
    let at = octets.len() - 1;
    octets[at] ^= 1;
    fs::write(&path, &octets).unwrap();
    assert_eq!(deliver(&mut spool, 2), [1, 2]);
    let mut lost = Size::default();
    assert_eq!(spool.head(&mut lost).unwrap(), None);
    assert_eq!(lost, batch(3).size);
    append(&mut spool, 4..5);
    assert_eq!(deliver(&mut spool, 2), [4]);
}

#[test]
fn the_oldest_make_room() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path(), 1000);
    let mut dropped = Size::default();
    for number in 0..200 {
        spool.append(&batch(number), &mut dropped).unwrap();
        let used: u64 = segments(directory.path())
            .iter()
            .map(|path| fs::metadata(path).unwrap().len())
            .sum();
        assert!(used <= 1000, "{used}");
    }
    assert!(spool.octets() > 500, "{}", spool.octets());
    let rest = deliver(&mut spool, 1000);
    assert_eq!(rest, (dropped.polls..200).collect::<Vec<_>>());
    let large = Batch {
        octets: vec![0; 2000],
        size: Size::default(),
    };
    assert!(matches!(
        spool.append(&large, &mut dropped),
        Err(SpoolError::TooLarge { octets: 2016 })
    ));
}

#[test]
fn a_torn_position_delivers_twice_rather_than_never() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path(), 1 << 20);
    append(&mut spool, 0..4);
    assert_eq!(deliver(&mut spool, 2), [0, 1]);
    drop(spool);
    let path = directory.path().join("position");
    let position = fs::read(&path).unwrap();
    fs::write(&path, &position[..position.len() - 1]).unwrap();
    assert_eq!(
        deliver(&mut open(directory.path(), 1 << 20), 9),
        [0, 1, 2, 3]
    );
}

#[test]
fn a_spool_belongs_to_one_output() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path(), 1 << 20);
    append(&mut spool, 0..1);
    let second = Spool::open(directory.path(), FORMAT, 1 << 20).unwrap_err();
    assert!(matches!(second, SpoolError::InUse(_)), "{second}");
    drop(spool);
    let other = Spool::open(directory.path(), "other", 1 << 20).unwrap_err();
    assert!(
        other
            .to_string()
            .contains("the spool is for batches of type lines, not other"),
        "{other}"
    );
}
