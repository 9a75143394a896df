use std::path::PathBuf;
use std::time::Duration;

use varbind_lab::link::{
    CrossTraffic, DirectionModel, GilbertElliott, LaneModel, LinkDevice, LinkOptions, Loss,
    Probability,
};
use varbind_terminal::Failure;

/// Octets that wait where nothing is said.
const QUEUE: u64 = 64_000;

const AFTER: &str = "\
The command runs at the near end (10.1.0.1, fd00:1::1), and what --far names at the far end (10.2.0.1, fd00:2::1); both find \
the addresses in VARBIND_LINK_NEAR and VARBIND_LINK_FAR. There is no way out of the link.

  varbind link --delay 5ms --far 'snmpd -f' -- varbind walk 10.2.0.1 ifTable

What passed is told on standard error. The exit code is that of the command; 1 where there is no such link, and 77 where this \
machine does not allow it.";

/// What the link is like, and what runs across it.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    /// How many packets are lost each way, as 10% or 0.1
    #[arg(
        long,
        value_name = "PART",
        default_value = "0",
        allow_hyphen_values = true
    )]
    loss: Probability,
    /// Lose packets in bursts: how long the link is good and bad on average, as 900ms/100ms; while it is bad, all are
    /// lost, or as many as --loss says
    #[arg(long, value_name = "GOOD/BAD", value_parser = bursts)]
    bursts: Option<(Duration, Duration)>,
    /// How long packets are on the way, each way
    #[arg(long, value_name = "TIME", default_value = "0ms", value_parser = duration, allow_hyphen_values = true)]
    delay: Duration,
    /// How much the delay differs, to either side
    #[arg(long, value_name = "TIME", default_value = "0ms", value_parser = duration, allow_hyphen_values = true)]
    jitter: Duration,
    /// Bits a second each way, as 128k or 20M
    #[arg(long, value_name = "BITS", value_parser = quantity, allow_hyphen_values = true)]
    rate: Option<u64>,
    /// Octets that wait where there is a rate [default: 64k]
    #[arg(long, value_name = "OCTETS", value_parser = quantity, requires = "rate", allow_hyphen_values = true)]
    queue: Option<u64>,
    /// Other traffic that waits in the same queue, as a part of the rate: 80% delays packets, 110% loses some
    #[arg(long, value_name = "PART", value_parser = load, requires = "rate", allow_hyphen_values = true)]
    cross_traffic: Option<f64>,
    /// Packets go ahead of that traffic
    #[arg(long, requires = "cross_traffic")]
    priority: bool,
    /// How many packets overtake others: they have no delay
    #[arg(long, value_name = "PART", default_value = "0")]
    reorder: Probability,
    /// How many packets arrive twice
    #[arg(long, value_name = "PART", default_value = "0")]
    duplicate: Probability,
    /// The largest packet, in octets
    #[arg(long, value_name = "OCTETS", default_value_t = 1500, value_parser = clap::value_parser!(u16).range(576..))]
    mtu: u16,
    /// How packets get in and out: tunnel, or veth, which needs no /dev/net/tun [default: tunnel where it is allowed]
    #[arg(long, value_name = "DEVICE")]
    device: Option<LinkDevice>,
    /// The same number has the same packets lost
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Write the packets of both ends into a file, in the form of pcapng
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
    /// Show what passed the link as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Run this shell command at the far end, and end it when the other one has ended
    #[arg(long, value_name = "COMMAND")]
    pub(super) far: Option<String>,
    /// How long the far end has to get ready
    #[arg(long, value_name = "TIME", default_value = "300ms", value_parser = duration)]
    pub(super) settle: Duration,
    /// The command at the near end
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) command: Vec<std::ffi::OsString>,
}

impl Arguments {
    pub(super) fn options(&self) -> Result<LinkOptions, Failure> {
        let model = DirectionModel {
            loss: self.loss_model(),
            delay: self.delay,
            jitter: self.jitter,
            rate: self.rate,
            queue: usize::try_from(self.queue.unwrap_or(QUEUE)).unwrap_or(usize::MAX),
            cross: self.cross_traffic.map(|load| CrossTraffic {
                load,
                has_priority: self.priority,
            }),
            reorder: self.reorder,
            duplicate: self.duplicate,
        };
        if self.jitter > self.delay {
            return Err(Failure::Usage(format!(
                "--jitter {:?} is more than --delay {:?}: no packet can arrive before it is sent",
                self.jitter, self.delay
            )));
        }
        if self.reorder != Probability::ZERO && self.delay.is_zero() {
            return Err(Failure::Usage(
                "--reorder needs --delay: without one no packet overtakes another".to_owned(),
            ));
        }
        Ok(LinkOptions {
            lanes: vec![LaneModel::symmetric(model)],
            mtu: self.mtu,
            seed: self.seed,
            is_alike: false,
            device: self.device,
            capture: self.capture.clone(),
        })
    }

    fn loss_model(&self) -> Loss {
        let Some((good, bad)) = self.bursts else {
            return Loss::Independent(self.loss);
        };
        let all = Probability::new(1.0).unwrap_or_default();
        let bad_loss = if self.loss == Probability::ZERO {
            all
        } else {
            self.loss
        };
        Loss::GilbertElliott(GilbertElliott {
            good,
            bad,
            good_loss: Probability::ZERO,
            bad_loss,
        })
    }
}

fn bursts(text: &str) -> Result<(Duration, Duration), String> {
    let (good, bad) = text
        .split_once('/')
        .ok_or("two times are needed, as in 900ms/100ms")?;
    let (good, bad) = (duration(good)?, duration(bad)?);
    if good.is_zero() || bad.is_zero() {
        return Err("neither time can be zero".to_owned());
    }
    Ok((good, bad))
}

/// `80%` or `0.8`.
fn load(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let load = number.trim().parse::<f64>().map(|load| load / unit).ok();
    load.filter(|load| *load > 0.0 && *load <= CrossTraffic::MOST)
        .ok_or_else(|| "a load is a part of the rate, above 0% and up to 1000%".to_owned())
}

/// `5ms`, `0.5s`, `20us`.
fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 3] = [("us", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    UNITS
        .iter()
        .find_map(|(unit, seconds)| {
            let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            Duration::try_from_secs_f64(number * seconds).ok()
        })
        .ok_or_else(|| "a time is a number, 0 or more, with a unit: us, ms or s".to_owned())
}

/// `9600`, `128k`, `20M`, `1G`.
fn quantity(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 4] = [("k", 1000), ("M", 1_000_000), ("G", 1_000_000_000), ("", 1)];
    UNITS
        .iter()
        .find_map(|(unit, factor)| {
            let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
            number.checked_mul(*factor).filter(|number| *number > 0)
        })
        .ok_or_else(|| "a number above 0, with k, M or G behind it if need be".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_quantities_have_units() {
        assert_eq!(duration("5ms"), Ok(Duration::from_millis(5)));
        assert_eq!(duration("0.5s"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("20us"), Ok(Duration::from_micros(20)));
        assert!(duration("5").is_err());
        assert!(duration("-5ms").is_err());
        assert_eq!(quantity("128k"), Ok(128_000));
        assert_eq!(quantity("9600"), Ok(9600));
        assert!(quantity("0").is_err());
        assert!(quantity("99999999999G").is_err());
        assert_eq!(load("110%"), Ok(1.1));
        assert_eq!(load("0.8"), Ok(0.8));
        for wrong in ["0", "-1", "1001%", "nan", "x"] {
            assert!(load(wrong).is_err(), "{wrong}");
        }
        assert!(bursts("1s").is_err());
        assert!(bursts("1s/0ms").is_err());
    }
}
