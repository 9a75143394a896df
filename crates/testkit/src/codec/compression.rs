//! What holds for any octets as a compressed list: shared by the tests and the fuzz target `expand_names`.

use varbind_codec::compression::{Compressed, NameCompression};
use varbind_codec::pdu::VarBinds;

/// The largest message: no list expands beyond it.
const LIMIT: usize = 65_507;

/// Expands `octets`, and checks what must hold whatever they are.
///
/// # Panics
/// When something does not hold.
pub fn check_compressed_list(octets: &[u8]) {
    for compression in NameCompression::ALL {
        let mut expanded = Vec::new();
        match compression.expand(octets, LIMIT, &mut expanded) {
            Ok(()) => check_expanded(compression, octets, &expanded),
            Err(error) => assert!(error.offset <= octets.len(), "{error:?}"),
        }
        assert!(expanded.len() <= LIMIT);
        // Octets that are no list are refused as that, or come back.
        let mut compressed = Vec::new();
        if let Ok(Compressed { taken }) = compression.compress(octets, LIMIT, &mut compressed) {
            assert!(compressed.len() <= LIMIT && taken <= octets.len());
            check_round_trip(compression, &octets[..taken], &compressed);
        }
    }
}

/// What was expanded is a list whose names are names.
fn check_expanded(compression: NameCompression, octets: &[u8], expanded: &[u8]) {
    for var_bind in VarBinds::of_encoded(expanded) {
        let Ok(var_bind) = var_bind else { break };
        assert!((2..=128).contains(&var_bind.name.arcs().count()));
    }
    let mut compressed = Vec::new();
    let again = compression.compress(expanded, usize::MAX, &mut compressed);
    if again.is_ok() {
        // The peer may have compressed less.
        assert!(compressed.len() <= octets.len().max(expanded.len()));
        check_round_trip(compression, expanded, &compressed);
    }
}

/// What was compressed expands to the same list, in the minimal form.
fn check_round_trip(compression: NameCompression, list: &[u8], compressed: &[u8]) {
    let mut expanded = Vec::new();
    let done = compression.expand(compressed, usize::MAX, &mut expanded);
    assert_eq!(done, Ok(()));
    // A name without content, which some devices send, is 0.0.
    assert!(expanded.len() <= 2 * list.len());
    let names = |list| VarBinds::of_encoded(list).map_while(Result::ok);
    assert!(names(&expanded).eq(names(list)));
}
