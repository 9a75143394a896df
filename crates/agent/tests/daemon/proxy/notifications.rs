//! Notifications of devices go to the targets of the agent.

use varbind::engine::applications::notification_receiver::ReceivedNotification;
use varbind::transport::Transport;
use varbind_testkit::peers::{command, is_installed};

use crate::notifications::TestReceiver;
use crate::process::Home;

fn value<'r>(
    received: &'r ReceivedNotification,
    name: &str,
) -> Option<&'r varbind::codec::smi::Value> {
    let name: varbind::codec::smi::Oid = name.parse().unwrap();
    received.notification.value(name.arcs())
}

const TRAP_ADDRESS: &str = "1.3.6.1.6.3.18.1.3.0";
const TRAP_COMMUNITY: &str = "1.3.6.1.6.3.18.1.4.0";
const TRAP_ENTERPRISE: &str = "1.3.6.1.6.3.1.1.4.3.0";
const ENTERPRISE: &str = "1.3.6.1.4.1.32473.9";

#[test]
fn notifications_of_a_device_are_passed_on_with_their_source() {
    if !is_installed("snmptrap") {
        return;
    }
    let in_clear = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let encrypted = TestReceiver::new(Transport::Udp, "127.0.0.1:0");
    let home = Home::new(&format!(
        "listen = [\"udp:127.0.0.1:0\"]\n[notifications]\nlisten = [\"udp:127.0.0.1:0\"]\n\
         [[user]]\nname = \"ops\"\nauthentication = {{ protocol = \"SHA-256\", password = {password:?} }}\n\
         privacy = {{ protocol = \"AES\", password = {password:?} }}\n\
         [[notification-target]]\naddress = \"udp:{}\"\ncommunity = \"traps\"\n\
         [[notification-target]]\naddress = \"udp:{}\"\nversion = \"v3\"\nuser = \"ops\"\n\
         [[proxy]]\ntarget = \"udp:127.0.0.1\"\ncommunity = \"s3cret\"\ncontext = \"device\"\nusers = [\"ops\"]\nnotifications = true\n",
        in_clear.address,
        encrypted.address,
        password = crate::notifications::PASSWORD,
    ));
    let agent = home.start(2);
    // coldStart of the agent itself.
    in_clear.next();
    encrypted.next();
    let listens = agent
        .addresses
        .iter()
        .find_map(|address| address.strip_suffix(" for notifications"));
    let listens = listens.unwrap();
    let trap = |arguments: &[&str]| {
        let status = command("snmptrap").args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    let object = ["1.3.6.1.4.1.32473.1.0", "i", "7"];
    // Of a community that the device does not have.
    trap(
        &[
            &["-v2c", "-c", "public", listens, "1", "1.3.6.1.6.3.1.1.5.3"],
            &object[..],
        ]
        .concat(),
    );
    trap(
        &[
            &[
                "-v1",
                "-c",
                "s3cret",
                listens,
                ENTERPRISE,
                "192.0.2.77",
                "6",
                "5",
                "42",
            ],
            &object[..],
        ]
        .concat(),
    );
    trap(
        &[
            &["-v2c", "-c", "s3cret", listens, "43", "1.3.6.1.6.3.1.1.5.4"],
            &object[..],
        ]
        .concat(),
    );
    assert_passed_on(&in_clear, false);
    assert_passed_on(&encrypted, true);
}

fn text(received: &ReceivedNotification, name: &str) -> Option<String> {
    value(received, name).map(ToString::to_string)
}

/// A trap of version 1 and one of version 2c arrive.
#[track_caller]
fn assert_passed_on(receiver: &TestReceiver, knows_community: bool) {
    let from_v1 = receiver.next();
    let notification = &from_v1.notification;
    let expected = format!("{ENTERPRISE}.0.5");
    assert_eq!(notification.trap_oid.to_string(), expected);
    assert_eq!(notification.up_time, 42);
    let source = text(&from_v1, TRAP_ADDRESS);
    assert_eq!(source.as_deref(), Some("192.0.2.77"));
    let enterprise = text(&from_v1, TRAP_ENTERPRISE);
    assert_eq!(enterprise.as_deref(), Some(ENTERPRISE));
    let community = value(&from_v1, TRAP_COMMUNITY);
    assert_eq!(community.is_some(), knows_community, "{community:?}");
    let from_v2c = receiver.next();
    let notification = &from_v2c.notification;
    assert_eq!(notification.trap_oid.to_string(), "1.3.6.1.6.3.1.1.5.4");
    let source = text(&from_v2c, TRAP_ADDRESS);
    assert_eq!(source.as_deref(), Some("127.0.0.1"));
    let object = text(&from_v2c, "1.3.6.1.4.1.32473.1.0");
    assert_eq!(object.as_deref(), Some("7"));
}
