//! The smallest agent: two scalars, readable with the community `public` from this host.
//!
//! `cargo run --release -p varbind --example minimal_agent -- 127.0.0.1:1161`

use std::error::Error;
use std::sync::Arc;

use varbind::agent::{Agent, Limits};
use varbind::clock::Clock;
use varbind::codec::smi::{Oid, Value};
use varbind::engine::access_control::{AccessEntry, ContextMatch, Vacm, ViewMask, ViewTreeFamily};
use varbind::engine::instrumentation::{NotStored, Registry, Scalar, Storage};
use varbind::engine::local_configuration::LocalConfiguration;
use varbind::engine::security::{
    Community, CommunityTable, SecurityLevel, SecurityModel, SecurityName, SourceAddresses,
};
use varbind::transport::Transport;

/// Nothing can be set, so nothing is stored.
struct NoStorage;

impl Storage for NoStorage {
    fn make_durable(&self) -> Result<(), NotStored> {
        Ok(())
    }
}

fn registry() -> Result<Registry, Box<dyn Error>> {
    let system: Oid = "1.3.6.1.2.1.1".parse()?;
    let description = Scalar::new(&system.child(&[1])?, |_| {
        Some(Value::OctetString(b"a minimal agent".to_vec()))
    });
    let up_time = Scalar::new(&system.child(&[3])?, |request| {
        let hundredths = request.now.as_nanos() / 10_000_000;
        Some(Value::TimeTicks(hundredths as u32))
    });
    Ok(Registry::builder()
        .register(system.child(&[1])?, Arc::new(description))
        .register(system.child(&[3])?, Arc::new(up_time))
        .build()?)
}

fn access_control(name: &SecurityName) -> Result<Vacm, Box<dyn Error>> {
    Ok(Vacm::builder()
        .context("")
        .group(SecurityModel::SnmpV1, name.clone(), "readers")
        .group(SecurityModel::SnmpV2c, name.clone(), "readers")
        .access(AccessEntry {
            group: "readers".into(),
            context_prefix: String::new(),
            context_match: ContextMatch::Exact,
            security_model: None,
            security_level: SecurityLevel::NoAuthNoPriv,
            read_view: "all".into(),
            write_view: String::new(),
            notify_view: String::new(),
        })
        .view(
            "all",
            ViewTreeFamily {
                subtree: "1.3.6.1".parse()?,
                mask: ViewMask::default(),
                included: true,
            },
        )
        .build()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:1161".into());
    let name = SecurityName::new("public");
    let local = LocalConfiguration {
        access_control: access_control(&name)?,
        communities: CommunityTable::new(vec![Community {
            name: b"public".to_vec(),
            security_name: name,
            context_name: String::new(),
            sources: SourceAddresses::loopback(),
        }]),
        contexts: [(String::new(), Arc::new(registry()?))].into(),
        ..LocalConfiguration::default()
    };
    let agent = Agent::start(
        local,
        Arc::default(),
        Arc::new(NoStorage),
        Limits::default(),
        Clock::start(),
    )?;
    for transport in [Transport::Udp, Transport::Tcp] {
        let bound = agent.listen(transport, address.parse()?)?;
        println!("listening on {transport}:{bound}");
    }
    loop {
        std::thread::park();
    }
}
