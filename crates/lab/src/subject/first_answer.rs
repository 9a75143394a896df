use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::time::{Duration, Instant};

use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_codec::smi::Oid;

use crate::request::{FIRST_REQUEST_ID, MessageTemplate, Request, read_answer};
use crate::session::{Session, Target, Wait};

/// How long to wait for one answer before asking again.
const PATIENCE: Duration = Duration::from_millis(5);
/// How soon to ask again after the kernel said that nobody listens.
const PAUSE: Duration = Duration::from_micros(200);
/// sysUpTime.0: every agent has it (RFC 3418).
const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];

/// Asks for sysUpTime.0 until there is an answer; `false` if `gives_up` says so before.
pub(super) fn wait_for_answer(
    target: Target,
    community: &str,
    mut gives_up: impl FnMut() -> bool,
) -> bool {
    let request = Request::Get {
        names: Oid::new(&SYS_UP_TIME).into_iter().collect(),
    };
    let Ok(mut templates) =
        MessageTemplate::of_request(&request, Version::V2c, community.as_bytes())
    else {
        return false;
    };
    while !gives_up() {
        if let Some(template) = templates.first_mut()
            && let Ok(true) = ask(target, template)
        {
            return true;
        }
        std::thread::sleep(PAUSE);
    }
    false
}

fn ask(target: Target, template: &mut MessageTemplate) -> io::Result<bool> {
    let mut session = Session::open(target, PATIENCE)?;
    session.send(template.with_request_id(FIRST_REQUEST_ID))?;
    let answer = session.receive(Wait::Until(Instant::now() + PATIENCE))?;
    Ok(answer.is_some_and(|message| read_answer(message, Version::V2c, PduType::Response).is_ok()))
}

/// A loopback address whose port is free over UDP and TCP at this moment.
pub(super) fn free_address() -> io::Result<SocketAddr> {
    let mut last_error = None;
    for _ in 0..20 {
        let datagrams = UdpSocket::bind("127.0.0.1:0")?;
        let address = datagrams.local_addr()?;
        match TcpListener::bind(address) {
            Ok(_) => return Ok(address),
            Err(error) => last_error = Some(error),
        }
    }
    Err(last_error.unwrap_or_else(|| io::ErrorKind::AddrInUse.into()))
}
