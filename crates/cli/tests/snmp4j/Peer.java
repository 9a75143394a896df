import java.io.IOException;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import org.snmp4j.CommandResponder;
import org.snmp4j.CommandResponderEvent;
import org.snmp4j.MessageDispatcherImpl;
import org.snmp4j.PDU;
import org.snmp4j.ScopedPDU;
import org.snmp4j.Snmp;
import org.snmp4j.TransportMapping;
import org.snmp4j.event.ResponseEvent;
import org.snmp4j.mp.CounterSupport;
import org.snmp4j.mp.MPv3;
import org.snmp4j.mp.SnmpConstants;
import org.snmp4j.security.SecurityLevel;
import org.snmp4j.security.SecurityModel;
import org.snmp4j.security.SecurityModels;
import org.snmp4j.security.TSM;
import org.snmp4j.smi.Address;
import org.snmp4j.smi.DtlsAddress;
import org.snmp4j.smi.Null;
import org.snmp4j.smi.OID;
import org.snmp4j.smi.OctetString;
import org.snmp4j.smi.TlsAddress;
import org.snmp4j.smi.VariableBinding;
import org.snmp4j.transport.DTLSTM;
import org.snmp4j.transport.TLSTM;
import org.snmp4j.transport.tls.DefaultTlsTmSecurityCallback;
import org.snmp4j.transport.tls.SecurityNameMapping;
import org.snmp4j.transport.tls.TlsX509CertifiedTarget;
import org.snmp4j.transport.tls.X509TlsTransportMappingConfig;

/**
 * SNMP4J as a peer: "manager PROTOCOL ADDRESS OID..." asks and prints "OID = value" lines;
 * "agent PROTOCOL ADDRESS" answers with what it was asked for, as text, and prints the security name of each request.
 * PROTOCOL is tls or dtls. Keys and trusted certificates come from the system properties of JSSE.
 */
public final class Peer {
    private static final OID SNMP_ENGINE_ID = new OID("1.3.6.1.6.3.10.2.1.1.0");

    private final String protocol;

    private Peer(String protocol) {
        this.protocol = protocol;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Peer peer = new Peer(arguments[1]);
        if (arguments[0].equals("manager")) {
            peer.ask(arguments);
        } else {
            peer.respond(arguments[2]);
        }
    }

    private Address address(String text) throws IOException {
        int colon = text.lastIndexOf(':');
        InetAddress host = InetAddress.getByName(text.substring(0, colon));
        int port = Integer.parseInt(text.substring(colon + 1));
        return protocol.equals("tls") ? new TlsAddress(host, port) : new DtlsAddress(host, port);
    }

    private TransportMapping<?> transport(Address own, boolean isServer) throws IOException {
        DefaultTlsTmSecurityCallback callback = new DefaultTlsTmSecurityCallback() {
            @Override
            public OctetString getSecurityName(X509Certificate[] chain) {
                String name = chain[0].getSubjectX500Principal().getName();
                return new OctetString(name.replaceFirst("^.*CN=([^,]*).*$", "$1"));
            }
        };
        String versions = System.getProperty("peer.versions");
        TransportMapping<?> transport = protocol.equals("tls")
            ? new TLSTM(callback, (TlsAddress) own, CounterSupport.getInstance(), isServer)
            : new DTLSTM(callback, (DtlsAddress) own, CounterSupport.getInstance(), isServer);
        X509TlsTransportMappingConfig configuration = (X509TlsTransportMappingConfig) transport;
        configuration.setKeyStore(System.getProperty("javax.net.ssl.keyStore"));
        configuration.setKeyStorePassword(System.getProperty("javax.net.ssl.keyStorePassword"));
        configuration.setTrustStore(System.getProperty("javax.net.ssl.trustStore"));
        configuration.setTrustStorePassword(System.getProperty("javax.net.ssl.trustStorePassword"));
        if (versions != null) {
            configuration.setProtocolVersions(versions.split(","));
        }
        return transport;
    }

    private Snmp session(TransportMapping<?> transport) {
        OctetString engineId = new OctetString(MPv3.createLocalEngineID());
        MessageDispatcherImpl dispatcher = new MessageDispatcherImpl();
        MPv3 processing = new MPv3(engineId.getValue());
        SecurityModels models = new SecurityModels();
        models.addSecurityModel(new TSM(engineId, false));
        processing.setSecurityModels(models);
        dispatcher.addMessageProcessingModel(processing);
        return new Snmp(dispatcher, transport);
    }

    private void ask(String[] arguments) throws IOException {
        TransportMapping<?> transport = transport(address("127.0.0.1:0"), protocol.equals("dtls"));
        Snmp snmp = session(transport);
        snmp.listen();
        TlsX509CertifiedTarget<Address> target = new TlsX509CertifiedTarget<>(address(arguments[2]),
            new OctetString(), new OctetString(), new OctetString(),
            new DefaultTlsTmSecurityCallback() {
                @Override
                public boolean isServerCertificateAccepted(X509Certificate[] chain) {
                    return true;
                }
            });
        target.setVersion(SnmpConstants.version3);
        target.setSecurityModel(SecurityModel.SECURITY_MODEL_TSM);
        target.setSecurityLevel(SecurityLevel.AUTH_PRIV);
        // Over DTLS, SNMP4J compares it with the name of who answers.
        target.setSecurityName(new OctetString(System.getProperty("peer.agent", "")));
        target.setTimeout(15000);
        target.setRetries(0);
        ScopedPDU probe = request(MPv3.LOCAL_ENGINE_ID);
        probe.add(new VariableBinding(SNMP_ENGINE_ID));
        PDU answer = answer(snmp, probe, target);
        OctetString contextEngineId = (OctetString) answer.get(0).getVariable();
        System.out.println("engine " + contextEngineId.toHexString());
        ScopedPDU request = request(contextEngineId);
        for (int i = 3; i < arguments.length; i++) {
            request.add(new VariableBinding(new OID(arguments[i])));
        }
        for (VariableBinding binding : answer(snmp, request, target).getVariableBindings()) {
            System.out.println(binding.getOid() + " = " + binding.getVariable());
        }
        snmp.close();
        System.exit(0);
    }

    private static ScopedPDU request(OctetString contextEngineId) {
        ScopedPDU request = new ScopedPDU();
        request.setType(PDU.GET);
        request.setContextEngineID(contextEngineId);
        return request;
    }

    private static PDU answer(Snmp snmp, PDU request, TlsX509CertifiedTarget<Address> target) throws IOException {
        ResponseEvent<Address> event = snmp.send(request, target);
        PDU answer = event == null ? null : event.getResponse();
        if (answer == null || answer.getType() != PDU.RESPONSE || answer.getErrorStatus() != 0) {
            System.out.println("no response: " + (event == null ? "not sent" : event.getError()) + " " + answer);
            System.exit(1);
        }
        return answer;
    }

    private void respond(String own) throws IOException, InterruptedException {
        TransportMapping<?> transport = transport(address(own), true);
        Snmp snmp = session(transport);
        OctetString engineId = new OctetString(snmp.getLocalEngineID());
        snmp.addCommandResponder(new CommandResponder() {
            @Override
            public <A extends Address> void processPdu(CommandResponderEvent<A> event) {
                PDU pdu = event.getPDU();
                if (pdu == null || pdu.getType() != PDU.GET) {
                    return;
                }
                System.out.println("asked by " + new OctetString(event.getSecurityName()));
                PDU response = (PDU) pdu.clone();
                response.setType(PDU.RESPONSE);
                for (VariableBinding binding : response.getVariableBindings()) {
                    boolean isEngine = binding.getOid().equals(SNMP_ENGINE_ID);
                    binding.setVariable(isEngine ? engineId : new OctetString("SNMP4J has " + binding.getOid()));
                }
                try {
                    event.getMessageDispatcher().returnResponsePdu(event.getMessageProcessingModel(),
                        event.getSecurityModel(), event.getSecurityName(), event.getSecurityLevel(), response,
                        event.getMaxSizeResponsePDU(), event.getStateReference(),
                        new org.snmp4j.mp.StatusInformation());
                } catch (org.snmp4j.MessageException e) {
                    System.out.println("response not sent: " + e);
                }
                event.setProcessed(true);
            }
        });
        snmp.listen();
        System.out.println("listening on " + transport.getListenAddress());
        // Ends with whoever started it.
        while (System.in.read() >= 0) { }
        System.exit(0);
    }
}
