//! Sends traps of SNMPv3 (SHA-1, AES-128) at a rate, to find out what a receiver keeps up with.
//!
//! `cargo run --release -p varbind --example trap_load -- 127.0.0.1:1162 5000 10`: 5,000 a second for 10 seconds, by the
//! user `ops` with the passwords `maplesyrup` and `apple sauce`.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind::blocking::NotificationTarget;
use varbind::clock::Clock;
use varbind::engine::applications::command_generator::V3Parameters;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::SecurityName;
use varbind::engine::security::usm::{
    AuthenticationProtocol, Credentials, LocalEngine, Password, PrivacyProtocol,
};
use varbind::notification::{
    MessageProcessing, Notification, NotificationKind, Progress, TargetOptions,
};
use varbind::{Oid, VarBind};

/// How often what is due is sent.
const TICK: Duration = Duration::from_micros(500);

fn link_down(index: u32) -> Result<Notification, Box<dyn Error>> {
    let entry: Oid = "1.3.6.1.2.1.2.2.1".parse()?;
    let objects = [(1, index.cast_signed()), (7, 1), (8, 2)];
    let objects = objects.map(|(column, value)| {
        let name = entry.child(&[column, index])?;
        Ok(VarBind::new(name, value))
    });
    let objects = objects.into_iter().collect::<Result<_, Box<dyn Error>>>()?;
    Ok(Notification::new(
        index,
        "1.3.6.1.6.3.1.1.5.3".parse()?,
        objects,
    ))
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [address, rate, seconds] = &words[..] else {
        return Err("write ADDRESS, traps per second and seconds".into());
    };
    let rate: f64 = rate.parse()?;
    let count = rate * seconds.parse::<f64>()?;

    let clock = Clock::start();
    let credentials = Credentials::auth_priv(
        AuthenticationProtocol::Sha1,
        &Password::new(b"maplesyrup")?,
        PrivacyProtocol::Aes128,
        &Password::new(b"apple sauce")?,
    );
    let user = V3Parameters::user(SecurityName::new("ops"), credentials)?;
    let processing = MessageProcessing::V3(Box::new(user));
    let mut options = TargetOptions::new(NotificationKind::Trap, processing);
    let boots = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let engine = LocalEngine::new(
        EngineId::new(b"\x80\0\0\0\x04trap load")?,
        i32::try_from(boots.as_secs())?,
        clock.now(),
        boots.as_nanos() as u64,
    );
    options.originator.engine = Some(Arc::new(engine));
    let mut target = NotificationTarget::new(address.parse()?, options, clock)?;
    target.connect()?;

    let start = Instant::now();
    let mut sent = 0_u32;
    while f64::from(sent) < count {
        let due = (start.elapsed().as_secs_f64() * rate).min(count);
        while f64::from(sent) < due {
            target.send(&link_down(sent)?)?;
            sent += 1;
            while !matches!(target.progress(), Progress::Idle) {}
        }
        std::thread::sleep(TICK);
    }
    let elapsed = start.elapsed().as_secs_f64();
    println!(
        "{} traps in {elapsed:.2} s, {:.0} a second, {} not taken by the transport",
        target.statistics().traps_sent,
        f64::from(sent) / elapsed,
        target.statistics().transport_failures
    );
    Ok(())
}
