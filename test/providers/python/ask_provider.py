"""Speaks the line protocol of provider-program.ts for Python's providers: `ask_provider.py ofrep` or `… flagd`."""

import json
import sys

from openfeature import api
from openfeature.contrib.provider.flagd import FlagdProvider
from openfeature.contrib.provider.flagd.config import ResolverType
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext


def make_provider(way, connection):
    if way == "ofrep":
        return OFREPProvider(connection["ofrep"])
    flagd = connection["flagd"]
    # Without TLS it sends no metadata but the selector, which therefore holds the token.
    selector = f"{flagd['selector']},token={connection['token']}"
    return FlagdProvider(
        host=flagd["host"],
        port=flagd["port"],
        resolver_type=ResolverType.IN_PROCESS,
        selector=selector,
        deadline_ms=10_000,
    )


def ask(client, question):
    attributes = dict(question["context"])
    targeting_key = attributes.pop("targetingKey", None)
    context = EvaluationContext(targeting_key, attributes)
    details = client.get_boolean_details(question["flag"], question["fallback"], context)
    error = details.error_code and f"{details.error_code.value}: {details.error_message}"
    return {"value": details.value, "variant": details.variant, "error": error}


def write(line):
    print(json.dumps(line), flush=True)


def main():
    api.set_provider_and_wait(make_provider(sys.argv[1], json.loads(sys.stdin.readline())))
    client = api.get_client()
    write({"ready": True})
    for line in sys.stdin:
        write(ask(client, json.loads(line)))
    api.shutdown()


main()
