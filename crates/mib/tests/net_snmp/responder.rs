//! An agent that answers with the values it was given, of whatever type, and keeps what was set.

use std::collections::HashMap;
use std::net::UdpSocket;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use varbind_codec::ber::Writer;
use varbind_codec::message::CommunityMessage;
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::{Oid, Value, VarBind};

pub(crate) struct Responder {
    pub(crate) port: u16,
    pub(crate) set: Receiver<VarBind>,
}

impl Responder {
    /// Serves from a thread until the test ends.
    pub(crate) fn start(values: Vec<VarBind>) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket on loopback");
        let port = socket.local_addr().expect("a bound socket").port();
        let entries = values
            .into_iter()
            .map(|VarBind { name, value }| (name, value));
        let values: HashMap<Oid, Value> = entries.collect();
        let (sender, set) = channel();
        thread::spawn(move || {
            let mut request = vec![0; 65_536];
            while let Ok((length, from)) = socket.recv_from(&mut request) {
                let message = CommunityMessage::decode(&request[..length]).expect("a message");
                let Pdu::Common(pdu) = message.pdu else {
                    continue;
                };
                let mut buffer = vec![0; 65_536];
                let mut writer = Writer::new(&mut buffer, 64).expect("room");
                for var_bind in pdu.var_binds {
                    let mut var_bind = var_bind.expect("a variable binding").to_owned();
                    if pdu.pdu_type == PduType::SetRequest {
                        // Nobody may be waiting for it any more.
                        let _ = sender.send(var_bind.clone());
                    } else {
                        let value = values.get(&var_bind.name).cloned();
                        var_bind.value = value.unwrap_or(Value::NoSuchObject);
                    }
                    writer
                        .append_var_bind(var_bind.name.arcs(), var_bind.value.as_value_ref())
                        .expect("room");
                }
                writer
                    .prepend_pdu(PduType::Response, pdu.request_id, 0, 0)
                    .expect("room");
                writer
                    .prepend_community_header(message.version, message.community)
                    .expect("room");
                socket.send_to(writer.written(), from).expect("loopback");
            }
        });
        Self { port, set }
    }
}
