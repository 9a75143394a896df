//! Subtrees that programs serve.

use super::document::{self, Pass};
use super::error::Problem;
use super::program::{ConfiguredProgram, INTERVAL, Runs, time};
use crate::extensions::{PassProtocol, PassSubtree};

const OUTPUT_LIMIT: usize = 1_048_576;

pub(super) fn subtrees(configured: Vec<Pass>, runs: Runs) -> Result<Vec<PassSubtree>, Problem> {
    let mut subtrees: Vec<PassSubtree> = Vec::with_capacity(configured.len());
    for pass in configured {
        let span = pass.oid.span();
        let subtree = subtree(pass, runs)?;
        let root = &subtree.root;
        let overlaps = |other: &&PassSubtree| {
            other.root.is_prefix_of(root.arcs()) || root.is_prefix_of(other.root.arcs())
        };
        if let Some(other) = subtrees.iter().find(overlaps) {
            let message = format!("{root}: another [[pass]] has {}", other.root);
            return Err(Problem::at(span, message));
        }
        subtrees.push(subtree);
    }
    Ok(subtrees)
}

fn subtree(pass: Pass, runs: Runs) -> Result<PassSubtree, Problem> {
    let program = ConfiguredProgram {
        command: pass.command,
        user: pass.user,
        timeout: pass.timeout,
        output_limit: pass.output_limit.map_or(OUTPUT_LIMIT, |limit| limit.0),
        memory_limit: pass.memory_limit.map(|limit| limit.0),
    };
    Ok(PassSubtree {
        root: pass.oid.into_inner().0,
        program: program.into_program(runs)?,
        protocol: match pass.protocol {
            document::PassProtocol::Pass => PassProtocol::Pass,
            document::PassProtocol::PassPersist => PassProtocol::PassPersist,
            document::PassProtocol::JsonLines => PassProtocol::JsonLines,
        },
        interval: time(pass.interval, INTERVAL)?,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::configuration::AgentConfiguration;

    fn parse(text: &str) -> Result<Vec<PassSubtree>, String> {
        let configuration = AgentConfiguration::parse_in(text, Path::new("/etc/varbind"));
        let configuration = configuration.map_err(|error| error.to_string())?;
        Ok(configuration.pass_subtrees)
    }

    const PASS: &str = "[[pass]]\noid = \"1.3.6.1.4.1.9999.1\"\ncommand = [\"/bin/pass\"]\n";

    #[test]
    fn a_subtree_has_defaults() {
        let found = parse(PASS).unwrap();
        assert_eq!(found[0].protocol, PassProtocol::Pass);
        assert_eq!(found[0].interval, INTERVAL);
        assert_eq!(found[0].program.limits.output, OUTPUT_LIMIT);
        let other = PASS.replace("9999.1", "9999.2");
        let found = parse(&format!("{PASS}{other}protocol = \"json-lines\"\n")).unwrap();
        assert_eq!(found[1].protocol, PassProtocol::JsonLines);
    }

    #[test]
    fn mistakes_are_reported_with_what_to_write() {
        let inner = PASS.replace("9999.1", "9999.1.2");
        let outer = PASS.replace("9999.1", "9999");
        for (more, expected) in [
            (PASS, "another [[pass]] has 1.3.6.1.4.1.9999.1"),
            (&*inner, "another [[pass]]"),
            (&outer, "another [[pass]]"),
            ("protocol = \"persist\"\n", "pass-persist"),
            ("interval = \"0s\"\n", "above 0"),
            (
                "[[pass]]\noid = \"x\"\ncommand = [\"/bin/pass\"]\n",
                "\"x\"",
            ),
            (
                "[[pass]]\noid = \"1.3.6.1\"\ncommand = [\"pass\"]\n",
                "absolute path",
            ),
            (
                "[[pass]]\ncommand = [\"/bin/pass\"]\n",
                "missing key oid: add oid = ..",
            ),
        ] {
            let told = parse(&format!("{PASS}{more}")).unwrap_err();
            assert!(told.contains(expected), "{more}: {told}");
        }
    }
}
