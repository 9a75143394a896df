//! The daemon in a program of one's own: `agent [CONFIGURATION [LISTEN]...]`, for example
//! `agent agent.toml udp:127.0.0.1:1161`.

use std::process::ExitCode;

use varbind_agent::{Options, run};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let configuration = arguments.next().map(Into::into);
    let listen: Result<_, _> = arguments.map(|address| address.parse()).collect();
    let result = match listen {
        Ok(listen) => run(&Options::new(configuration, listen)).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
