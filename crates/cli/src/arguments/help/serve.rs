use varbind_terminal::help::Page;

/// Commands that run until they are told to stop, and what belongs to these.
pub(super) const PAGES: &[Page] = &[
    #[cfg(feature = "collect")]
    Page {
        command: "collect",
        options: &["fleet", "config_files", "listen", "hosts", "dry_run", "json", "debug"],
        examples: "\
varbind collect --config.file=snmp.yml               # what snmp_exporter serves, on port 9116
varbind collect --config.file=snmp.yml --web.listen-address=127.0.0.1:9116
varbind collect --config.file='snmp*.yml' --dry-run  # check the files, and end
varbind collect fleet.toml                           # poll a fleet, see docs/collect.md",
    },
    #[cfg(feature = "collect")]
    Page {
        command: "collect generate",
        options: &["output", "directories"],
        examples: "\
varbind collect generate generator.yml -M mibs       # snmp.yml, with the MIB modules in mibs
varbind collect generate -M mibs -M /usr/share/snmp/mibs
varbind collect generate -o -                        # to standard output, with the usual MIB modules
varbind collect generate cisco.yml -M cisco -o snmp-cisco.yml",
    },
    Page {
        command: "record",
        options: &["version", "community", "name", "auth_protocol", "priv_protocol", "timeout", "retries", "output", "json"],
        examples: "\
varbind record router1 > router1.snmprec             # all objects, SNMPv2c with the community public
varbind record -v3 -u ops router1 -o router1.snmprec # kept as router1.snmprec.part if it breaks off
varbind record --json router1 system ifTable > router1.jsonl
varbind record -o router1.snmprec tls:router1",
    },
    Page {
        command: "simulate",
        options: &["listen", "addresses", "community", "live", "check", "json"],
        examples: "\
varbind simulate recordings                          # udp:127.0.0.1:1161, the community names the recording
varbind simulate recordings --addresses 127.1.0.1-127.1.3.232
varbind simulate --live router1.snmprec              # one device, whose counters go on
varbind simulate --check recordings/simulation.toml  # what is wrong with the recordings",
    },
    Page {
        command: "agent",
        options: &["config", "listen", "init", "check", "debug"],
        examples: "\
varbind agent                                        # as /etc/varbind/agent.toml says
varbind agent --listen udp:127.0.0.1:1161 --listen tcp:127.0.0.1:1161
varbind agent --init                                 # certificates and a secure configuration
varbind agent import -o /etc/varbind/agent.toml      # a configuration made of /etc/snmp/snmpd.conf",
    },
    Page {
        command: "agent import",
        options: &["persistent", "output", "state_directory", "keep_open"],
        examples: "\
varbind agent import                                 # shows it
varbind agent import -o /etc/varbind/agent.toml
varbind agent import -o agent.toml /usr/local/etc/snmp/snmpd.conf
varbind agent import --state-directory /var/lib/varbind -o agent.toml  # with snmpd's engine ID",
    },
    Page {
        command: "ssh-subsystem",
        options: &["socket", "user"],
        examples: "\
Subsystem snmp /usr/bin/varbind ssh-subsystem        # a line of /etc/ssh/sshd_config
varbind ssh-subsystem
varbind ssh-subsystem --socket /run/varbind/ssh-subsystem.socket
varbind ssh-subsystem --user jo                      # for root, where the agent allows it",
    },
    Page {
        command: "completions",
        options: &[],
        examples: "\
varbind completions bash > ~/.local/share/bash-completion/completions/varbind
varbind completions zsh > ~/.zfunc/_varbind          # a directory of $fpath
varbind completions fish > ~/.config/fish/completions/varbind.fish
source <(varbind completions bash)                   # in this shell only",
    },
    Page {
        command: "man",
        options: &[],
        examples: "\
varbind man ~/.local/share/man/man1
varbind man /usr/local/share/man/man1
varbind man man1
varbind man /tmp/man",
    },
];
