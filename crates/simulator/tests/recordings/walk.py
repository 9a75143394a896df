"""Walks devices with pysnmp. Each line of standard input is a job:

    VERSION TRANSPORT ADDRESS PORT MOST

The objects of a job are written as lines of .snmprec, and "# end" behind them.
"""

import asyncio
import sys

from pysnmp.hlapi.v3arch import asyncio as snmp
from pysnmp.proto.rfc1902 import IpAddress, ObjectName, OctetString, Opaque
from pysnmp.proto.rfc1905 import EndOfMibView

# The tags of types as they are sent.
TAGS = {
    "Integer32": 2, "Integer": 2, "OctetString": 4, "Null": 5, "ObjectIdentifier": 6, "IpAddress": 64,
    "Counter32": 65, "Gauge32": 66, "Unsigned32": 66, "TimeTicks": 67, "Opaque": 68, "Counter64": 70,
}


def credentials(version):
    if version == "3":
        return snmp.UsmUserData(
            "ops", "maple syrup", "apple sauce",
            authProtocol=snmp.USM_AUTH_HMAC192_SHA256, privProtocol=snmp.USM_PRIV_CFB128_AES,
        )
    return snmp.CommunityData("public", mpModel=0 if version == "1" else 1)


def line(name, value):
    kind = type(value)
    tag = next(TAGS[base.__name__] for base in kind.__mro__ if base.__name__ in TAGS)
    if isinstance(value, IpAddress):
        text = ".".join(str(octet) for octet in value.asOctets())
    elif isinstance(value, (OctetString, Opaque)):
        return f"{name}|{tag}x|{value.asOctets().hex()}"
    elif tag == 6:
        text = ".".join(str(arc) for arc in value.asTuple())
    elif tag == 5:
        text = ""
    else:
        text = str(int(value))
    return f"{name}|{tag}|{text}"


async def walk(engine, version, address, port, most):
    target = await snmp.UdpTransportTarget.create((address, port), timeout=20, retries=1)
    identity, context = credentials(version), snmp.ContextData()
    name = ObjectName("0.0")
    while most > 0:
        asked = snmp.ObjectType(snmp.ObjectIdentity(name))
        options = {"lookupMib": False}
        if version == "1":
            response = await snmp.next_cmd(engine, identity, target, context, asked, **options)
        else:
            response = await snmp.bulk_cmd(engine, identity, target, context, 0, 40, asked, **options)
        indication, status, _, objects = response
        if version == "1" and int(status) == 2:
            return
        if indication or status or not objects:
            sys.exit(f"{address}, behind {name}: {indication or status.prettyPrint() or 'nothing'}")
        for found in objects:
            value = found[1]
            if isinstance(value, EndOfMibView) or most == 0:
                return
            name = found[0]
            print(line(name, value))
            most -= 1


async def main():
    engine = snmp.SnmpEngine()
    for job in sys.stdin:
        version, _, address, port, most = job.split()
        await walk(engine, version, address, int(port), int(most))
        print("# end")
    engine.close_dispatcher()


asyncio.run(main())
