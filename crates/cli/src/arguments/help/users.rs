use varbind_terminal::help::Page;

/// Commands for users, access rights and certificates.
pub(super) const PAGES: &[Page] = &[
    Page {
        command: "usm",
        options: &[],
        examples: "\
varbind usm create -v3 -u ops router1 jo --from ops  # the terminal is asked for passwords
varbind usm passwd -v3 -u jo router1                 # new passwords for the own user
varbind usm deactivate -v3 -u ops router1 jo
varbind usm delete -v3 -u ops router1 jo",
    },
    Page {
        command: "usm passwd",
        options: &["name", "priv_protocol", "new_auth_password_file", "new_priv_password_file"],
        examples: "\
varbind usm passwd -v3 -u jo router1                 # the own passwords
varbind usm passwd -v3 -u ops -x AES router1 jo      # those of another user, whose old ones are known
varbind usm passwd -v3 -u jo --new-auth-password-file auth.txt router1
varbind usm passwd -v3 -u jo tcp:router1:1161",
    },
    Page {
        command: "usm create",
        options: &["name", "priv_protocol", "from", "new_auth_password_file", "new_priv_password_file"],
        examples: "\
varbind usm create -v3 -u ops router1 jo --from ops
varbind usm create -v3 -u ops -x AES router1 jo --from guest
varbind usm create -v3 -u ops --from ops --new-auth-password-file auth.txt router1 jo
varbind usm create -v3 -u ops tcp:router1:1161 jo --from ops",
    },
    Page {
        command: "usm delete",
        options: &["name", "priv_protocol"],
        examples: "\
varbind usm delete -v3 -u ops router1 jo
varbind usm delete -v3 -u ops -x AES router1 jo
varbind usm delete -v3 -u ops tcp:router1:1161 jo
varbind usm delete tls:router1 jo",
    },
    Page {
        command: "usm activate",
        options: &["name", "priv_protocol"],
        examples: "\
varbind usm activate -v3 -u ops router1 jo
varbind usm activate -v3 -u ops -x AES router1 jo
varbind usm activate -v3 -u ops tcp:router1:1161 jo
varbind usm activate tls:router1 jo",
    },
    Page {
        command: "usm deactivate",
        options: &["name", "priv_protocol"],
        examples: "\
varbind usm deactivate -v3 -u ops router1 jo
varbind usm deactivate -v3 -u ops -x AES router1 jo
varbind usm deactivate -v3 -u ops tcp:router1:1161 jo
varbind usm deactivate tls:router1 jo",
    },
    Page {
        command: "vacm",
        options: &[],
        examples: "\
varbind vacm create-group -v3 -u ops router1 usm jo guests
varbind vacm create-view -v3 -u ops router1 traffic ifTable
varbind vacm create-access -v3 -u ops router1 guests --level authPriv --read traffic
varbind vacm delete-group -v3 -u ops router1 usm jo",
    },
    Page {
        command: "vacm create-group",
        options: &["name", "priv_protocol"],
        examples: "\
varbind vacm create-group -v3 -u ops router1 usm jo guests      # a user of SNMPv3
varbind vacm create-group -v3 -u ops router1 v2c public guests  # a community
varbind vacm create-group -v3 -u ops router1 tsm jo guests      # the name of a certificate
varbind vacm create-group tls:router1 usm jo guests",
    },
    Page {
        command: "vacm delete-group",
        options: &["name", "priv_protocol"],
        examples: "\
varbind vacm delete-group -v3 -u ops router1 usm jo
varbind vacm delete-group -v3 -u ops router1 v2c public
varbind vacm delete-group -v3 -u ops router1 tsm jo
varbind vacm delete-group tls:router1 usm jo",
    },
    Page {
        command: "vacm create-view",
        options: &["name", "excluded", "mask"],
        examples: "\
varbind vacm create-view -v3 -u ops router1 traffic ifTable
varbind vacm create-view -v3 -u ops --excluded router1 traffic ifPhysAddress
varbind vacm create-view -v3 -u ops --mask ff:a0 router1 port2 1.3.6.1.2.1.2.2.1.0.2  # one row
varbind vacm create-view tls:router1 traffic ifXTable",
    },
    Page {
        command: "vacm delete-view",
        options: &["name", "priv_protocol"],
        examples: "\
varbind vacm delete-view -v3 -u ops router1 traffic ifTable
varbind vacm delete-view -v3 -u ops -x AES router1 traffic ifPhysAddress
varbind vacm delete-view -v3 -u ops router1 port2 1.3.6.1.2.1.2.2.1.0.2
varbind vacm delete-view tls:router1 traffic ifXTable",
    },
    Page {
        command: "vacm create-access",
        options: &["name", "access_level", "model", "in_context", "prefix", "read", "write", "notify"],
        examples: "\
varbind vacm create-access -v3 -u ops router1 guests --level authPriv --read traffic
varbind vacm create-access -v3 -u ops router1 admins --level authPriv --read all --write all
varbind vacm create-access -v3 -u ops router1 guests --model v2c --level noAuthNoPriv --read traffic
varbind vacm create-access tls:router1 guests --model tsm --level authPriv --read traffic",
    },
    Page {
        command: "vacm delete-access",
        options: &["name", "access_level", "model", "in_context"],
        examples: "\
varbind vacm delete-access -v3 -u ops router1 guests --level authPriv
varbind vacm delete-access -v3 -u ops router1 admins --level authPriv
varbind vacm delete-access -v3 -u ops router1 guests --model v2c --level noAuthNoPriv
varbind vacm delete-access tls:router1 guests --model tsm --level authPriv",
    },
    Page {
        command: "pki",
        options: &[],
        examples: "\
varbind pki init                                     # an authority, once
varbind pki issue manager ops                        # your own certificate, as ops
varbind pki issue agent --output router1 router1 192.0.2.1  # what to copy to router1
varbind pki renew                                    # 30 days before the end",
    },
    Page {
        command: "pki init",
        options: &["directory", "name", "days", "key_type", "force"],
        examples: "\
varbind pki init
varbind pki init --name 'Network operations'
varbind pki init --days 1825
varbind pki init --directory ~/lab/pki --key-type ed25519",
    },
    Page {
        command: "pki issue",
        options: &[],
        examples: "\
varbind pki issue manager ops                        # your own certificate, as ops
varbind pki issue agent localhost                    # for an agent on this host
varbind pki issue agent --output router1 router1 192.0.2.1
varbind pki issue agent --output router2 --administrator ops router2.example",
    },
    Page {
        command: "pki issue agent",
        options: &["output", "administrator", "days", "directory", "key_type", "force"],
        examples: "\
varbind pki issue agent localhost                    # for an agent on this host
varbind pki issue agent --output router1 router1 192.0.2.1
varbind pki issue agent --output router2 --administrator ops router2.example
varbind pki issue agent --output router3 --days 365 router3",
    },
    Page {
        command: "pki issue manager",
        options: &["output", "days", "directory", "key_type", "force"],
        examples: "\
varbind pki issue manager ops
varbind pki issue manager --output jo jo             # for somebody else, to copy
varbind pki issue manager --days 365 ops
varbind pki issue manager --force ops                # in place of the one that there is",
    },
    Page {
        command: "pki renew",
        options: &["within", "all", "days", "directory"],
        examples: "\
varbind pki renew                                    # what ends within 30 days
varbind pki renew --within 60
varbind pki renew --all
varbind pki renew router1/pki/agent.pem              # a certificate for another host",
    },
    Page {
        command: "pki revoke",
        options: &["reason", "days", "output", "directory"],
        examples: "\
varbind pki revoke old-manager.pem
varbind pki revoke --reason key-compromise router1/pki/agent.pem
varbind pki revoke                                   # the same list, due later
varbind pki revoke --days 30 old-manager.pem         # another list is due in 30 days",
    },
    Page {
        command: "pki show",
        options: &[],
        examples: "\
varbind pki show /etc/varbind/pki/agent.pem
varbind pki show ~/.config/varbind/pki/manager.pem
varbind pki show router1/pki/agent-chain.pem         # with all above it
varbind pki show ca.pem manager.pem",
    },
    Page {
        command: "pki fingerprint",
        options: &["hash", "form"],
        examples: "\
varbind pki fingerprint agent.pem                    # for --peer-fingerprint and agent.toml
varbind pki fingerprint --for net-snmp manager.pem
varbind pki fingerprint --for mib manager.pem        # for SNMP-TLS-TM-MIB
varbind pki fingerprint --hash sha-512 agent.pem",
    },
];
