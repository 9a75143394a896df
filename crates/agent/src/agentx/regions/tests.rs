use proptest::prelude::*;

use super::*;

fn oid(arcs: &[u32]) -> Oid {
    Oid::new(arcs).unwrap()
}

fn region(arcs: &[u32], priority: u8, range: Option<(u8, u32)>) -> Region {
    Region {
        subtree: oid(arcs),
        priority,
        range,
    }
}

fn registration(session: SessionId, priority: u8) -> Registration {
    Registration {
        session,
        priority,
        timeout: None,
        is_instance: false,
        absent_until: None,
    }
}

fn regions(all: &[(&[u32], u8, SessionId)]) -> Regions {
    let mut regions = Regions::default();
    for (arcs, priority, session) in all {
        regions
            .register(
                &region(arcs, *priority, None),
                registration(*session, *priority),
            )
            .unwrap();
    }
    regions
}

fn owner(regions: &Regions, name: &[u32]) -> Option<SessionId> {
    regions.find(name).map(|found| found.session)
}

#[test]
fn the_longest_subtree_counts_and_then_the_lowest_priority() {
    let mut regions = regions(&[
        (&[1, 3, 6], 127, 1),
        (&[1, 3, 6, 1, 2], 127, 2),
        (&[1, 3, 6, 1, 2], 100, 3),
    ]);
    assert_eq!(owner(&regions, &[1, 3, 6, 9]), Some(1));
    assert_eq!(owner(&regions, &[1, 3, 6, 1, 2, 5]), Some(3));
    assert_eq!(owner(&regions, &[1, 3, 5]), None);
    let again = regions.register(&region(&[1, 3, 6], 127, None), registration(4, 127));
    assert_eq!(again, Err(ResponseError::DUPLICATE_REGISTRATION));
    // What was hidden appears again.
    regions.remove_session(3);
    assert_eq!(owner(&regions, &[1, 3, 6, 1, 2, 5]), Some(2));
    let other = regions.unregister(1, &region(&[1, 3, 6, 1, 2], 127, None));
    assert_eq!(other, Err(ResponseError::UNKNOWN_REGISTRATION));
    assert_eq!(
        regions.unregister(2, &region(&[1, 3, 6, 1, 2], 127, None)),
        Ok(())
    );
    assert_eq!(owner(&regions, &[1, 3, 6, 1, 2, 5]), Some(1));
}

#[test]
fn a_range_is_a_row_in_several_columns() {
    let mut regions = Regions::default();
    let row = region(&[1, 3, 6, 1, 1, 7], 127, Some((5, 3)));
    regions.register(&row, registration(1, 127)).unwrap();
    for column in 1..=3 {
        assert_eq!(owner(&regions, &[1, 3, 6, 1, column, 7]), Some(1));
        assert_eq!(owner(&regions, &[1, 3, 6, 1, column, 8]), None);
    }
    assert_eq!(owner(&regions, &[1, 3, 6, 1, 4, 7]), None);
    // All of it or nothing.
    let wider = region(&[1, 3, 6, 1, 0, 7], 127, Some((5, 3)));
    assert!(regions.register(&wider, registration(2, 127)).is_err());
    assert_eq!(owner(&regions, &[1, 3, 6, 1, 0, 7]), None);
    regions.unregister(1, &row).unwrap();
    assert!(regions.subtrees.is_empty());
    for (range, expected) in [
        ((0, 3), ResponseError::PARSE_ERROR),
        ((9, 3), ResponseError::PARSE_ERROR),
        ((6, 6), ResponseError::PARSE_ERROR),
        ((6, u32::MAX), ResponseError::REQUEST_DENIED),
    ] {
        let wrong = region(&[1, 3, 6, 1, 1, 7], 127, Some(range));
        assert_eq!(
            regions.register(&wrong, registration(1, 127)),
            Err(expected),
            "{range:?}"
        );
    }
}

#[test]
fn a_search_goes_from_piece_to_piece() {
    let regions = regions(&[
        (&[1, 3, 6, 1], 127, 1),
        (&[1, 3, 6, 1, 5], 127, 2),
        (&[1, 3, 6, 4], 127, 3),
    ]);
    let mut from = (vec![1, 3], false);
    let mut pieces = Vec::new();
    while let Some(piece) = regions.next(&from.0, from.1, None) {
        pieces.push((
            piece.registration.session,
            piece.start.arcs().to_vec(),
            piece.is_included,
        ));
        let Some(end) = piece.end else { break };
        from = (end.arcs().to_vec(), true);
    }
    let expected: [(_, &[u32]); 4] = [
        (1, &[1, 3, 6, 1]),
        (2, &[1, 3, 6, 1, 5]),
        (1, &[1, 3, 6, 1, 6]),
        (3, &[1, 3, 6, 4]),
    ];
    let expected = expected.map(|(session, start)| (session, start.to_vec(), true));
    assert_eq!(pieces, expected);
    let within = regions.next(&[1, 3, 6, 1, 3], false, Some(&[1, 3, 6, 1, 4]));
    let end = within.unwrap().end;
    assert_eq!(end, Some(oid(&[1, 3, 6, 1, 4])));
    assert_eq!(regions.next(&[1, 3], false, Some(&[1, 3, 6, 1])), None);
}

#[test]
fn what_a_lost_session_had_is_absent_until_it_is_registered_again() {
    let mut regions = regions(&[
        (&[1, 3, 6, 1], 127, 1),
        (&[1, 3, 6, 1], 200, 2),
        (&[1, 3, 6, 2], 127, 1),
    ]);
    let at = Instant::from_nanos;
    regions.lose_session(1, at(100));
    // Another one still serves it.
    assert_eq!(owner(&regions, &[1, 3, 6, 1, 1]), Some(2));
    let absent = regions.find(&[1, 3, 6, 2]).unwrap();
    assert!(absent.is_absent());
    let piece = regions.next(&[1, 3, 6, 2], false, None).unwrap();
    assert!(piece.registration.is_absent());
    let again = region(&[1, 3, 6, 2], 127, None);
    regions.register(&again, registration(3, 127)).unwrap();
    assert_eq!(owner(&regions, &[1, 3, 6, 2]), Some(3));
    regions.lose_session(2, at(200));
    assert!(regions.find(&[1, 3, 6, 1]).unwrap().is_absent());
    assert_eq!(regions.next_expiry(), Some(at(100)));
    regions.expire(at(150));
    assert!(regions.find(&[1, 3, 6, 1]).unwrap().is_absent());
    regions.expire(at(200));
    assert_eq!(owner(&regions, &[1, 3, 6, 1]), None);
    assert_eq!(owner(&regions, &[1, 3, 6, 2]), Some(3));
    assert_eq!(regions.next_expiry(), None);
}

#[test]
fn an_instance_is_one_name() {
    let mut regions = regions(&[(&[1, 3, 6], 127, 1)]);
    let instance = Registration {
        is_instance: true,
        ..registration(2, 127)
    };
    let name = [1, 3, 6, 2, 0];
    regions
        .register(&region(&name, 127, None), instance)
        .unwrap();
    assert_eq!(owner(&regions, &name), Some(2));
    assert_eq!(owner(&regions, &[1, 3, 6, 2, 0, 1]), None);
    let piece = regions.next(&name, false, None).unwrap();
    assert_eq!(
        (piece.registration.session, piece.start),
        (1, oid(&[1, 3, 6, 2, 1]))
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Each name belongs to the piece that a search finds for it, and to whom `find` says.
    #[test]
    fn pieces_and_owners_agree(
        all in prop::collection::vec((prop::collection::vec(0..3_u32, 0..4), 1..9_u32), 0..6),
        name in prop::collection::vec(0..3_u32, 0..5),
    ) {
        let mut regions = Regions::default();
        for (below, session) in all {
            let subtree = region(&[&[1, 3][..], &below].concat(), 127, None);
            let _ = regions.register(&subtree, registration(session, 127));
        }
        let name = [&[1, 3][..], &name].concat();
        let piece = regions.next(&name, true, None);
        let found = regions.find(&name);
        match (&found, &piece) {
            (Some(found), Some(piece)) => {
                prop_assert_eq!(found, &piece.registration);
                prop_assert_eq!(piece.start.arcs(), &name[..]);
            }
            (Some(_), None) => prop_assert!(false, "no piece"),
            (None, piece) => {
                let is_behind = |piece: &Piece| *piece.start.arcs() > name[..];
                prop_assert!(piece.as_ref().is_none_or(is_behind));
            }
        }
        if let Some(Piece { registration, start, end, .. }) = piece {
            prop_assert!(end.as_ref().is_none_or(|end| *end > start));
            prop_assert_eq!(regions.find(start.arcs()), Some(registration));
        }
    }
}
