mod reload;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::delivery::{self, Backoff};
use super::fixtures::poll;
use super::queue::{Limits, Queue};
use super::spool::Spool;
use super::*;

/// Writes the identity of each poll as a line.
struct Identities;

impl Encode for Identities {
    fn encode(&mut self, polls: &[Arc<Poll>], octets: &mut Vec<u8>) {
        for poll in polls {
            octets.extend(format!("{}\n", poll.identity()).bytes());
        }
    }
}

/// A receiver that does what it is told.
#[derive(Clone, Default)]
struct Receiver {
    lines: Arc<Mutex<Vec<String>>>,
    answers: Arc<Mutex<VecDeque<Result<Delivered, DeliveryError>>>>,
    is_down: Arc<AtomicBool>,
}

impl Transmit for Receiver {
    fn deliver<'d>(&'d mut self, batch: &'d Batch) -> Delivering<'d> {
        Box::pin(async {
            if self.is_down.load(Ordering::Relaxed) {
                return Err(DeliveryError::temporary("connection refused"));
            }
            let answer = self.answers.lock().unwrap().pop_front();
            let answer = answer.unwrap_or_else(|| Ok(Delivered::default()));
            if answer.is_ok() {
                let text = String::from_utf8(batch.octets.clone()).unwrap();
                self.lines
                    .lock()
                    .unwrap()
                    .extend(text.lines().map(str::to_owned));
            }
            answer
        })
    }
}

impl Receiver {
    fn down() -> Self {
        let receiver = Self::default();
        receiver.is_down.store(true, Ordering::Relaxed);
        receiver
    }

    fn sink(&self) -> Sink {
        Sink {
            format: "identities",
            encoder: Box::new(Identities),
            transmitter: Box::new(self.clone()),
        }
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

/// An output in the runtime of the test, with queue and batches of so many polls.
struct Output {
    queue: Queue,
    counters: Arc<Counters>,
    stop: watch::Sender<bool>,
}

impl Output {
    fn new(queue: usize, batch: usize) -> Self {
        let samples = poll("r", 0).len();
        let counters = Arc::new(Counters::new("test"));
        let limits = Limits {
            queue: queue * samples,
            batch: batch * samples,
            linger: Duration::from_secs(1),
        };
        Self {
            queue: Queue::new(limits, Arc::clone(&counters)),
            counters,
            stop: watch::Sender::new(false),
        }
    }

    async fn run(&self, receiver: &Receiver, spool: Option<Spool>) {
        let backoff = Backoff {
            first: Duration::from_secs(1),
            most: Duration::from_secs(30),
        };
        let stop = self.stop.subscribe();
        delivery::run(
            receiver.sink(),
            &self.queue,
            spool,
            &self.counters,
            backoff,
            stop,
        )
        .await;
    }

    fn push(&self, slots: std::ops::Range<u64>) {
        for slot in slots {
            self.queue.push(poll("r", slot));
        }
    }

    /// Polls that were accepted are delivered, lost or still waiting.
    fn lost(&self) -> u64 {
        Loss::ALL
            .iter()
            .map(|loss| self.counters.lost_polls(*loss))
            .sum()
    }

    fn metrics(&self) -> String {
        let mut text = String::new();
        counters::write_metrics(&[&*self.counters].into_iter(), &mut text);
        text
    }
}

fn identities(slots: std::ops::Range<u64>) -> Vec<String> {
    slots.map(|slot| format!("r/if_mib/{slot}")).collect()
}

#[tokio::test(start_paused = true)]
async fn failed_deliveries_are_repeated_in_order() {
    let (output, receiver) = (Output::new(100, 4), Receiver::default());
    let failures = [
        Err(DeliveryError::temporary("connection refused")),
        Err(DeliveryError::Temporary {
            message: "429".to_owned(),
            retry_after: Some(Duration::from_secs(7)),
        }),
    ];
    receiver.answers.lock().unwrap().extend(failures);
    output.push(0..10);
    output.queue.close();
    let begun = tokio::time::Instant::now();
    output.run(&receiver, None).await;
    assert_eq!(receiver.lines(), identities(0..10));
    assert!(
        begun.elapsed() >= Duration::from_secs(7),
        "{:?}",
        begun.elapsed()
    );
    assert!(
        output
            .metrics()
            .contains("varbind_output_retries_total{output=\"test\"} 2\n")
    );
    assert!(
        output
            .metrics()
            .contains("varbind_output_delivered_polls_total{output=\"test\"} 10\n")
    );
    assert!(!output.counters.is_failing());
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_drops_the_oldest_and_counts_them() {
    let (output, receiver) = (Output::new(10, 4), Receiver::down());
    let drive = async {
        output.push(0..50);
        sleep(Duration::from_secs(90)).await;
        output.push(50..100);
        assert!(output.counters.is_failing());
        receiver.is_down.store(false, Ordering::Relaxed);
        output.queue.close();
    };
    tokio::join!(output.run(&receiver, None), drive);
    let mut expected = identities(40..44);
    expected.extend(identities(90..100));
    assert_eq!(receiver.lines(), expected);
    assert_eq!(output.counters.lost_polls(Loss::QueueFull), 86);
    assert_eq!(output.lost() + output.counters.delivered_polls(), 100);
}

#[tokio::test(start_paused = true)]
async fn refused_batches_are_counted_and_do_not_block_others() {
    let (output, receiver) = (Output::new(100, 4), Receiver::default());
    let answers = [
        Err(DeliveryError::Refused("bad request".to_owned())),
        Ok(Delivered {
            refused: Some((
                Size {
                    polls: 0,
                    samples: 3,
                },
                "too old".to_owned(),
            )),
        }),
    ];
    receiver.answers.lock().unwrap().extend(answers);
    output.push(0..10);
    output.queue.close();
    output.run(&receiver, None).await;
    assert_eq!(receiver.lines(), identities(4..10));
    let samples = 4 * poll("r", 0).len() + 3;
    let line =
        |name, reason: &str, value: usize| format!("{name}{{output=\"test\"{reason}}} {value}\n");
    for line in [
        line("varbind_output_lost_polls_total", ",reason=\"refused\"", 4),
        line(
            "varbind_output_lost_samples_total",
            ",reason=\"refused\"",
            samples,
        ),
        line("varbind_output_delivered_polls_total", "", 6),
    ] {
        assert!(
            output.metrics().contains(&line),
            "{line}{}",
            output.metrics()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn polls_that_are_left_at_the_end_are_counted() {
    let (output, receiver) = (Output::new(100, 4), Receiver::down());
    output.push(0..10);
    output.queue.close();
    let stop = async {
        sleep(Duration::from_secs(60)).await;
        output.stop.send_replace(true);
    };
    tokio::join!(output.run(&receiver, None), stop);
    output.push(10..11);
    assert_eq!(output.counters.lost_polls(Loss::Stopped), 11);
}

#[tokio::test(start_paused = true)]
async fn a_batch_waits_for_more_but_not_for_long() {
    let (output, receiver) = (Output::new(100, 4), Receiver::default());
    let drive = async {
        output.push(0..1);
        sleep(Duration::from_millis(900)).await;
        assert_eq!(receiver.lines(), identities(0..0));
        sleep(Duration::from_millis(200)).await;
        assert_eq!(receiver.lines(), identities(0..1));
        output.push(1..5);
        sleep(Duration::from_millis(1)).await;
        assert_eq!(receiver.lines(), identities(0..5));
        output.queue.close();
    };
    tokio::join!(output.run(&receiver, None), drive);
}

#[tokio::test(start_paused = true)]
async fn a_spool_keeps_polls_for_the_next_process() {
    let directory = tempfile::tempdir().unwrap();
    let open = || Some(Spool::open(directory.path(), "identities", 1 << 20).unwrap());
    let receiver = Receiver::down();
    let first = Output::new(10, 4);
    let drive = async {
        for start in (0..40).step_by(10) {
            first.push(start..start + 10);
            sleep(Duration::from_secs(20)).await;
        }
        // As much as is delivered before the end is not delivered again.
        receiver.is_down.store(false, Ordering::Relaxed);
        while receiver.lines().len() < 12 {
            sleep(Duration::from_millis(100)).await;
        }
        receiver.is_down.store(true, Ordering::Relaxed);
        first.push(40..45);
        first.queue.close();
        sleep(Duration::from_secs(5)).await;
        first.stop.send_replace(true);
    };
    tokio::join!(first.run(&receiver, open()), drive);
    assert_eq!(first.lost(), 0);

    receiver.is_down.store(false, Ordering::Relaxed);
    let second = Output::new(10, 4);
    second.push(45..50);
    second.queue.close();
    second.run(&receiver, open()).await;
    assert_eq!(receiver.lines(), identities(0..50));
    assert!(
        second
            .metrics()
            .contains("varbind_output_spool_bytes{output=\"test\"} 0\n")
    );
}

#[tokio::test(start_paused = true)]
async fn a_full_spool_drops_the_oldest_and_counts_them() {
    let directory = tempfile::tempdir().unwrap();
    let spool = Spool::open(directory.path(), "identities", 1000).unwrap();
    let (output, receiver) = (Output::new(100, 1), Receiver::down());
    let drive = async {
        output.push(0..100);
        sleep(Duration::from_secs(20)).await;
        output.push(100..200);
        sleep(Duration::from_secs(20)).await;
        receiver.is_down.store(false, Ordering::Relaxed);
        output.queue.close();
    };
    tokio::join!(output.run(&receiver, Some(spool)), drive);
    let lost = output.counters.lost_polls(Loss::SpoolFull);
    assert!(lost > 150, "{lost}");
    let lines = receiver.lines();
    assert_eq!(lines.last(), identities(199..200).first());
    // A batch that was being delivered when it had to make room may count as both.
    let all = lost + lines.len() as u64;
    assert!((200..=201).contains(&all), "{all}");
}

#[test]
fn lines_are_appended_to_a_file_that_may_be_renamed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("polls.jsonl");
    let text = format!(
        "type = \"json-lines\"\npath = {:?}\nlinger = \"1ms\"",
        path.display().to_string()
    );
    let outputs = BTreeMap::from([("file".to_owned(), toml::from_str(&text).unwrap())]);
    let send = |slots: std::ops::Range<u64>| {
        let outputs = Outputs::start(&outputs).unwrap();
        slots.for_each(|slot| outputs.send(&poll("r", slot)));
        outputs.stop(Duration::from_secs(60));
    };
    let slots = |path: &std::path::Path| -> Vec<u64> {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.map(|line| line["slot"].as_u64().unwrap()).collect()
    };
    send(0..3);
    send(3..5);
    assert_eq!(slots(&path), [0, 1, 2, 3, 4]);

    let running = Outputs::start(&outputs).unwrap();
    let renamed = directory.path().join("polls.jsonl.1");
    std::fs::rename(&path, &renamed).unwrap();
    running.send(&poll("r", 5));
    running.stop(Duration::from_secs(60));
    assert_eq!(slots(&renamed).len(), 5);
    assert_eq!(slots(&path), [5]);
}
