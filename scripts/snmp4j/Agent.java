import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import org.snmp4j.TransportMapping;
import org.snmp4j.agent.BaseAgent;
import org.snmp4j.agent.CommandProcessor;
import org.snmp4j.agent.mo.snmp.RowStatus;
import org.snmp4j.agent.mo.snmp.SnmpCommunityMIB;
import org.snmp4j.agent.mo.snmp.SnmpNotificationMIB;
import org.snmp4j.agent.mo.snmp.SnmpTargetMIB;
import org.snmp4j.agent.mo.snmp.StorageType;
import org.snmp4j.agent.mo.snmp.VacmMIB;
import org.snmp4j.agent.security.MutableVACM;
import org.snmp4j.mp.CounterSupport;
import org.snmp4j.mp.MPv3;
import org.snmp4j.security.AuthSHA;
import org.snmp4j.security.PrivAES128;
import org.snmp4j.security.SecurityLevel;
import org.snmp4j.security.SecurityModel;
import org.snmp4j.security.SecurityModels;
import org.snmp4j.security.SecurityProtocols;
import org.snmp4j.security.TSM;
import org.snmp4j.security.USM;
import org.snmp4j.security.UsmUser;
import org.snmp4j.smi.DtlsAddress;
import org.snmp4j.smi.Integer32;
import org.snmp4j.smi.OID;
import org.snmp4j.smi.OctetString;
import org.snmp4j.smi.TcpAddress;
import org.snmp4j.smi.TlsAddress;
import org.snmp4j.smi.UdpAddress;
import org.snmp4j.smi.Variable;
import org.snmp4j.transport.DTLSTM;
import org.snmp4j.transport.DefaultTcpTransportMapping;
import org.snmp4j.transport.DefaultUdpTransportMapping;
import org.snmp4j.transport.TLSTM;
import org.snmp4j.transport.tls.DefaultTlsTmSecurityCallback;
import org.snmp4j.transport.tls.X509TlsTransportMappingConfig;

/**
 * The agent of SNMP4J-Agent, configured as the laboratory configures other agents: the community public and the user ops may
 * read everything. Arguments: a directory for its state, and addresses as udp:127.0.0.1:16100. The passwords of ops, keys and
 * trusted certificates come from environment variables, which scripts/snmp4j-agent sets.
 */
// The class that replaces BaseAgent reads its configuration from MIB objects in a file.
@SuppressWarnings("deprecation")
public final class Agent extends BaseAgent {
    private static final OctetString COMMUNITY = new OctetString("public");
    private static final OctetString USER = new OctetString("ops");
    private static final OctetString GROUP = new OctetString("readers");
    private static final OctetString VIEW = new OctetString("all");

    private final String[] addresses;

    private Agent(String directory, String[] addresses) {
        super(new File(directory, "boots"), new File(directory, "configuration"),
            new CommandProcessor(new OctetString(MPv3.createLocalEngineID())));
        this.addresses = addresses;
        // Its default protocols no longer have SHA-1.
        SecurityProtocols.getInstance().addAuthenticationProtocol(new AuthSHA());
        SecurityProtocols.getInstance().addPrivacyProtocol(new PrivAES128());
    }

    public static void main(String[] arguments) throws IOException {
        String[] addresses = java.util.Arrays.copyOfRange(arguments, 1, arguments.length);
        Agent agent = new Agent(arguments[0], addresses);
        agent.init();
        agent.finishInit();
        agent.run();
        System.out.println("listening on " + String.join(" ", addresses));
        // Ends with whoever started it.
        while (System.in.read() >= 0) { }
        System.exit(0);
    }

    @Override
    protected void initMessageDispatcher() {
        super.initMessageDispatcher();
        SecurityModels.getInstance().addSecurityModel(new TSM(agent.getContextEngineID(), false));
    }

    @Override
    protected void initTransportMappings() throws IOException {
        transportMappings = new TransportMapping<?>[addresses.length];
        for (int i = 0; i < addresses.length; i++) {
            String[] parts = addresses[i].split(":");
            transportMappings[i] = transport(parts[0], InetAddress.getByName(parts[1]), Integer.parseInt(parts[2]));
        }
    }

    private static TransportMapping<?> transport(String name, InetAddress host, int port) throws IOException {
        CounterSupport counters = CounterSupport.getInstance();
        switch (name) {
            case "udp":
                return new DefaultUdpTransportMapping(new UdpAddress(host, port));
            case "tcp":
                return new DefaultTcpTransportMapping(new TcpAddress(host, port));
            case "tls":
                return configured(new TLSTM(new CommonName(), new TlsAddress(host, port), counters, true));
            case "dtls":
                return configured(new DTLSTM(new CommonName(), new DtlsAddress(host, port), counters, true));
            default:
                throw new IOException(name + " is no transport of SNMP4J: use udp, tcp, tls or dtls");
        }
    }

    private static <T extends TransportMapping<?> & X509TlsTransportMappingConfig> T configured(T transport) {
        transport.setKeyStore(System.getenv("SNMP4J_KEY_STORE"));
        transport.setKeyStorePassword(System.getenv("SNMP4J_STORE_PASSWORD"));
        transport.setTrustStore(System.getenv("SNMP4J_TRUST_STORE"));
        transport.setTrustStorePassword(System.getenv("SNMP4J_STORE_PASSWORD"));
        return transport;
    }

    /** The common name of the manager's certificate is its security name. */
    private static final class CommonName extends DefaultTlsTmSecurityCallback {
        @Override
        public OctetString getSecurityName(X509Certificate[] chain) {
            String name = chain[0].getSubjectX500Principal().getName();
            return new OctetString(name.replaceFirst("^.*CN=([^,]*).*$", "$1"));
        }
    }

    @Override
    protected void registerManagedObjects() {
        // As long as the values in the papers.
        snmpv2MIB.setContact(new OctetString("operator on duty, room 1, tel. 1"));
        snmpv2MIB.setLocation(new OctetString("server room in building 1, row 1"));
        snmpv2MIB.setName(new OctetString("laboratory-agent.example.invalid"));
    }

    @Override
    protected void unregisterManagedObjects() { }

    @Override
    protected void addUsmUser(USM usm) {
        OctetString authentication = new OctetString(System.getenv("VARBIND_AUTH_PASSWORD"));
        OctetString privacy = new OctetString(System.getenv("VARBIND_PRIV_PASSWORD"));
        UsmUser user = new UsmUser(USER, AuthSHA.ID, authentication, PrivAES128.ID, privacy);
        usm.addUser(user);
    }

    @Override
    protected void addNotificationTargets(SnmpTargetMIB targets, SnmpNotificationMIB notifications) { }

    @Override
    protected void addViews(VacmMIB vacm) {
        int permanent = StorageType.permanent;
        vacm.addViewTreeFamily(VIEW, new OID("1"), new OctetString(), VacmMIB.vacmViewIncluded, permanent);
        vacm.addGroup(SecurityModel.SECURITY_MODEL_SNMPv1, COMMUNITY, GROUP, permanent);
        vacm.addGroup(SecurityModel.SECURITY_MODEL_SNMPv2c, COMMUNITY, GROUP, permanent);
        vacm.addGroup(SecurityModel.SECURITY_MODEL_USM, USER, GROUP, permanent);
        vacm.addGroup(SecurityModel.SECURITY_MODEL_TSM, USER, GROUP, permanent);
        OctetString none = new OctetString();
        vacm.addAccess(GROUP, none, SecurityModel.SECURITY_MODEL_ANY, SecurityLevel.NOAUTH_NOPRIV,
            MutableVACM.VACM_MATCH_EXACT, VIEW, none, none, permanent);
    }

    @Override
    protected void addCommunities(SnmpCommunityMIB communities) {
        Variable[] values = {
            COMMUNITY, COMMUNITY, getAgent().getContextEngineID(), new OctetString(), new OctetString(),
            new Integer32(StorageType.permanent), new Integer32(RowStatus.active)
        };
        OID index = COMMUNITY.toSubIndex(true);
        communities.getSnmpCommunityEntry().addRow(communities.getSnmpCommunityEntry().createRow(index, values));
    }
}
