//! Runs the default bench without the command line: `bench VARBIND [net-snmp] [quick] [udp:ADDRESS:PORT] [OUTPUT.html]`.

use std::env;
use std::error::Error;
use std::io;
use std::path::PathBuf;

use varbind_lab::bench::{BenchOptions, Outputs, Peer, run_bench};
use varbind_lab::measurement::TransportKind;
use varbind_lab::report::{write_outputs, write_terminal};
use varbind_lab::session::Target;
use varbind_lab::subject::{EchoProgram, serve_echo};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = env::args().skip(1);
    let varbind = words
        .next()
        .ok_or("usage: bench VARBIND [net-snmp] [quick]")?;
    if varbind == "serve-echo" {
        return Ok(serve_echo()?);
    }
    let mut options = BenchOptions::new(PathBuf::from(varbind));
    options.echo = Some(EchoProgram {
        executable: env::current_exe()?,
        arguments: vec!["serve-echo".into()],
    });
    let mut outputs = Outputs::default();
    for word in words {
        if word == "quick" {
            options.quick = true;
        } else if let Some(address) = word.strip_prefix("udp:") {
            options.agent = Some(Target {
                transport: TransportKind::Udp,
                address: address.parse()?,
            });
        } else if let Some(stem) = word.strip_suffix(".html") {
            outputs = Outputs {
                json: Some(format!("{stem}.json").into()),
                csv: Some(format!("{stem}.csv").into()),
                html: Some(word.into()),
            };
        } else {
            options.compare.push(word.parse::<Peer>()?);
        }
    }
    let report = run_bench(&options)?;
    write_outputs(&report, &outputs)?;
    write_terminal(&report, false, &mut io::stdout())?;
    Ok(())
}
