use std::path::Path;

use varbind_testkit::web::{LIMITED, ODD_NAME, READER, Response, Served, program};

const ENVELOPE: &str = "http://schemas.xmlsoap.org/soap/envelope/";

fn envelope(body: &str) -> String {
    format!(
        "<?xml version='1.0'?><e:Envelope xmlns:e='{ENVELOPE}' xmlns:m='urn:varbind:if-table'><e:Body>{body}</e:Body></e:Envelope>"
    )
}

fn call(served: &Served, body: &str) -> Response {
    served.send(
        "POST",
        "/soap",
        "",
        &[("Content-Type", "text/xml; charset=utf-8")],
        envelope(body).as_bytes(),
    )
}

fn with(operation: &str, parameters: &str) -> String {
    format!("<m:{operation}><community>{READER}</community>{parameters}</m:{operation}>")
}

fn fault(response: &Response) -> &str {
    assert_eq!(response.status, 500, "{response:?}");
    let text = response.text();
    let code = text
        .split("<faultcode>SOAP-ENV:")
        .nth(1)
        .unwrap_or_else(|| panic!("{text}"));
    code.split('<').next().unwrap()
}

#[test]
fn the_table_is_read_in_four_granularities() {
    let served = Served::start();
    let table = call(&served, &with("GetIfTable", ""));
    assert_eq!(
        (table.status, table.header("content-type")),
        (200, "text/xml; charset=utf-8")
    );
    let text = table.text();
    assert_eq!(text.matches("<ifEntry>").count(), 2);
    assert!(
        text.contains("<ifInOctets xsi:type=\"xsd:unsignedInt\">110</ifInOctets>"),
        "{text}"
    );
    assert!(
        text.contains("<ifType xsi:type=\"xsd:int\">24</ifType>"),
        "{text}"
    );
    assert!(
        text.contains("<ifDescr xsi:type=\"xsd:string\">e&quot;&lt;&amp;&gt;\\0\u{e9}</ifDescr>"),
        "{text}"
    );
    let row = call(&served, &with("GetIfRow", "<ifIndex>3</ifIndex>"));
    assert_eq!(row.text().matches("<ifEntry>").count(), 1);
    assert!(
        row.text()
            .contains("<ifIndex xsi:type=\"xsd:int\">3</ifIndex>")
    );
    let column = call(&served, &with("GetIfColumn", "<name>ifMtu</name>"));
    assert_eq!(
        column
            .text()
            .matches("<ifMtu xsi:type=\"xsd:int\">1500</ifMtu>")
            .count(),
        2
    );
    let object = call(
        &served,
        &with("GetIfObject", "<name>ifDescr</name><ifIndex>1</ifIndex>"),
    );
    assert!(object.text().contains("<m:GetIfObjectResponse xmlns:m=\"urn:varbind:if-table\"><ifDescr xsi:type=\"xsd:string\">lo</ifDescr></m:GetIfObjectResponse>"));
}

#[test]
fn what_is_wrong_gets_the_fault_of_the_standard() {
    let served = Served::start();
    let wrong = [
        with("GetIfRow", "<ifIndex>2</ifIndex>"),
        with("GetIfRow", "<ifIndex>x</ifIndex>"),
        with("GetIfRow", ""),
        with("GetIfColumn", "<name>ifName</name>"),
        with("GetIfObject", "<name>ifMtu</name><ifIndex>9</ifIndex>"),
        with("DropTable", ""),
        "<m:GetIfTable><community>wrong</community></m:GetIfTable>".to_owned(),
        "<m:GetIfTable/>".to_owned(),
        "<GetIfTable/>".to_owned(),
        String::new(),
    ];
    for body in wrong {
        assert_eq!(fault(&call(&served, &body)), "Client", "{body}");
    }
    let post = |body: &str| {
        served.send(
            "POST",
            "/soap",
            READER,
            &[("Content-Type", "text/xml")],
            body.as_bytes(),
        )
    };
    let twelve = envelope(&with("GetIfTable", ""))
        .replace(ENVELOPE, "http://www.w3.org/2003/05/soap-envelope");
    assert_eq!(fault(&post(&twelve)), "VersionMismatch");
    let header = "<e:Header><x e:mustUnderstand='1'/></e:Header><e:Body>";
    let header = envelope(&with("GetIfTable", "")).replace("<e:Body>", header);
    assert_eq!(fault(&post(&header)), "MustUnderstand");
    let bomb = "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>";
    let bomb =
        envelope(&with("GetIfTable", "&b;")).replace("<e:Envelope", &format!("{bomb}<e:Envelope"));
    let deep = "<x>".repeat(100_000);
    for body in [bomb.as_str(), "", "<", "x", deep.as_str(), "<?x?><a/>"] {
        assert_eq!(fault(&post(body)), "Client", "{body:.60}");
    }
    let kind = served.send(
        "POST",
        "/soap",
        READER,
        &[],
        envelope(&with("GetIfTable", "")).as_bytes(),
    );
    assert_eq!(fault(&kind), "Client");
}

#[test]
fn a_view_hides_objects_here_too() {
    let served = Served::start();
    let table = call(&served, &with("GetIfTable", "").replace(READER, LIMITED));
    assert_eq!(table.text().matches("<ifEntry><ifDescr").count(), 2);
    assert!(!table.text().contains("ifMtu"));
    let body =
        with("GetIfObject", "<name>ifMtu</name><ifIndex>1</ifIndex>").replace(READER, LIMITED);
    assert_eq!(fault(&call(&served, &body)), "Client");
}

#[test]
fn bodies_may_be_compressed_both_ways() {
    let served = Served::start();
    let plain = call(&served, &with("GetIfTable", ""));
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, envelope(&with("GetIfTable", "")).as_bytes()).unwrap();
    let headers = [
        ("Content-Type", "text/xml"),
        ("Content-Encoding", "deflate"),
        ("Accept-Encoding", "deflate"),
    ];
    let response = served.send("POST", "/soap", "", &headers, &encoder.finish().unwrap());
    assert_eq!(
        (response.status, response.header("content-encoding")),
        (200, "deflate")
    );
    let mut body = Vec::new();
    let mut decoder = flate2::read::ZlibDecoder::new(response.body.as_slice());
    std::io::Read::read_to_end(&mut decoder, &mut body).unwrap();
    assert_eq!(body, plain.body);
    assert!(response.body.len() * 3 < body.len());
}

const SCRIPT: &str = r#"
import sys, zeep
client = zeep.Client(sys.argv[1])
service = client.service
rows = service.GetIfTable(community=sys.argv[2])
print(len(rows), rows[1].ifDescr, rows[1].ifInOctets, rows[0].ifType)
print(service.GetIfRow(community=sys.argv[2], ifIndex=3)[0].ifMtu)
print([item["ifMtu"] for item in service.GetIfColumn(community=sys.argv[2], name="ifMtu")])
print([item["ifDescr"] for item in service.GetIfObject(community=sys.argv[2], name="ifDescr", ifIndex=1)])
try:
    service.GetIfRow(community=sys.argv[2], ifIndex=2)
except zeep.exceptions.Fault as fault:
    print(fault.code)
"#;

#[test]
fn a_client_made_from_the_description_reads_the_table() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(python) = varbind_testkit::peers::python(directory, &["zeep==4.3.2"]) else {
        return;
    };
    let served = Served::start();
    let url = served.url("/soap?wsdl");
    let (succeeded, text) =
        program(python.to_str().unwrap(), &["-c", SCRIPT, &url, READER]).unwrap();
    assert!(succeeded, "{text}");
    let expected = format!("2 {ODD_NAME} 110 24\n1500\n[1500, 1500]\n['lo']\nSOAP-ENV:Client\n");
    assert_eq!(text, expected);
}
