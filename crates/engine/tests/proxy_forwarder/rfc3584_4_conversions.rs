//! RFC 3584 section 4: requests and responses between the versions.

use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_generator::Command;
use varbind_engine::applications::proxy_forwarder::{
    Exchange, ForwardedRequest, ForwardedResponse, Operation,
};
use varbind_testkit::oid;

use crate::{asked, integer, request, values};

const A: &str = "1.3.6.1.2.1.1.1.0";
const B: &str = "1.3.6.1.2.1.1.2.0";
const C: &str = "1.3.6.1.2.1.1.3.0";
const BULK: Operation = Operation::GetBulk {
    non_repeaters: 1,
    max_repetitions: 10,
};

/// 4.1.2: SNMPv1 has no GetBulk.
#[test]
fn a_get_bulk_becomes_a_get_next_for_a_v1_target() {
    let mut exchange = Exchange::new(request(Version::V2c, BULK, &[A, B]), Version::V1);
    assert!(matches!(exchange.command(), Command::GetNext(_)));
    let found = [integer(B, 1), integer(C, 2)];
    let response = values(&mut exchange, &found).unwrap();
    assert_eq!(response, ForwardedResponse::values(found.to_vec()));
}

#[test]
fn a_get_bulk_stays_one_for_a_v2c_target() {
    let exchange = Exchange::new(request(Version::V3, BULK, &[A, B]), Version::V2c);
    assert!(matches!(
        exchange.command(),
        Command::GetBulk {
            non_repeaters: 1,
            max_repetitions: 10,
            ..
        }
    ));
}

/// SNMPv1 tells one missing name and no value of the others.
#[test]
fn no_such_name_becomes_an_exception_and_the_other_names_are_asked_again() {
    for (operation, exception) in [
        (Operation::Get, Value::NoSuchInstance),
        (Operation::GetNext, Value::EndOfMibView),
    ] {
        let names = [A, B, C];
        let mut exchange = Exchange::new(request(Version::V2c, operation, &names), Version::V1);
        let missing = ErrorStatus::NoSuchName;
        assert_eq!(exchange.handle_response(missing, 2, Vec::new()), None);
        assert_eq!(asked(&exchange), [A, C]);
        assert_eq!(exchange.handle_response(missing, 2, Vec::new()), None);
        assert_eq!(asked(&exchange), [A]);
        let name = if operation == Operation::Get { A } else { B };
        let response = values(&mut exchange, &[integer(name, 1)]).unwrap();
        let expected = vec![
            integer(name, 1),
            VarBind::new(oid(B), exception.clone()),
            VarBind::new(oid(C), exception),
        ];
        assert_eq!(response, ForwardedResponse::values(expected));
    }
}

/// 4.2.2.1: a Counter64 does not exist for SNMPv1; what follows it is asked for.
#[test]
fn a_counter64_is_passed_for_a_v1_manager() {
    let names = [A, B];
    let get_next = request(Version::V1, Operation::GetNext, &names);
    let mut exchange = Exchange::new(get_next, Version::V2c);
    let big = VarBind::new(oid("1.3.6.1.2.1.31.1"), Value::Counter64(1 << 40));
    assert_eq!(values(&mut exchange, &[big.clone(), integer(C, 2)]), None);
    assert_eq!(asked(&exchange), ["1.3.6.1.2.1.31.1"]);
    let behind = integer("1.3.6.1.2.1.31.2", 3);
    let response = values(&mut exchange, std::slice::from_ref(&behind)).unwrap();
    assert_eq!(
        response,
        ForwardedResponse::values(vec![behind, integer(C, 2)])
    );

    let mut exchange = Exchange::new(request(Version::V1, Operation::Get, &[A]), Version::V2c);
    let big = VarBind::new(oid(A), Value::Counter64(1));
    let response = values(&mut exchange, &[big]).unwrap();
    assert_eq!(response.var_binds[0].value, Value::NoSuchInstance);
}

#[test]
fn a_counter64_cannot_be_set_at_a_v1_target() {
    let set = ForwardedRequest {
        version: Version::V2c,
        operation: Operation::Set,
        var_binds: vec![integer(A, 1), VarBind::new(oid(B), Value::Counter64(1))],
    };
    let exchange = Exchange::new(set.clone(), Version::V1);
    assert_eq!(
        exchange.immediate_response(),
        Some(ForwardedResponse::error(ErrorStatus::WrongType, 2))
    );
    assert_eq!(Exchange::new(set, Version::V2c).immediate_response(), None);
}

/// The index counts the names of the sender, whatever the target was asked last.
#[test]
fn the_error_index_is_that_of_the_request() {
    let get = request(Version::V2c, Operation::Get, &[A, B, C]);
    let mut exchange = Exchange::new(get, Version::V1);
    let missing = exchange.handle_response(ErrorStatus::NoSuchName, 1, Vec::new());
    assert_eq!(missing, None);
    let response = exchange.handle_response(ErrorStatus::GenErr, 2, Vec::new());
    assert_eq!(
        response,
        Some(ForwardedResponse::error(ErrorStatus::GenErr, 3))
    );
    let set = ForwardedRequest {
        version: Version::V3,
        operation: Operation::Set,
        var_binds: vec![integer(A, 1), integer(B, 2)],
    };
    for (status, index) in [
        (ErrorStatus::WrongValue, 2),
        (ErrorStatus::NoSuchName, 1),
        (ErrorStatus::UndoFailed, 0),
    ] {
        let mut exchange = Exchange::new(set.clone(), Version::V2c);
        let response = exchange.handle_response(status, index, Vec::new());
        let index = usize::try_from(index).unwrap();
        assert_eq!(response, Some(ForwardedResponse::error(status, index)));
    }
}
