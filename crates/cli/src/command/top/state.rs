//! What is known of hosts, and how it is shown: all of it without a terminal.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, SystemTime};

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::poll::{Counters, Octets, Reading, Sample};

/// Rates that are kept of each interface.
const HISTORY: usize = 120;

/// What rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Host,
    Received,
    Sent,
    Errors,
    Load,
    RoundTrip,
    Loss,
}

impl Sort {
    const ALL: [Self; 7] = [
        Self::Host,
        Self::Received,
        Self::Sent,
        Self::Errors,
        Self::Load,
        Self::RoundTrip,
        Self::Loss,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Received => "in",
            Self::Sent => "out",
            Self::Errors => "errors",
            Self::Load => "cpu",
            Self::RoundTrip => "rtt",
            Self::Loss => "loss",
        }
    }

    fn next(self) -> Self {
        let mut following = Self::ALL.into_iter().skip_while(|sort| *sort != self);
        following.nth(1).unwrap_or(Self::Host)
    }
}

/// Rates of an interface, in a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rates {
    pub(super) bits_received: Option<f64>,
    pub(super) bits_sent: Option<f64>,
    pub(super) errors: Option<f64>,
}

#[derive(Debug, Default)]
struct Interface {
    last: Counters,
    rates: Rates,
    history: VecDeque<u64>,
}

#[derive(Debug, Default)]
struct HostState {
    name: String,
    /// When it answered last, and its sysUpTime then.
    last: Option<(SystemTime, Option<u32>)>,
    failure: Option<String>,
    load: Option<f64>,
    round_trip: Option<Duration>,
    loss: f64,
    interfaces: BTreeMap<u32, Interface>,
}

/// A line of the view.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    pub(super) host: &'a str,
    pub(super) interface: &'a str,
    pub(super) rates: Rates,
    pub(super) load: Option<f64>,
    pub(super) round_trip: Option<Duration>,
    pub(super) loss: f64,
    /// Why the host does not answer.
    pub(super) failure: Option<&'a str>,
    history: Option<&'a VecDeque<u64>>,
}

impl Row<'_> {
    /// Bits in a second, both directions together, oldest first.
    pub(super) fn history(&self) -> Vec<u64> {
        self.history.into_iter().flatten().copied().collect()
    }
}

/// Hosts, and what the user wants to see of them.
#[derive(Debug)]
pub(super) struct App {
    hosts: Vec<HostState>,
    sort: Sort,
    is_reversed: bool,
    filter: String,
    is_typing: bool,
    selected: usize,
    is_over: bool,
}

impl App {
    pub(super) fn new(names: impl Iterator<Item = String>) -> Self {
        let host = |name| HostState {
            name,
            ..HostState::default()
        };
        Self {
            hosts: names.map(host).collect(),
            sort: Sort::Host,
            is_reversed: false,
            filter: String::new(),
            is_typing: false,
            selected: 0,
            is_over: false,
        }
    }

    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) const fn sort(&self) -> Sort {
        self.sort
    }

    pub(super) fn filter(&self) -> &str {
        &self.filter
    }

    pub(super) const fn is_typing(&self) -> bool {
        self.is_typing
    }

    /// How many hosts there are, and how many do not answer.
    pub(super) fn counts(&self) -> (usize, usize) {
        let failed = self.hosts.iter().filter(|host| host.failure.is_some());
        (self.hosts.len(), failed.count())
    }

    /// Takes a sample in.
    pub(super) fn update(&mut self, sample: Sample) {
        let Some(host) = self.hosts.get_mut(sample.host) else {
            return;
        };
        match sample.outcome {
            Ok(reading) => host.take(sample.at, reading),
            Err(reason) => host.failure = Some(reason),
        }
    }

    pub(super) fn handle_key(&mut self, key: KeyEvent) {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if is_control => self.is_over = true,
            KeyCode::Enter | KeyCode::Esc if self.is_typing => self.is_typing = false,
            KeyCode::Backspace if self.is_typing => {
                self.filter.pop();
            }
            KeyCode::Char(character) if self.is_typing => self.filter.push(character),
            KeyCode::Char('q') => self.is_over = true,
            KeyCode::Char('s') => self.sort = self.sort.next(),
            KeyCode::Char('r') => self.is_reversed = !self.is_reversed,
            KeyCode::Char('/') => {
                self.filter.clear();
                self.is_typing = true;
            }
            KeyCode::Up => self.selected = self.selected.saturating_sub(1),
            KeyCode::Down => self.selected = self.selected.saturating_add(1),
            _ => {}
        }
        self.selected = self.selected.min(self.rows().len().saturating_sub(1));
    }

    /// The place of the chosen row.
    pub(super) const fn selected(&self) -> usize {
        self.selected
    }

    /// The rows, filtered and sorted.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let wanted = self.filter.to_lowercase();
        let is_wanted = |row: &Row<'_>| {
            let has = |text: &str| text.to_lowercase().contains(&wanted);
            has(row.host) || has(row.interface)
        };
        let mut rows: Vec<_> = self
            .hosts
            .iter()
            .flat_map(HostState::rows)
            .filter(is_wanted)
            .collect();
        // Ties stay in the order of the inventory.
        rows.sort_by(|a, b| self.compare(a, b));
        if self.is_reversed {
            rows.reverse();
        }
        rows
    }

    /// Names upwards, numbers downwards: what is most is on top.
    fn compare(&self, a: &Row<'_>, b: &Row<'_>) -> Ordering {
        let number = |a: Option<f64>, b: Option<f64>| {
            let value = |number: Option<f64>| number.unwrap_or(f64::NEG_INFINITY);
            value(b).total_cmp(&value(a))
        };
        let seconds = |row: &Row<'_>| row.round_trip.map(|time| time.as_secs_f64());
        match self.sort {
            Sort::Host => a.host.cmp(b.host),
            Sort::Received => number(a.rates.bits_received, b.rates.bits_received),
            Sort::Sent => number(a.rates.bits_sent, b.rates.bits_sent),
            Sort::Errors => number(a.rates.errors, b.rates.errors),
            Sort::Load => number(a.load, b.load),
            Sort::RoundTrip => number(seconds(a), seconds(b)),
            Sort::Loss => number(Some(a.loss), Some(b.loss)),
        }
    }
}

impl HostState {
    fn rows(&self) -> Vec<Row<'_>> {
        let row = Row {
            host: &self.name,
            interface: "",
            rates: Rates::default(),
            load: self.load,
            round_trip: self.round_trip,
            loss: self.loss,
            failure: self.failure.as_deref(),
            history: None,
        };
        if self.failure.is_some() || self.interfaces.is_empty() {
            return vec![row];
        }
        let interfaces = self.interfaces.values();
        let interfaces = interfaces.map(|interface| Row {
            interface: &interface.last.name,
            rates: interface.rates,
            history: Some(&interface.history),
            ..row.clone()
        });
        interfaces.collect()
    }

    fn take(&mut self, at: SystemTime, reading: Reading) {
        let elapsed = self.last.and_then(|(last, before)| {
            let elapsed = at.duration_since(last).ok()?.as_secs_f64();
            // An agent that was started again counts from 0.
            let is_newer = before
                .zip(reading.up_time)
                .is_none_or(|(before, now)| before <= now);
            (is_newer && elapsed > 0.0).then_some(elapsed)
        });
        self.last = Some((at, reading.up_time));
        self.failure = None;
        self.load = reading.load;
        self.round_trip = reading.round_trip;
        self.loss = reading.loss;
        // What the agent has no more is shown no more.
        self.interfaces
            .retain(|index, _| reading.interfaces.contains_key(index));
        for (index, counters) in reading.interfaces {
            let interface = self.interfaces.entry(index).or_default();
            interface.rates = match elapsed {
                Some(elapsed) => Rates::between(&interface.last, &counters, elapsed),
                None => Rates::default(),
            };
            let sum = [interface.rates.bits_received, interface.rates.bits_sent];
            if sum.iter().any(Option::is_some) {
                let sum: f64 = sum.into_iter().flatten().sum();
                // Rates are positive, and far below the range.
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a drawing needs no fractions"
                )]
                interface.history.push_back(sum as u64);
            }
            if interface.history.len() > HISTORY {
                interface.history.pop_front();
            }
            interface.last = counters;
        }
    }
}

impl Rates {
    fn between(before: &Counters, now: &Counters, seconds: f64) -> Self {
        let bits = |before, now| octets(before, now).map(|octets| octets * 8.0 / seconds);
        let errors = before
            .errors
            .iter()
            .zip(&now.errors)
            .filter_map(|(before, now)| {
                let (before, now) = before.as_ref().zip(now.as_ref())?;
                Some(f64::from(now.wrapping_sub(*before)))
            });
        let has_errors = now.errors.iter().any(Option::is_some);
        Self {
            bits_received: bits(before.received, now.received),
            bits_sent: bits(before.sent, now.sent),
            errors: has_errors.then(|| errors.sum::<f64>() / seconds),
        }
    }
}

/// How many octets were counted. A counter of 32 bits may have wrapped once; one of 64 bits that falls was reset.
fn octets(before: Octets, now: Octets) -> Option<f64> {
    match (before, now) {
        (Octets::Narrow(before), Octets::Narrow(now)) => Some(f64::from(now.wrapping_sub(before))),
        #[allow(
            clippy::cast_precision_loss,
            reason = "a rate needs no more than 53 bits"
        )]
        (Octets::Wide(before), Octets::Wide(now)) => Some(now.checked_sub(before)? as f64),
        _ => None,
    }
}
