//! Certificates that were revoked, in both roles.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::Arc;

use varbind::agent::AgentLimits;
use varbind::transport::certificate::{
    CertificateMap, CertificateRevocationListDer, ClientAuthentication, Mapping, OverdueLists,
    PeerIdentity, RevocationLists, ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};
use varbind::transport::tls::TlsVersions;
use varbind_testkit::certificates::{Authority, CertificateTemplate, Files, Issued};
use varbind_testkit::loopback::SYS_DESCR_0;
use varbind_testkit::oid;
use varbind_testkit::peers::skip;

use crate::agent::{TlsAgent, ask, described, open, rule, tsm};

const VERSIONS: [TlsVersions; 2] = [TlsVersions::Only12, TlsVersions::Only13];

/// When the next list is due.
const LATER: i32 = 2080;
const PAST: i32 = 2021;

fn lists(ders: &[CertificateRevocationListDer<'_>]) -> RevocationLists {
    RevocationLists::new(ders, OverdueLists::Refuse).unwrap()
}

/// Has an agent know what was revoked.
fn revoke(agent: &TlsAgent, revoked: RevocationLists) {
    let trust = agent.authority.trust().with_revocation_lists(revoked);
    let row = rule(
        10,
        agent.authority.fingerprint(),
        Mapping::AnyAlternativeName,
    );
    let clients = ClientAuthentication::new(trust, CertificateMap::new(vec![row]));
    let mut server = TlsServer::new(agent.issued.identity(), clients);
    server.statistics = Arc::clone(&agent.statistics);
    agent
        .agent
        .agent
        .replace_tls(&server, agent.address)
        .unwrap();
}

#[track_caller]
fn assert_refused(agent: &TlsAgent, issued: &Issued, part: &str) {
    for versions in VERSIONS {
        let client = agent.client(issued).with_versions(versions);
        let error = ask(agent.address, client, tsm()).unwrap_err();
        assert!(error.contains(part), "{versions}: {error}");
    }
}

#[track_caller]
fn assert_served(agent: &TlsAgent, issued: &Issued) {
    let client = agent.client(issued);
    assert_eq!(ask(agent.address, client, tsm()), Ok(described()));
}

#[test]
fn a_revoked_client_is_refused_and_others_are_not() {
    let agent = TlsAgent::new();
    let (revoked, other) = (agent.reader(), agent.reader());
    assert_served(&agent, &revoked);
    revoke(
        &agent,
        lists(&[agent.authority.revokes(&[&revoked.chain[0]], LATER)]),
    );
    assert_refused(&agent, &revoked, "certificate_revoked");
    assert_served(&agent, &other);
    assert_eq!(agent.statistics.invalid_client_certificates.value(), 2);
}

#[test]
fn no_session_of_before_is_resumed_with_a_revoked_certificate() {
    let agent = TlsAgent::new();
    let revoked = agent.reader();
    let client = Arc::new(agent.client(&revoked));
    let mut manager = open(agent.address, &client, tsm()).unwrap();
    manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    revoke(
        &agent,
        lists(&[agent.authority.revokes(&[&revoked.chain[0]], LATER)]),
    );
    let mut other = open(agent.address, &client, tsm()).unwrap();
    let error = other.get(&[oid(SYS_DESCR_0)]).unwrap_err().to_string();
    assert!(error.contains("certificate_revoked"), "{error}");
}

#[test]
fn a_fingerprint_does_not_spare_a_revoked_certificate() {
    let authority = Authority::new("authority");
    let stranger = authority.issue(&CertificateTemplate::client("reader"));
    for (revoked, is_served) in [(vec![], true), (vec![&stranger.chain[0]], false)] {
        let trust = TrustAnchors::default()
            .with_revocation_lists(lists(&[authority.revokes(&revoked, LATER)]));
        let row = rule(1, stranger.fingerprint(), Mapping::AnyAlternativeName);
        let clients = ClientAuthentication::new(trust, CertificateMap::new(vec![row]));
        let agent = TlsAgent::with(AgentLimits::default(), |it| it.clients = Arc::new(clients));
        let answer = ask(agent.address, agent.client(&stranger), tsm());
        assert_eq!(answer.is_ok(), is_served, "{answer:?}");
    }
}

#[test]
fn a_client_of_a_revoked_authority_is_refused() {
    let agent = TlsAgent::new();
    let intermediate = agent.authority.intermediate("branch");
    let client = intermediate
        .issue(&CertificateTemplate::client("reader"))
        .with(&intermediate);
    // A list of the branch alone, which has revoked nothing, leaves all as it is.
    revoke(&agent, lists(&[intermediate.revokes(&[], LATER)]));
    assert_served(&agent, &client);
    let list = agent.authority.revokes(&[&intermediate.certificate], LATER);
    revoke(&agent, lists(&[list, intermediate.revokes(&[], LATER)]));
    assert_refused(&agent, &client, "certificate_revoked");
}

/// A leaf below an authority that the list of the root revokes.
fn of_a_revoked_branch(
    authority: &Authority,
    wanted: &CertificateTemplate,
) -> (Issued, RevocationLists) {
    let branch = authority.intermediate("branch");
    let issued = authority_of(&branch, wanted);
    let list = authority.revokes(&[&branch.certificate], LATER);
    (issued, lists(&[list, branch.revokes(&[], LATER)]))
}

fn authority_of(branch: &Authority, wanted: &CertificateTemplate) -> Issued {
    branch.issue(wanted).with(branch)
}

/// An agent with a rule for this certificate.
fn agent_that_pins(issued: &Issued, trust: TrustAnchors) -> TlsAgent {
    let row = rule(1, issued.fingerprint(), Mapping::AnyAlternativeName);
    let clients = ClientAuthentication::new(trust, CertificateMap::new(vec![row]));
    TlsAgent::with(AgentLimits::default(), |it| it.clients = Arc::new(clients))
}

#[test]
fn a_pinned_client_of_a_revoked_authority_is_refused() {
    let root = Authority::new("root");
    let (issued, revoked) = of_a_revoked_branch(&root, &CertificateTemplate::client("reader"));
    // Whether the path leads to an authority that is trusted or not.
    for trust in [root.trust(), TrustAnchors::default()] {
        assert_served(&agent_that_pins(&issued, trust.clone()), &issued);
        let agent = agent_that_pins(&issued, trust.with_revocation_lists(revoked.clone()));
        assert_refused(&agent, &issued, "certificate_revoked");
    }
}

#[test]
fn a_pinned_certificate_whose_list_is_overdue_is_refused() {
    let root = Authority::new("root");
    let issued = root.issue(&CertificateTemplate::client("reader"));
    let overdue = root.revokes(&[], PAST);
    for trust in [root.trust(), TrustAnchors::default()] {
        let refusing = trust
            .clone()
            .with_revocation_lists(lists(std::slice::from_ref(&overdue)));
        assert_refused(&agent_that_pins(&issued, refusing), &issued, "unknown_ca");
        let used = RevocationLists::new(std::slice::from_ref(&overdue), OverdueLists::Use).unwrap();
        let agent = agent_that_pins(&issued, trust.with_revocation_lists(used));
        assert_served(&agent, &issued);
    }
}

#[test]
fn an_authority_that_is_trusted_itself_is_refused_when_it_is_revoked() {
    let root = Authority::new("root");
    let branch = root.intermediate("branch");
    let issued = authority_of(&branch, &CertificateTemplate::client("reader"));
    let trust =
        TrustAnchors::new(vec![root.certificate.clone(), branch.certificate.clone()]).unwrap();
    let row = rule(1, branch.fingerprint(), Mapping::AnyAlternativeName);
    let list = root.revokes(&[&branch.certificate], LATER);
    let trust = trust.with_revocation_lists(lists(&[list]));
    let clients = ClientAuthentication::new(trust, CertificateMap::new(vec![row]));
    let agent = TlsAgent::with(AgentLimits::default(), |it| it.clients = Arc::new(clients));
    assert_refused(&agent, &issued, "certificate_revoked");
}

#[test]
fn a_manager_refuses_a_pinned_agent_of_a_revoked_authority() {
    let root = Authority::new("root");
    let (issued, revoked) = of_a_revoked_branch(&root, &CertificateTemplate::server());
    let agent = TlsAgent::with(AgentLimits::default(), |it| it.identity = issued.identity());
    for trust in [root.trust(), TrustAnchors::default()] {
        let ask_with = |trust| {
            let identity = PeerIdentity::Fingerprint(issued.fingerprint());
            let known = ServerAuthentication { trust, identity };
            ask(
                agent.address,
                TlsClient::new(agent.reader().identity(), known),
                tsm(),
            )
        };
        assert_eq!(ask_with(trust.clone()), Ok(described()));
        let error = ask_with(trust.with_revocation_lists(revoked.clone())).unwrap_err();
        assert!(error.contains("\"CN=branch\" was revoked"), "{error}");
    }
}

#[test]
fn an_overdue_list_refuses_everybody_unless_it_is_to_be_used() {
    let agent = TlsAgent::new();
    let (revoked, other) = (agent.reader(), agent.reader());
    let overdue = agent.authority.revokes(&[&revoked.chain[0]], PAST);
    revoke(&agent, lists(std::slice::from_ref(&overdue)));
    assert_refused(&agent, &revoked, "certificate_revoked");
    assert_refused(&agent, &other, "unknown_ca");
    revoke(
        &agent,
        RevocationLists::new(&[overdue], OverdueLists::Use).unwrap(),
    );
    assert_refused(&agent, &revoked, "certificate_revoked");
    assert_served(&agent, &other);
}

#[test]
fn a_list_that_the_authority_has_not_signed_refuses_everybody() {
    let agent = TlsAgent::new();
    let impostor = Authority::new("authority");
    revoke(&agent, lists(&[impostor.revokes(&[], LATER)]));
    assert_refused(&agent, &agent.reader(), "unknown_ca");
    // That of somebody else says nothing about the authority's.
    revoke(&agent, lists(&[Authority::new("other").revokes(&[], PAST)]));
    assert_served(&agent, &agent.reader());
}

/// What the manager says of an agent by these lists.
fn manager_says(agent: &TlsAgent, revoked: RevocationLists, identity: PeerIdentity) -> String {
    let trust = agent.authority.trust().with_revocation_lists(revoked);
    let known = ServerAuthentication { trust, identity };
    let client = TlsClient::new(agent.reader().identity(), known);
    ask(agent.address, client, tsm()).unwrap_err()
}

#[test]
fn a_manager_refuses_a_revoked_agent_and_names_the_certificate_and_the_list() {
    let agent = TlsAgent::new();
    let files = Files::new();
    let list = agent.authority.revokes(&[&agent.issued.chain[0]], LATER);
    let file = files.write("crl.der", &list);
    let load = || RevocationLists::load(std::slice::from_ref(&file), OverdueLists::Refuse).unwrap();
    let fingerprint = agent.issued.fingerprint();
    for identity in [
        PeerIdentity::Target,
        PeerIdentity::AnyTrusted,
        PeerIdentity::Fingerprint(fingerprint.clone()),
    ] {
        let error = manager_says(&agent, load(), identity);
        for part in [
            "\"CN=agent\"",
            &fingerprint.to_string(),
            "was revoked at 2025-02-03",
            "its key is known to others",
            file.to_str().unwrap(),
            "have another certificate issued",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
    let overdue = files.write("overdue.der", agent.authority.revokes(&[], PAST));
    let lists =
        RevocationLists::load(std::slice::from_ref(&overdue), OverdueLists::Refuse).unwrap();
    let error = manager_says(&agent, lists, PeerIdentity::Target);
    for part in [
        "2021-01-01",
        overdue.to_str().unwrap(),
        "\"CN=authority\"",
        "get the newer one",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn files_that_hold_no_list_are_named() {
    let files = Files::new();
    let authority = Authority::new("authority");
    let list = authority.revokes(&[], LATER);
    for (name, content, part) in [
        ("pem", authority.pem.clone().into_bytes(), "BEGIN X509 CRL"),
        ("empty", Vec::new(), "BEGIN X509 CRL"),
        ("cut", list[..list.len() / 2].to_vec(), "cannot be used"),
        (
            "broken",
            b"-----BEGIN X509 CRL-----\n!\n-----END X509 CRL-----\n".to_vec(),
            "PEM",
        ),
    ] {
        let file = files.write(name, content);
        let error =
            RevocationLists::load(std::slice::from_ref(&file), OverdueLists::Refuse).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(part), "{error}");
        assert!(error.starts_with(file.to_str().unwrap()), "{error}");
    }
    let absent = files.path("absent");
    assert!(RevocationLists::load(&[absent], OverdueLists::Refuse).is_err());
}

#[test]
fn s_client_with_a_revoked_certificate_gets_an_alert() {
    let agent = TlsAgent::new();
    let revoked = agent.reader();
    revoke(
        &agent,
        lists(&[agent.authority.revokes(&[&revoked.chain[0]], LATER)]),
    );
    let files = Files::new();
    let certificate = files.write("client.pem", &revoked.pem);
    let key = files.write("client.key", revoked.key_der());
    for version in ["-tls1_2", "-tls1_3"] {
        let output = Command::new("openssl")
            .args(["s_client", "-connect", &agent.address.to_string(), version])
            .args(["-keyform", "DER", "-quiet", "-cert"])
            .args([certificate.as_path(), "-key".as_ref(), &key])
            .stdin(Stdio::piped())
            .output();
        let Ok(output) = output else {
            return skip("openssl is not installed");
        };
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(
            told.contains("alert certificate revoked"),
            "{version}: {told}"
        );
    }
}

/// What our manager finds out about a server, OpenSSL's tool says too, and it reads our list.
#[test]
fn openssl_verify_agrees() {
    let authority = Authority::new("authority");
    let (revoked, other) = (
        authority.issue(&CertificateTemplate::server()),
        authority.issue(&CertificateTemplate::server()),
    );
    let files = Files::new();
    let trust = files.write("authority.pem", &authority.pem);
    let list = files.write("crl.der", authority.revokes(&[&revoked.chain[0]], LATER));
    let lists = RevocationLists::load(std::slice::from_ref(&list), OverdueLists::Refuse).unwrap();
    let known = ServerAuthentication {
        trust: authority.trust().with_revocation_lists(lists),
        identity: PeerIdentity::AnyTrusted,
    };
    let now = varbind::transport::certificate::UnixTime::now();
    for (issued, is_good) in [(&revoked, false), (&other, true)] {
        let file = files.write("leaf.pem", &issued.pem);
        let verified = Command::new("openssl")
            .args(["verify", "-crl_check", "-CAfile"])
            .args([trust.as_path(), "-CRLfile".as_ref(), &list, &file])
            .output();
        let Ok(verified) = verified else {
            return skip("openssl is not installed");
        };
        assert_eq!(verified.status.success(), is_good, "{verified:?}");
        assert_eq!(known.verify(&issued.chain, "", now).is_ok(), is_good);
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn an_open_session_ends_when_its_certificate_is_revoked() {
    let agent = TlsAgent::new();
    let (revoked, other) = (agent.reader(), agent.reader());
    let [mut first, mut second] = [&revoked, &other].map(|issued| {
        let client = Arc::new(agent.client(issued));
        let mut manager = open(agent.address, &client, tsm()).unwrap();
        manager.get(&[oid(SYS_DESCR_0)]).unwrap();
        manager
    });
    revoke(
        &agent,
        lists(&[agent.authority.revokes(&[&revoked.chain[0]], LATER)]),
    );
    // The manager opens a session anew, and learns why it may not.
    let error = first.get(&[oid(SYS_DESCR_0)]).unwrap_err().to_string();
    assert!(error.contains("certificate_revoked"), "{error}");
    second.get(&[oid(SYS_DESCR_0)]).unwrap();
}
