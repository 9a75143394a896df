"""A second opinion: what another implementation makes of the same messages.

    peer.py manage PORT           asks an agent as each of the users of the test
    peer.py notify PORT           sends traps and informs as each of them
    peer.py agent PORT            is an agent for a manager, until its standard input ends

Each line of output is what was done, and "ok" or what went wrong.
"""

import asyncio
import sys

from pysnmp.carrier.asyncio.dgram import udp
from pysnmp.entity import config, engine
from pysnmp.entity.rfc3413 import cmdrsp, context
from pysnmp.hlapi.v3arch import asyncio as snmp
from pysnmp.proto.rfc1902 import OctetString

AUTHENTICATION = {
    "MD5": snmp.USM_AUTH_HMAC96_MD5,
    "SHA": snmp.USM_AUTH_HMAC96_SHA,
    "SHA-224": snmp.USM_AUTH_HMAC128_SHA224,
    "SHA-256": snmp.USM_AUTH_HMAC192_SHA256,
    "SHA-384": snmp.USM_AUTH_HMAC256_SHA384,
    "SHA-512": snmp.USM_AUTH_HMAC384_SHA512,
}
PRIVACY = {
    "DES": snmp.USM_PRIV_CBC56_DES,
    "AES": snmp.USM_PRIV_CFB128_AES,
    "AES-192": snmp.USM_PRIV_CFB192_AES_BLUMENTHAL,
    "AES-256": snmp.USM_PRIV_CFB256_AES_BLUMENTHAL,
    "AES-192-Reeder": snmp.USM_PRIV_CFB192_AES,
    "AES-256-Reeder": snmp.USM_PRIV_CFB256_AES,
}
PASSWORD = "maplesyrup"
OTHER_PASSWORD = "apple sauce"
SYSTEM = "1.3.6.1.2.1.1"
SYS_CONTACT = SYSTEM + ".4.0"
# Where an agent and a sender of traps are authoritative.
ENGINE_ID = OctetString(hexValue="8000000004707973")


def users():
    """The name of each user, and what it authenticates and encrypts with."""
    yield "guest", {}
    for authentication, protocol in AUTHENTICATION.items():
        keys = {"authKey": PASSWORD, "authProtocol": protocol}
        yield authentication, keys
        for privacy, cipher in PRIVACY.items():
            name = f"{authentication}_{privacy}"
            yield name, keys | {"privKey": OTHER_PASSWORD, "privProtocol": cipher}


def tell(what, indication, status, *, right=True):
    if indication or status:
        print(what, indication or status.prettyPrint())
    else:
        print(what, "ok" if right else "another value")


async def ask(own, user, target):
    """Get, Set and a walk by GetNext and GetBulk."""
    where = (own, user, target, snmp.ContextData())
    contact = OctetString("set by " + user.userName)
    name = snmp.ObjectIdentity(SYS_CONTACT)

    error, status, _, _ = await snmp.set_cmd(*where, snmp.ObjectType(name, contact))
    tell(f"set {user.userName}", error, status)
    error, status, _, binds = await snmp.get_cmd(*where, snmp.ObjectType(name))
    right = len(binds) == 1 and binds[0][1] == contact
    tell(f"get {user.userName}", error, status, right=right)


async def walk(own, user, target):
    where = (own, user, target, snmp.ContextData())
    start = snmp.ObjectType(snmp.ObjectIdentity(SYSTEM))
    options = {"lexicographicMode": False, "lookupMib": False}
    found = []
    for walker in (
        snmp.walk_cmd(*where, start, **options),
        snmp.bulk_walk_cmd(*where, 0, 7, start, **options),
    ):
        names = []
        async for error, status, _, binds in walker:
            if error or status:
                tell("walk", error, status)
                return
            names += [str(bind[0]) for bind in binds]
        found.append(names)
    right = len(found[0]) > 8 and found[0] == found[1]
    tell("walk", None, 0, right=right)


async def manage(port):
    own = snmp.SnmpEngine()
    target = await snmp.UdpTransportTarget.create(("127.0.0.1", port), timeout=3, retries=1)
    for name, keys in users():
        user = snmp.UsmUserData(name, **keys)
        await ask(own, user, target)
    await walk(own, user, target)


async def notify(port):
    for number, (name, keys) in enumerate(users()):
        # An engine sends each notification as every user that it has sent one as before.
        own = snmp.SnmpEngine(snmpEngineID=ENGINE_ID + bytes([number]))
        target = await snmp.UdpTransportTarget.create(("127.0.0.1", port), timeout=3, retries=1)
        user = snmp.UsmUserData(name, **keys)
        for kind in ("trap", "inform"):
            what = snmp.NotificationType(snmp.ObjectIdentity("1.3.6.1.6.3.1.1.5.1"))
            what = what.add_varbinds((SYS_CONTACT, OctetString(f"{kind} of {name}")))
            error, status, _, _ = await snmp.send_notification(
                own, user, target, snmp.ContextData(), kind, what
            )
            tell(f"{kind} {name}", error, status)


async def agent(port):
    own = engine.SnmpEngine(snmpEngineID=ENGINE_ID)
    endpoint = udp.UdpTransport().open_server_mode(("127.0.0.1", port))
    config.add_transport(own, udp.DOMAIN_NAME, endpoint)
    for name, keys in users():
        config.add_v3_user(
            own,
            name,
            keys.get("authProtocol", config.USM_AUTH_NONE),
            keys.get("authKey"),
            keys.get("privProtocol", config.USM_PRIV_NONE),
            keys.get("privKey"),
        )
        level = "noAuthNoPriv"
        if "authKey" in keys:
            level = "authPriv" if "privKey" in keys else "authNoPriv"
        config.add_vacm_user(own, 3, name, level, (1, 3, 6, 1), (1, 3, 6, 1))
    where = context.SnmpContext(own)
    for responder in (
        cmdrsp.GetCommandResponder,
        cmdrsp.SetCommandResponder,
        cmdrsp.NextCommandResponder,
        cmdrsp.BulkCommandResponder,
    ):
        responder(own, where)
    # The task that opens the socket, which open_server_mode leaves to run later.
    await endpoint._lport
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run({"manage": manage, "notify": notify, "agent": agent}[sys.argv[1]](int(sys.argv[2])))
