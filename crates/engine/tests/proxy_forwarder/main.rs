//! The proxy forwarder (RFC 3413 section 3.5): which requests are passed on, how they and their responses are converted, and
//! what no target may do to it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what a test relies on ends it"
)]

mod rfc3413_3_5_contexts_of_others;
mod rfc3413_3_5_requests;
mod rfc3584_4_conversions;
mod targets_misbehave;

use std::sync::Arc;

use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::applications::command_generator::Command;
use varbind_engine::applications::proxy_forwarder::{
    Exchange, ForwardReply, ForwardedRequest, ForwardedResponse, Operation, ProxyTarget,
};
use varbind_engine::instrumentation::{
    DynamicObjects, ManagedObject, ReadError, Reply, RequestContext, Start,
};
use varbind_testkit::oid;

/// A target that nothing is sent to: the tests answer for it.
#[derive(Debug)]
struct Target {
    may_write: bool,
}

impl Target {
    fn read_only() -> Arc<dyn ProxyTarget> {
        Arc::new(Self { may_write: false })
    }

    fn read_write() -> Arc<dyn ProxyTarget> {
        Arc::new(Self { may_write: true })
    }
}

impl ProxyTarget for Target {
    fn may_write(&self) -> bool {
        self.may_write
    }

    fn forward(&self, _: ForwardedRequest, _: ForwardReply) {}
}

/// The objects of a target, one by one: there are none.
struct NoObjects;

impl ManagedObject for NoObjects {
    fn get(&self, _: &RequestContext, _: &[u32], _: &mut Reply<'_, '_>) -> Result<(), ReadError> {
        Err(ReadError::NoSuchObject)
    }

    fn get_next(
        &self,
        _: &RequestContext,
        _: &[u32],
        _: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        Ok(())
    }
}

impl DynamicObjects for NoObjects {
    fn get_next_before(
        &self,
        _: &RequestContext,
        _: Start<'_>,
        _: Option<&[u32]>,
        _: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        Ok(())
    }
}

fn request(version: Version, operation: Operation, names: &[&str]) -> ForwardedRequest {
    ForwardedRequest {
        version,
        operation,
        var_binds: names
            .iter()
            .map(|name| VarBind::new(oid(name), Value::Null))
            .collect(),
    }
}

fn integer(name: &str, value: i32) -> VarBind {
    VarBind::new(oid(name), Value::Integer(value))
}

/// The names that the target is asked for.
fn asked(exchange: &Exchange) -> Vec<String> {
    let names: &[Oid] = match exchange.command() {
        Command::Get(names) | Command::GetNext(names) | Command::GetBulk { names, .. } => names,
        other => panic!("{other:?}"),
    };
    names.iter().map(Oid::to_string).collect()
}

fn values(exchange: &mut Exchange, var_binds: &[VarBind]) -> Option<ForwardedResponse> {
    exchange.handle_response(ErrorStatus::NoError, 0, var_binds.to_vec())
}
