//! Devices that do not respond, respond for ever, or are the agent itself.

use std::net::UdpSocket;

use varbind_codec::ber::Writer;
use varbind_codec::message::CommunityMessage;
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::ValueRef;
use varbind_testkit::peers::{eventually, free_port};

use super::{SYS_NAME, has_tools, through};
use crate::process::{Home, ask};

#[test]
fn a_silent_device_delays_no_other_request() {
    if !has_tools() {
        return;
    }
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"public\"\n[[community]]\nname = \"dead\"\ncontext = \"dead\"\n\
         [[proxy]]\nname = \"seven\"\ntarget = \"udp:127.0.0.1:{port}\"\ncommunity = \"public\"\ncontext = \"dead\"\ntimeout = \"1s\"\n",
    ));
    let agent = home.start(1);
    let address = agent.addresses[0].clone();
    let dead = || {
        ask(
            "snmpget",
            "dead",
            &address,
            &["-t", "30", "-r", "0", SYS_NAME],
        )
    };
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..8).map(|_| scope.spawn(dead)).collect();
        // These are answered while the others wait.
        for _ in 0..20 {
            let alive = through(&agent, "snmpget", "public", &[SYS_NAME]);
            assert!(alive.contains("STRING"), "{alive}");
        }
        for answer in waiting {
            let answer = answer.join().unwrap();
            assert!(
                answer.contains("genErr") || answer.contains("general failure"),
                "{answer}"
            );
        }
    });
    let log = agent.log();
    assert_eq!(
        log.matches("end with genErr until it responds").count(),
        1,
        "{log}"
    );
    // Another device comes up there, and goes, and comes again.
    drop(silent);
    let device = |name: &str| {
        Home::new(&format!(
            "listen = [\"udp:127.0.0.1:{port}\"]\n[system]\nname = {name:?}\n"
        ))
    };
    let first = device("first");
    let running = first.start(1);
    eventually("no response of the first", || dead().contains("first"));
    agent.await_log("responds again");
    running.signal("-TERM");
    running.wait();
    let gone = dead();
    assert!(
        gone.contains("genErr") || gone.contains("general failure"),
        "{gone}"
    );
    let second = device("second");
    let _running = second.start(1);
    eventually("no response of the second", || dead().contains("second"));
}

/// A device that names one instance more before the start of the search, each time it is asked.
fn endless(device: &UdpSocket) {
    let mut arrived = [0; 1500];
    while let Ok((length, source)) = device.recv_from(&mut arrived) {
        if length == 0 {
            return;
        }
        let message = CommunityMessage::decode(&arrived[..length]).unwrap();
        let Pdu::Common(request) = message.pdu else {
            panic!("no request");
        };
        let asked = request.var_binds.clone().next().unwrap().unwrap();
        let mut name = asked.name.to_oid().arcs().to_vec();
        let is_above = name.len() < 8;
        match name.last_mut() {
            Some(last) if *last < u32::MAX && !is_above => *last += 1,
            _ => name.push(1),
        }
        let mut buffer = [0; 1500];
        let mut writer = Writer::new(&mut buffer, 100).unwrap();
        writer.append_var_bind(&name, ValueRef::Integer(1)).unwrap();
        let (kind, id) = (PduType::Response, request.request_id);
        writer.prepend_pdu(kind, id, 0, 0).unwrap();
        writer
            .prepend_community_header(message.version, message.community)
            .unwrap();
        device.send_to(writer.written(), source).unwrap();
    }
}

#[test]
fn a_search_that_a_device_answers_for_ever_ends() {
    if !has_tools() {
        return;
    }
    let device = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = device.local_addr().unwrap();
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"endless\"\ncontext = \"endless\"\nview = \"narrow\"\n\
         [[view]]\nname = \"narrow\"\ninclude = [\"1.3.6.1.4.1.32473.5\"]\n\
         [[proxy]]\ntarget = \"udp:{address}\"\ncommunity = \"public\"\ncontext = \"endless\"\n"
    ));
    let agent = home.start(1);
    std::thread::scope(|scope| {
        scope.spawn(|| endless(&device));
        let arguments = ["-t", "30", "-r", "0", ".1.3.6.1.4.1.32473"];
        let answer = through(&agent, "snmpgetnext", "endless", &arguments);
        // An empty datagram ends the device.
        device.send_to(&[], address).unwrap();
        assert!(answer.contains("genErr"), "{answer}");
    });
}

/// RFC 3413 3.5
#[test]
fn a_request_that_goes_round_in_a_loop_ends() {
    if !has_tools() {
        return;
    }
    let (one, other) = (free_port(), free_port());
    let agent = |port: u16, targets: &[(&str, u16)]| {
        let mut text =
            format!("listen = [\"udp:127.0.0.1:{port}\"]\n[[community]]\nname = \"public\"\n");
        for (context, target) in targets {
            text += &format!(
                "[[community]]\nname = {context:?}\ncontext = {context:?}\n\
                 [[proxy]]\nname = {context:?}\ntarget = \"udp:localhost:{target}\"\ncommunity = {context:?}\ncontext = {context:?}\n"
            );
        }
        let home = Home::new(&text);
        let agent = home.start(1);
        (home, agent)
    };
    // By its own name, and by way of another agent.
    let (_home, first) = agent(one, &[("itself", one), ("round", other)]);
    let (_other_home, _second) = agent(other, &[("round", one)]);
    for context in ["itself", "round"] {
        let ended = through(
            &first,
            "snmpget",
            context,
            &["-t", "30", "-r", "0", SYS_NAME],
        );
        assert!(
            ended.contains("genErr") || ended.contains("general failure"),
            "{ended}"
        );
    }
    first.await_log("has the engine ID");
    let alive = through(&first, "snmpget", "public", &[SYS_NAME]);
    assert!(alive.contains("STRING"), "{alive}");
}
