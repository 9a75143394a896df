//! What a target answers is not trusted.

use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::proxy_forwarder::{Exchange, ForwardedResponse, Operation};
use varbind_testkit::oid;

use crate::{integer, request, values};

const A: &str = "1.3.6.1.2.1.1.1.0";
const B: &str = "1.3.6.1.2.1.1.2.0";

fn gen_err(index: usize) -> ForwardedResponse {
    ForwardedResponse::error(ErrorStatus::GenErr, index)
}

#[test]
fn a_get_is_answered_for_the_names_that_were_asked_for() {
    let answer = |found: &[VarBind]| {
        let get = request(Version::V2c, Operation::Get, &[A, B]);
        values(&mut Exchange::new(get, Version::V2c), found).unwrap()
    };
    assert_eq!(answer(&[integer(A, 1), integer(A, 2)]), gen_err(2));
    assert_eq!(answer(&[integer(B, 1), integer(A, 2)]), gen_err(1));
    assert_eq!(answer(&[integer(A, 1)]), gen_err(0));
    assert_eq!(answer(&[]), gen_err(0));
    let three = [integer(A, 1), integer(B, 2), integer(B, 2)];
    assert_eq!(answer(&three), gen_err(0));
}

#[test]
fn a_get_next_goes_forwards() {
    let answer = |found: VarBind| {
        let get_next = request(Version::V2c, Operation::GetNext, &[A]);
        values(&mut Exchange::new(get_next, Version::V2c), &[found]).unwrap()
    };
    assert_eq!(answer(integer(A, 1)), gen_err(1));
    assert_eq!(answer(integer("1.3.6.1.2.1.1.0", 1)), gen_err(1));
    let exception = VarBind::new(oid(B), Value::NoSuchObject);
    assert_eq!(answer(exception), gen_err(1));
    assert_eq!(answer(integer(B, 1)).error_status, ErrorStatus::NoError);
}

#[test]
fn a_get_bulk_ends_where_the_target_goes_backwards() {
    let answer = |repetitions: u16, found: &[VarBind]| {
        let operation = Operation::GetBulk {
            non_repeaters: 1,
            max_repetitions: repetitions,
        };
        let bulk = request(
            Version::V2c,
            operation,
            &[A, "1.3.6.1.2.1.2", "1.3.6.1.2.1.4"],
        );
        values(&mut Exchange::new(bulk, Version::V2c), found).unwrap()
    };
    let rows = [
        integer(B, 1),
        integer("1.3.6.1.2.1.2.1.0", 1),
        integer("1.3.6.1.2.1.4.1.0", 1),
        integer("1.3.6.1.2.1.2.2.0", 2),
        integer("1.3.6.1.2.1.4.1.0", 2),
        integer("1.3.6.1.2.1.2.3.0", 2),
    ];
    assert_eq!(answer(9, &rows).var_binds, rows[..4]);
    // More than was asked for.
    assert_eq!(answer(1, &rows).var_binds, rows[..3]);
    assert_eq!(answer(9, &[integer(A, 1)]), gen_err(1));
    assert_eq!(answer(9, &[]), gen_err(1));
    // Nothing follows the end.
    let end = VarBind::new(oid("1.3.6.1.2.1.2"), Value::EndOfMibView);
    let ended = [
        integer(B, 1),
        end.clone(),
        integer("1.3.6.1.2.1.4.1.0", 1),
        integer("1.3.6.1.2.1.2.9.0", 1),
    ];
    assert_eq!(answer(9, &ended).var_binds, ended[..3]);
    let twice = [integer(B, 1), end.clone(), end.clone(), end.clone(), end];
    assert_eq!(answer(9, &twice).var_binds, twice);
}

#[test]
fn an_error_index_that_no_name_has_is_none() {
    for index in [3, u32::MAX] {
        let get = request(Version::V2c, Operation::Get, &[A, B]);
        let mut exchange = Exchange::new(get, Version::V2c);
        let response = exchange.handle_response(ErrorStatus::GenErr, index, Vec::new());
        assert_eq!(response, Some(gen_err(0)));
        let get = request(Version::V2c, Operation::Get, &[A, B]);
        let mut exchange = Exchange::new(get, Version::V1);
        let response = exchange.handle_response(ErrorStatus::NoSuchName, index, Vec::new());
        assert_eq!(response, Some(gen_err(0)));
    }
}

/// Nothing but Counter64 values for a manager that cannot be told of them.
#[test]
fn a_target_that_has_no_end_is_left() {
    let get_next = request(Version::V1, Operation::GetNext, &["1.3.6.1.2.1.31"]);
    let mut exchange = Exchange::new(get_next, Version::V2c);
    let mut asked = 0;
    let response = loop {
        asked += 1;
        let big = VarBind::new(oid(&format!("1.3.6.1.2.1.31.{asked}")), Value::Counter64(0));
        if let Some(response) = values(&mut exchange, &[big]) {
            break response;
        }
    };
    assert_eq!(response, gen_err(0));
    assert!(asked < 1000, "{asked}");
}
