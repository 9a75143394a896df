//! The outputs of a [`HostileReport`]: tables, JSON and CSV.

use std::io::{self, Write};

use super::{AttackResult, AttackedVictim, HostileReport, VictimResult};
use crate::bench::{BenchError, Outputs};
use crate::report::{
    Table, Writer, environment_line, number, write_files, write_json, write_titled,
};

const HEADER: [&str; 20] = [
    "attack",
    "service",
    "victim",
    "completed",
    "failed",
    "p50_us",
    "p99_us",
    "max_us",
    "p99_ratio",
    "harmed",
    "opened",
    "refused",
    "handshakes",
    "datagrams",
    "octets_sent",
    "octets_received",
    "memory_before",
    "memory_during",
    "memory_after",
    "agent_cpu",
];

/// Writes the files that are asked for; there is no page.
///
/// # Errors
/// `Output`, with the file that could not be written.
pub fn write_hostile_outputs(report: &HostileReport, outputs: &Outputs) -> Result<(), BenchError> {
    let files: [(_, Writer<HostileReport>); 2] =
        [(&outputs.json, write_json), (&outputs.csv, write_csv)];
    write_files(report, &files)
}

/// One row for each client under each attack; the first rows are those without any.
fn write_csv(report: &HostileReport, output: &mut dyn Write) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(output);
    rows.write_record(HEADER)?;
    for result in &report.quiet {
        let rest = ["", "no"].map(str::to_owned).into_iter();
        let rest = rest.chain(std::iter::repeat_n(String::new(), NUMBERS + 1));
        rows.write_record(row("quiet", "", result, rest))?;
    }
    for attack in &report.attacks {
        let (effort, memory) = (&attack.effort, &attack.memory);
        let numbers: [u64; NUMBERS] = [
            effort.opened,
            effort.refused,
            effort.handshakes,
            effort.datagrams,
            effort.octets_sent,
            effort.octets_received,
            memory.before,
            memory.during,
            memory.after,
        ];
        for victim in &attack.victims {
            let ratio = victim.p99_ratio.map(|ratio| format!("{ratio:.3}"));
            let harmed = if victim.is_harmed { "yes" } else { "no" };
            let rest = [ratio.unwrap_or_default(), harmed.to_owned()].into_iter();
            let rest = rest.chain(numbers.map(|number| number.to_string()));
            let rest = rest.chain([format!("{:.3}", attack.agent_cpu)]);
            let service = attack.service.to_string();
            rows.write_record(row(&attack.attack, &service, &victim.result, rest))?;
        }
    }
    rows.flush()
}

/// Between whether it is harmed and the agent's CPU.
const NUMBERS: usize = 9;

fn row(
    attack: &str,
    service: &str,
    result: &VictimResult,
    rest: impl Iterator<Item = String>,
) -> Vec<String> {
    let times = result.times;
    let times = times.map(|one| [one.p50, one.p99, one.maximum].map(|time| format!("{time:.1}")));
    let mut row = vec![
        attack.to_owned(),
        service.to_owned(),
        result.victim.to_string(),
        result.completed.to_string(),
        result.failed.to_string(),
    ];
    row.extend(times.unwrap_or_default());
    row.extend(rest);
    row
}

/// Writes the report as tables; with `colour` in bold where it helps. Unless `verbose`, only clients that were harmed are shown.
///
/// # Errors
/// If `output` takes no more.
pub fn write_hostile_terminal(
    report: &HostileReport,
    colour: bool,
    verbose: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    let mut quiet = Table::new(1, &["client", "p50", "p99", "max", "requests", "failed"]);
    for result in &report.quiet {
        let mut row = vec![result.victim.to_string()];
        row.extend(times(result));
        row.extend([result.completed + result.failed, result.failed].map(|n| n.to_string()));
        quiet.push(row);
    }
    write_titled("Without attack, in ms", &quiet, colour, output)?;
    writeln!(output)?;
    let title = "The agent under attack (PSS in MB)";
    write_titled(title, &of_agent(report), colour, output)?;
    let (title, clients) = match verbose {
        true => (
            "Clients under attack, in ms (! harmed: p99 above 5x, or 1 % failed)",
            all_clients(report),
        ),
        false => (
            "Clients harmed, in ms (p99 above 5x that without attack, or 1 % failed)",
            harmed_clients(report),
        ),
    };
    writeln!(output)?;
    if clients.is_empty() {
        writeln!(output, "No attack harmed a client: no p99 rose above 5x.")?;
    } else {
        write_titled(title, &clients, colour, output)?;
    }
    writeln!(output, "\n{}", environment_line(&report.environment))
}

fn of_agent(report: &HostileReport) -> Table {
    let header = [
        "attack", "opened", "refused", "CPU", "before", "during", "after",
    ];
    let mut table = Table::new(1, &header);
    for attack in &report.attacks {
        let (effort, memory) = (&attack.effort, &attack.memory);
        let megabytes = |octets: u64| format!("{:.1}", octets as f64 / 1e6);
        table.push(vec![
            attack.attack.clone(),
            // Datagrams have no connections.
            effort.opened.max(effort.datagrams).to_string(),
            effort.refused.to_string(),
            format!("{:.0}%", attack.agent_cpu * 100.0),
            megabytes(memory.before),
            megabytes(memory.during),
            megabytes(memory.after),
        ]);
    }
    table
}

fn harmed_clients(report: &HostileReport) -> Table {
    let mut table = Table::new(2, &["attack", "client", "p99", "max", "p99 /", "failed"]);
    for (attack, victim) in attacked(report).filter(|(_, victim)| victim.is_harmed) {
        let [_, p99, maximum] = times(&victim.result);
        table.push(vec![
            attack.attack.clone(),
            victim.result.victim.to_string(),
            p99,
            maximum,
            ratio(victim),
            failed(&victim.result),
        ]);
    }
    table
}

fn all_clients(report: &HostileReport) -> Table {
    let header = [
        "attack", "client", "", "p50", "p99", "max", "p99 /", "requests", "failed",
    ];
    let mut table = Table::new(2, &header);
    for (attack, victim) in attacked(report) {
        let result = &victim.result;
        let mut row = vec![
            attack.attack.clone(),
            result.victim.to_string(),
            if victim.is_harmed { "!" } else { "" }.to_owned(),
        ];
        row.extend(times(result));
        row.push(ratio(victim));
        row.push((result.completed + result.failed).to_string());
        row.push(failed(result));
        table.push(row);
    }
    table
}

fn attacked(report: &HostileReport) -> impl Iterator<Item = (&AttackResult, &AttackedVictim)> {
    let attacks = report.attacks.iter();
    attacks.flat_map(|attack| attack.victims.iter().map(move |victim| (attack, victim)))
}

fn ratio(victim: &AttackedVictim) -> String {
    match victim.p99_ratio {
        Some(ratio) => format!("{}x", number(ratio)),
        None => "-".to_owned(),
    }
}

fn failed(result: &VictimResult) -> String {
    format!("{:.0}%", result.failed_share() * 100.0)
}

fn times(result: &VictimResult) -> [String; 3] {
    match result.times {
        Some(times) => [times.p50, times.p99, times.maximum].map(|time| number(time / 1e3)),
        None => ["-", "-", "-"].map(str::to_owned),
    }
}
