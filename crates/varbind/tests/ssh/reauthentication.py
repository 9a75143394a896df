"""Logs in with one key, then once more as somebody else, and sends a request over a new channel before and after that."""

import sys
import threading

import paramiko
from paramiko.auth_handler import AuthHandler

port, first_user, first_key, other_user, other_key, request = sys.argv[1:]
transport = paramiko.Transport(("127.0.0.1", int(port)))
transport.start_client(timeout=30)
transport.auth_publickey(first_user, paramiko.Ed25519Key.from_private_key_file(first_key))


def ask():
    channel = transport.open_session(timeout=30)
    channel.settimeout(30)
    channel.invoke_subsystem("snmp")
    channel.sendall(bytes.fromhex(request))
    print(channel.recv(65535).hex())


ask()
# What this handler would do once the service is accepted: it sends a good request with a good signature.
handler = AuthHandler(transport)
handler.auth_event = threading.Event()
handler.auth_method = "publickey"
handler.username = other_user
handler.private_key = paramiko.Ed25519Key.from_private_key_file(other_key)
transport.auth_handler = handler
service = paramiko.Message()
service.add_string("ssh-userauth")
service.rewind()
handler._parse_service_accept(service)
ask()
# An answer would have come before that of the channel.
print("answered" if handler.auth_event.is_set() or handler.is_authenticated() else "ignored")
transport.close()
