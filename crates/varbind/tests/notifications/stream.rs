//! The receiver as a stream.

use std::future::{Future, poll_fn};
use std::net::{SocketAddr, UdpSocket};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use varbind::Receiver;
use varbind::blocking::NotificationTarget;
use varbind::client::User;
use varbind::clock::Clock;
use varbind::engine::applications::command_generator::{
    MessageProcessing, RetryPolicy, UserParameters, V3Parameters, V3Security,
};
use varbind::engine::applications::notification_originator::OriginatorEvent;
use varbind::engine::applications::notification_receiver::{NotificationKind, ReceiverLoss};
use varbind::engine::security::usm::{
    AuthenticationProtocol, Credentials, LocalEngine, Password, PrivacyProtocol,
};
use varbind::engine::security::{SecurityLevel, SecurityName, SourceAddresses};
use varbind::notification::{Arrived, BuildError, ReceiverBuilder, ReceiverLimits, TargetOptions};
use varbind::transport::Transport;
use varbind_testkit::loopback::{PATIENCE, engine_id};

use crate::fixture::{numbered, target, target_with, v2c};
use crate::transports::finish;

fn builder() -> ReceiverBuilder {
    Receiver::builder().community("public")
}

/// A receiver on a port of loopback over each of these transports.
fn start(builder: ReceiverBuilder, transports: &[Transport]) -> (Receiver, Vec<SocketAddr>) {
    let listening = transports.iter().fold(builder, |builder, transport| {
        builder.listen(&format!("{transport}:127.0.0.1:0"))
    });
    let receiver = listening.start().unwrap();
    let addresses = receiver.addresses().into_iter();
    let addresses = addresses.map(|address| address.resolve(0).unwrap()[0]);
    let addresses = addresses.collect();
    (receiver, addresses)
}

/// Runs a test in a runtime with one thread. No test is decided by how fast it is.
fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let outcome = runtime.block_on(async { tokio::time::timeout(PATIENCE, test).await });
    outcome.expect("the test ends")
}

/// Sends traps over UDP that have these numbers, and waits until the receiver has taken them in.
fn send_traps(receiver: &Receiver, address: SocketAddr, numbers: std::ops::Range<u32>) {
    let mut target = target(Transport::Udp, address, NotificationKind::Trap, v2c());
    let before = receiver.statistics().messages();
    let await_that = |is_met: &dyn Fn() -> bool| {
        let deadline = Instant::now() + PATIENCE;
        while !is_met() {
            assert!(Instant::now() < deadline, "too few messages");
            thread::yield_now();
        }
    };
    for (number, sent) in numbers.zip(1..) {
        target.send(&numbered(number)).unwrap();
        finish(&mut target);
        await_that(&|| receiver.statistics().messages() >= before + sent);
    }
    // Messages are handled one behind the other: when this one counts, what came before is in the queue, or lost.
    let malformed = || receiver.statistics().lost(ReceiverLoss::Malformed);
    let former = malformed();
    let end = UdpSocket::bind("127.0.0.1:0").unwrap();
    end.send_to(b"end", address).unwrap();
    await_that(&|| malformed() > former);
}

#[test]
fn notifications_of_all_listeners_come_as_one_stream() {
    let transports = [Transport::Udp, Transport::Tcp];
    let (mut receiver, addresses) = start(builder(), &transports);
    for (transport, address) in transports.into_iter().zip(addresses) {
        let sending = thread::spawn(move || {
            let mut target = target(transport, address, NotificationKind::Inform, v2c());
            for number in 0..100 {
                target.send(&numbered(number)).unwrap();
            }
            finish(&mut target)
        });
        run(async {
            for number in 0..100 {
                let arrived = receiver.next().await.unwrap();
                assert_eq!(arrived.transport, transport);
                let received = arrived.deliver();
                assert_eq!(received.security_name.as_str(), "community-1");
                assert_eq!(received.notification.up_time, number);
            }
        });
        let events = sending.join().unwrap();
        let acknowledged =
            |event: &OriginatorEvent| matches!(event, OriginatorEvent::Acknowledged { .. });
        assert_eq!(events.len(), 100);
        assert!(events.iter().all(acknowledged), "{events:?}");
    }
    assert_eq!(receiver.statistics().delivered(), 200);
}

#[test]
fn an_inform_that_was_dropped_comes_again_and_is_acknowledged_when_it_is_delivered() {
    let (mut receiver, addresses) = start(builder(), &[Transport::Udp]);
    let sending = thread::spawn(move || {
        let mut options = TargetOptions::new(NotificationKind::Inform, v2c());
        options.originator.retry = RetryPolicy::Fixed {
            timeout: Duration::from_millis(200),
            retries: 100,
        };
        let mut target = target_with(Transport::Udp, addresses[0], options);
        target.connect().unwrap();
        target.send(&numbered(7)).unwrap();
        finish(&mut target)
    });
    run(async {
        drop(receiver.next().await.unwrap());
        assert_eq!(receiver.statistics().lost(ReceiverLoss::Output), 1);
        let again = receiver.next().await.unwrap();
        assert!(!sending.is_finished());
        assert_eq!(again.deliver().notification.up_time, 7);
    });
    let events = sending.join().unwrap();
    assert!(
        matches!(&events[..], [OriginatorEvent::Acknowledged { .. }]),
        "{events:?}"
    );
}

/// A target to which the user `ops` sends from another engine than the receiver's.
fn target_of_ops(
    address: SocketAddr,
    kind: NotificationKind,
    credentials: Credentials,
) -> NotificationTarget {
    let user = UserParameters::new(SecurityName::new("ops"), credentials).unwrap();
    let parameters = V3Parameters::new(V3Security::User(user));
    let mut options = TargetOptions::new(kind, MessageProcessing::V3(Box::new(parameters)));
    let engine = LocalEngine::new(engine_id(), 1, Clock::start().now(), 1);
    options.originator.engine = Some(Arc::new(engine));
    let mut target = target_with(Transport::Udp, address, options);
    target.connect().unwrap();
    target
}

#[test]
fn users_send_traps_and_informs_that_are_as_well_protected_as_their_passwords_allow() {
    let user = User::new("ops").sha256("maple syrup").aes128("apple sauce");
    let (mut receiver, addresses) = start(Receiver::builder().user(user), &[Transport::Udp]);
    let address = addresses[0];
    let maple = Password::new("maple syrup").unwrap();
    let apple = Password::new("apple sauce").unwrap();
    let (sha256, aes128) = (AuthenticationProtocol::Sha256, PrivacyProtocol::Aes128);
    let unencrypted = Credentials::auth_no_priv(sha256, &maple);
    let encrypted = Credentials::auth_priv(sha256, &maple, aes128, &apple);
    let mut refused = target_of_ops(address, NotificationKind::Trap, unencrypted);
    refused.send(&numbered(1)).unwrap();
    finish(&mut refused);
    for kind in [NotificationKind::Trap, NotificationKind::Inform] {
        let credentials = encrypted.clone();
        let sending = thread::spawn(move || {
            let mut target = target_of_ops(address, kind, credentials);
            target.send(&numbered(2)).unwrap();
            finish(&mut target).len()
        });
        let received = run(receiver.next()).unwrap().deliver();
        assert_eq!((received.kind, received.notification.up_time), (kind, 2));
        assert_eq!(received.security_name.as_str(), "ops");
        assert_eq!(received.security_level, SecurityLevel::AuthPriv);
        let outcomes = usize::from(kind == NotificationKind::Inform);
        assert_eq!(sending.join().unwrap(), outcomes);
    }
    assert_eq!(receiver.statistics().lost(ReceiverLoss::Security), 1);
}

#[test]
fn notifications_beyond_the_queue_are_counted() {
    let limits = ReceiverLimits {
        queue: 2,
        ..ReceiverLimits::default()
    };
    let (mut receiver, addresses) = start(builder().limits(limits), &[Transport::Udp]);
    send_traps(&receiver, addresses[0], 0..10);
    run(async {
        for number in 0..2 {
            let received = receiver.next().await.unwrap().deliver();
            assert_eq!(received.notification.up_time, number);
        }
    });
    let statistics = Arc::clone(receiver.statistics());
    assert_eq!(statistics.lost(ReceiverLoss::Queue), 8);
    send_traps(&receiver, addresses[0], 10..11);
    drop(receiver);
    assert_eq!(
        (statistics.delivered(), statistics.lost(ReceiverLoss::Queue)),
        (2, 9)
    );
}

#[test]
fn a_closed_receiver_gives_what_has_arrived_and_ends() {
    let (mut receiver, addresses) = start(builder(), &[Transport::Udp]);
    send_traps(&receiver, addresses[0], 0..3);
    receiver.close();
    assert!(receiver.addresses().is_empty());
    run(async {
        for number in 0..3 {
            let received = receiver.next().await.unwrap().deliver();
            assert_eq!(received.notification.up_time, number);
        }
        assert!(receiver.next().await.is_none());
        assert!(receiver.next().await.is_none());
    });
    let (_listening, mut notifications) = receiver.into_parts();
    assert!(notifications.next().is_none());
}

fn poll_next(receiver: &mut Receiver, cx: &mut Context<'_>) -> Poll<Option<Arrived>> {
    pin!(receiver.next()).poll(cx)
}

/// Notes that it was woken.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

impl Woken {
    /// Waits until it is woken. What has arrived counts as received before it is there for whoever takes it.
    fn wait(&self) {
        let begun = Instant::now();
        while !self.0.swap(false, Ordering::AcqRel) {
            assert!(begun.elapsed() < PATIENCE, "nobody was woken");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn a_waiting_task_is_woken_in_any_executor() {
    let (mut receiver, addresses) = start(builder(), &[Transport::Udp]);
    let (former, woken) = (Arc::new(Woken::default()), Arc::new(Woken::default()));
    let poll = |receiver: &mut Receiver, woken: &Arc<Woken>| {
        let waker = Waker::from(Arc::clone(woken));
        poll_next(receiver, &mut Context::from_waker(&waker))
    };
    assert!(poll(&mut receiver, &former).is_pending());
    // Another task takes it over.
    assert!(poll(&mut receiver, &woken).is_pending());
    send_traps(&receiver, addresses[0], 0..1);
    woken.wait();
    assert!(!former.0.load(Ordering::Acquire));
    assert!(matches!(poll(&mut receiver, &woken), Poll::Ready(Some(_))));
    assert!(poll(&mut receiver, &woken).is_pending());
    receiver.close();
    woken.wait();
    assert!(matches!(poll(&mut receiver, &woken), Poll::Ready(None)));
}

#[test]
fn a_flood_leaves_time_for_other_tasks() {
    let (mut receiver, addresses) = start(builder(), &[Transport::Udp]);
    send_traps(&receiver, addresses[0], 0..1000);
    let taken = run(async move {
        tokio::spawn(async move {
            let mut taken = 0;
            while poll_fn(|cx| Poll::Ready(poll_next(&mut receiver, cx).is_ready())).await {
                taken += 1;
            }
            taken
        })
        .await
        .unwrap()
    });
    assert!((1..1000).contains(&taken), "{taken}");
}

#[test]
fn settings_that_cannot_be_used_are_reported_at_the_start() {
    let user = |user| Receiver::builder().user(user).start().unwrap_err();
    let error = user(User::new("ops"));
    assert!(
        matches!(error, BuildError::NoAuthentication { .. }),
        "{error}"
    );
    let error = user(User::new("ops").sha256("short"));
    assert!(matches!(error, BuildError::Key { .. }), "{error}");
    let error = user(User::new("").sha256("maple syrup"));
    assert!(matches!(error, BuildError::UserName { .. }), "{error}");
    let listen = |address: &str| builder().listen(address).start().unwrap_err();
    let error = listen("gopher:router1");
    assert!(matches!(error, BuildError::Address { .. }), "{error}");
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let error = listen(&format!("udp:{}", taken.local_addr().unwrap()));
    assert!(matches!(error, BuildError::Listen { .. }), "{error}");
    if Transport::Tls.is_available() {
        let error = listen("tls:127.0.0.1:0");
        assert!(matches!(error, BuildError::Listen { .. }), "{error}");
    }
}

#[test]
fn a_community_can_be_confined_to_addresses() {
    let elsewhere = SourceAddresses::Within(vec!["192.0.2.0/24".parse().unwrap()]);
    let confined = Receiver::builder().community_from("public", elsewhere);
    let (receiver, addresses) = start(confined, &[Transport::Udp]);
    send_traps(&receiver, addresses[0], 0..1);
    assert_eq!(receiver.statistics().lost(ReceiverLoss::Security), 1);
    assert_eq!(receiver.statistics().notifications(), 0);
}
