"""Logins by macaroons: python-libjuju's, macaroonbakery's codecs and pymacaroons' signatures against grigri's.

Needs REQUESTS_CA_BUNDLE with the controller's CA.
"""

import asyncio
import base64
import json
import os
import subprocess
import sys
import tempfile

import macaroonbakery.bakery as bakery
import macaroonbakery.checkers as checkers
import macaroonbakery.httpbakery as httpbakery
import requests
from juju.client.connection import Connection
from juju.client.gocookies import GoCookieJar
from macaroonbakery.bakery._codec import decode_caveat, encode_caveat
from pymacaroons.verifier import Verifier

NAME, GRIGRI, NODE, HERE, URL, CA = sys.argv[1:]
ENDPOINT = URL.removeprefix("wss://")
BASE = f"https://{ENDPOINT}"
PASSWORD = "a password of bob"


def say(*words):
    print(*words, flush=True)


class UserPassword(httpbakery.Interactor):
    """Shows a password to the controller, as Juju's client does."""

    def __init__(self, user, password):
        self.user, self.password, self.asked = user, password, 0

    def kind(self):
        return "juju_userpass"

    def interact(self, client, location, error):
        self.asked += 1
        url = error.info.interaction_methods[self.kind()]["url"]
        form = {"form": {"user": self.user, "password": self.password}}
        answer = requests.post(requests.compat.urljoin(location, url), json=form)
        if answer.status_code != 200:
            raise httpbakery.InteractionError(answer.json()["Message"])
        token = answer.json()["token"]
        return httpbakery.DischargeToken(token["kind"], base64.b64decode(token["value"]))


def grigri(*args, data, stdin=""):
    env = {**os.environ, "JUJU_DATA": data}
    run = subprocess.run([GRIGRI, *args], env=env, input=stdin, capture_output=True, text=True)
    assert run.returncode == 0, (args, run.stdout, run.stderr)
    return run.stdout


def connect(client, user="bob", endpoint=ENDPOINT):
    with open(CA) as ca:
        cacert = ca.read()
    return Connection.connect(endpoint=endpoint, username=user, cacert=cacert, bakery_client=client)


async def logins():
    interactor = UserPassword("bob", PASSWORD)
    client = httpbakery.Client(interaction_methods=[interactor])
    for _ in range(2):
        connection = await connect(client)
        assert connection.info["user-info"]["identity"] == "user-bob", connection.info
        await connection.close()
    # The second login took the macaroon of the first.
    assert interactor.asked == 1, interactor.asked
    answer = requests.get(f"{BASE}/charms", cookies=client.cookies)
    # The user is known by the cookie, and has no access to the model.
    assert answer.json()["error"] == "permission denied", answer.text
    say("logged in, once with the password and once with the macaroon")

    wrong = httpbakery.Client(interaction_methods=[UserPassword("bob", "wrong")])
    try:
        await connect(wrong)
        raise AssertionError("a wrong password logged in")
    except httpbakery.InteractionError as error:
        assert "invalid entity name or password" in str(error), error
    # The macaroon names its user where the login does not.
    connection = await connect(client, None)
    assert connection.info["user-info"]["identity"] == "user-bob", connection.info
    await connection.close()
    say("a wrong password is refused, and a macaroon needs no name")


async def jar(data):
    """The jar of cookies that the command has left logs in without asking anybody."""
    path = os.path.join(data, "cookies", f"{NAME}.json")
    cookies = GoCookieJar()
    cookies.load(path)
    with open(path) as file:
        domain = json.load(file)[0]["Domain"]
    client = httpbakery.Client(interaction_methods=[], cookies=cookies)
    connection = await connect(client, endpoint=f"{domain}:{ENDPOINT.rsplit(':', 1)[1]}")
    await connection.close()
    say("logged in with the jar of the command")


def codecs():
    public = bakery.PublicKey.deserialize(requests.get(f"{BASE}/auth/publickey").json()["PublicKey"])
    key = bakery.generate_key()
    namespace = checkers.Namespace({"std": "", "github.com/juju/juju": ""})
    for version in (2, 3):
        made = encode_caveat(
            "need-declared username is-authenticated-user bob",
            b"the root key of it",
            bakery.ThirdPartyInfo(version=version, public_key=public),
            key,
            namespace,
        )
        form = {"form": {"user": "bob", "password": PASSWORD}}
        token = requests.post(f"{BASE}/auth/form", json=form).json()["token"]
        body = {"id64": base64.urlsafe_b64encode(made), "token-kind": token["kind"], "token64": token["value"]}
        answer = requests.post(f"{BASE}/auth/discharge", data=body)
        assert answer.status_code == 200, answer.text
        discharge = bakery.Macaroon.from_dict(answer.json()["Macaroon"])
        assert discharge.version == version, discharge.version
        verifier = Verifier()
        verifier.satisfy_exact("declared username bob")
        verifier.satisfy_general(lambda condition: condition.startswith("time-before "))
        assert verifier.verify(discharge.macaroon, b"the root key of it")

        pair = bakery.generate_key()
        line = subprocess.run(
            [NODE, f"{HERE}/caveat.ts", str(version), str(pair.public_key), "a condition"],
            capture_output=True,
            text=True,
            check=True,
        )
        opened = decode_caveat(pair, base64.b64decode(line.stdout))
        assert (opened.condition, opened.root_key, opened.version) == ("a condition", b"k" * 24, version), opened
    say("caveats and discharges are read on both sides, in versions 2 and 3")


async def main():
    data = tempfile.mkdtemp()
    try:
        added = grigri("add-user", "-c", NAME, "bob", data=os.environ["JUJU_DATA"])
        token = added.split("juju register ")[1].split()[0]
        grigri("register", token, data=data, stdin=f"{PASSWORD}\n{PASSWORD}\n{NAME}\n")
        say("registered by the command")
        await jar(data)
        await logins()
        codecs()
    finally:
        grigri("remove-user", "-c", NAME, "bob", "-y", data=os.environ["JUJU_DATA"])
        subprocess.run(["rm", "-rf", data], check=True)


asyncio.run(main())
