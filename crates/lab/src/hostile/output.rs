//! The outputs of a [`HostileReport`]: tables, JSON and CSV.

use std::io::{self, Write};

use super::{AttackResult, AttackedVictim, HostileReport, VictimResult};
use crate::bench::{BenchError, Outputs};
use crate::report::{Table, Writer, csv_cell, environment_line, number, write_files};

const HEADER: &str = "attack,service,victim,completed,failed,p50_us,p99_us,max_us,p99_ratio,harmed,\
opened,refused,handshakes,datagrams,octets_sent,octets_received,memory_before,memory_during,memory_after,agent_cpu";

/// Writes the files that are asked for; there is no page.
///
/// # Errors
/// `Output`, with the file that could not be written.
pub fn write_hostile_outputs(report: &HostileReport, outputs: &Outputs) -> Result<(), BenchError> {
    let files: [(_, Writer<HostileReport>); 2] =
        [(&outputs.json, write_json), (&outputs.csv, write_csv)];
    write_files(report, &files)
}

fn write_json(report: &HostileReport, output: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *output, report)?;
    writeln!(output)
}

/// One row for each client under each attack; the first rows are those without any.
fn write_csv(report: &HostileReport, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "{HEADER}")?;
    for result in &report.quiet {
        writeln!(output, "quiet,,{},,no,,,,,,,,,,", client_cells(result))?;
    }
    for attack in &report.attacks {
        for victim in &attack.victims {
            let ratio = victim.p99_ratio.map(|ratio| format!("{ratio:.3}"));
            let (effort, memory) = (&attack.effort, &attack.memory);
            let numbers = [
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
            writeln!(
                output,
                "{},{},{},{},{},{},{:.3}",
                csv_cell(&attack.attack),
                attack.service,
                client_cells(&victim.result),
                ratio.unwrap_or_default(),
                if victim.is_harmed { "yes" } else { "no" },
                numbers.map(|number| number.to_string()).join(","),
                attack.agent_cpu,
            )?;
        }
    }
    Ok(())
}

fn client_cells(result: &VictimResult) -> String {
    let times = result
        .times
        .map(|times| [times.p50, times.p99, times.maximum]);
    let times = times.map_or_else(
        || ",,".to_owned(),
        |times| times.map(|time| format!("{time:.1}")).join(","),
    );
    format!(
        "{},{},{},{times}",
        result.victim, result.completed, result.failed
    )
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
    let (bold, plain) = if colour {
        ("\x1b[1m", "\x1b[0m")
    } else {
        ("", "")
    };
    writeln!(output, "{bold}Without attack, in ms{plain}")?;
    let mut quiet = Table::new(1, &["client", "p50", "p99", "max", "requests", "failed"]);
    for result in &report.quiet {
        let mut row = vec![result.victim.to_string()];
        row.extend(times(result));
        row.extend([result.completed + result.failed, result.failed].map(|n| n.to_string()));
        quiet.push(row);
    }
    quiet.write(output, colour)?;
    writeln!(output, "\n{bold}The agent under attack (PSS in MB){plain}")?;
    of_agent(report).write(output, colour)?;
    let clients = if verbose {
        all_clients(report)
    } else {
        harmed_clients(report)
    };
    if clients.is_empty() {
        writeln!(output, "\nNo attack harmed a client: no p99 rose above 5x.")?;
    } else {
        let title = if verbose {
            "Clients under attack, in ms (! harmed: p99 above 5x, or 1 % failed)"
        } else {
            "Clients harmed, in ms (p99 above 5x that without attack, or 1 % failed)"
        };
        writeln!(output, "\n{bold}{title}{plain}")?;
        clients.write(output, colour)?;
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
