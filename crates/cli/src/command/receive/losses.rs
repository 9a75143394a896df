//! What was received and what was lost, for people.

use std::time::{Duration, Instant};

use varbind::engine::applications::notification_receiver::{ReceiverLoss, ReceiverStatistics};
use varbind::notification::NotificationReceiver;
use varbind_terminal::print_message;

/// What the host or its administrator can change. The others depend on what is sent.
const OWN: [ReceiverLoss; 3] = [
    ReceiverLoss::Kernel,
    ReceiverLoss::Queue,
    ReceiverLoss::Output,
];
/// Losses end when there were none for so long.
const QUIET: Duration = Duration::from_secs(10);
/// While they go on, they are reported so often.
const INTERVAL: Duration = Duration::from_secs(60);

/// Prints what was received and what was lost.
pub(super) fn summarize(statistics: &ReceiverStatistics) {
    print_message(format_args!("varbind: {}", summary(statistics)));
}

/// The same for each listener, and in all.
pub(super) fn show_listeners(receiver: &NotificationReceiver) {
    for listener in receiver.listeners() {
        let addresses: Vec<_> = listener.addresses.iter().map(ToString::to_string).collect();
        let addresses = addresses.join(" ");
        print_message(format_args!(
            "{addresses}: {}",
            summary(&listener.statistics)
        ));
    }
    summarize(receiver.statistics());
}

fn summary(statistics: &ReceiverStatistics) -> String {
    let counted = |is_loss: bool| {
        let reasons = ReceiverLoss::ALL
            .into_iter()
            .filter(|loss| loss.is_loss() == is_loss);
        let counts = reasons.map(|loss| format!("{} {}", statistics.lost(loss), loss.name()));
        counts.collect::<Vec<_>>().join(", ")
    };
    format!(
        "{} notifications received, {} delivered; lost: {}; left out: {}",
        statistics.notifications(),
        statistics.delivered(),
        counted(true),
        counted(false)
    )
}

/// Counts of losses, by [`OWN`].
type Counts = [u64; OWN.len()];

/// Reports losses while they happen: their beginning, once a minute, and their end.
#[derive(Default)]
pub(super) struct LossReport {
    /// At the last look.
    known: Counts,
    episode: Option<Episode>,
}

/// A time in which notifications are lost.
struct Episode {
    began: Instant,
    /// When a look last found more.
    latest: Instant,
    reported: Instant,
    /// Before it.
    before: Counts,
}

impl LossReport {
    /// Looks whether more is lost.
    pub(super) fn update(&mut self, statistics: &ReceiverStatistics) {
        let counts = OWN.map(|loss| statistics.lost(loss));
        if let Some(line) = self.line(Instant::now(), counts) {
            print_message(format_args!("varbind: {line}"));
        }
    }

    fn line(&mut self, now: Instant, counts: Counts) -> Option<String> {
        let before = std::mem::replace(&mut self.known, counts);
        let has_more = before != counts;
        let Some(episode) = &mut self.episode else {
            if !has_more {
                return None;
            }
            self.episode = Some(Episode {
                began: now,
                latest: now,
                reported: now,
                before,
            });
            let lost = difference(before, counts);
            return Some(format!("notifications are being lost: {lost}"));
        };
        if has_more {
            episode.latest = now;
        }
        let lost = difference(episode.before, counts);
        let seconds = |until: Instant| until.duration_since(episode.began).as_secs();
        if now.duration_since(episode.latest) >= QUIET {
            let line = format!(
                "no more notifications are lost; in {} s: {lost}",
                seconds(episode.latest)
            );
            self.episode = None;
            return Some(line);
        }
        if has_more && now.duration_since(episode.reported) >= INTERVAL {
            episode.reported = now;
            return Some(format!(
                "notifications are still being lost; in {} s: {lost}",
                seconds(now)
            ));
        }
        None
    }
}

fn difference(before: Counts, now: Counts) -> String {
    let counts = OWN.iter().zip(before.iter().zip(now));
    let counts = counts.filter_map(|(loss, (before, now))| {
        let more = now.saturating_sub(*before);
        (more > 0).then(|| format!("{more} {}", loss.name()))
    });
    counts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_reported_at_their_beginning_once_a_minute_and_at_their_end() {
        let mut report = LossReport::default();
        let start = Instant::now();
        let mut lines = Vec::new();
        for second in 0..200 {
            // 3 a second from second 10 to 99.
            let queue = 3 * u64::from(u32::clamp(second, 9, 99) - 9);
            let now = start + Duration::from_secs(second.into());
            if let Some(line) = report.line(now, [0, queue, 0]) {
                lines.push((second, line));
            }
        }
        let line = |second, text: &str| (second, text.to_owned());
        let expected = [
            line(10, "notifications are being lost: 3 queue"),
            line(70, "notifications are still being lost; in 60 s: 183 queue"),
            line(109, "no more notifications are lost; in 89 s: 270 queue"),
        ];
        assert_eq!(lines, expected);
    }
}
