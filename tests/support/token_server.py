"""A token server of OAuth 2.0 by Authlib, in a separate process; `running()` starts it.

It knows the client `tester`, whose secret is `s3cret/+ &`. /token gives tokens for `expires_in`
seconds; /resource answers 401 unless it knows the token. /revoke forgets all tokens; /count
returns the number of given tokens; /anew forgets the tokens and resets this number.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator

from support.daemons import HANG_GUARD_S

CLIENT, SECRET = "tester", "s3cret/+ &"


@contextlib.contextmanager
def running(expires_in: int = 3600) -> Iterator[int]:
    """Run the server; yield its port."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(expires_in)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={"AUTHLIB_INSECURE_TRANSPORT": "1", "PYTHONPATH": ":".join(sys.path)},
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)
        process.stdout.close()


def main(expires_in: int) -> None:
    from authlib.integrations.flask_oauth2 import AuthorizationServer
    from authlib.oauth2.rfc6749 import ClientMixin
    from authlib.oauth2.rfc6749.grants import ClientCredentialsGrant
    from flask import Flask, jsonify, request
    from werkzeug.serving import make_server

    class Client(ClientMixin):
        def get_client_id(self):
            return CLIENT

        def get_allowed_scope(self, scope):
            return scope or ""

        def check_client_secret(self, secret):
            return secret == SECRET

        def check_endpoint_auth_method(self, method, endpoint):
            return True

        def check_grant_type(self, grant_type):
            return grant_type == "client_credentials"

    class Grant(ClientCredentialsGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post")

    app, tokens, given = Flask("tokens"), {}, []

    def save(token, request):
        tokens[token["access_token"]] = token
        given.append(token)

    app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"client_credentials": expires_in}
    server = AuthorizationServer(
        app, query_client=lambda id_: Client() if id_ == CLIENT else None, save_token=save
    )
    server.register_grant(Grant)

    @app.post("/token")
    def token():
        return server.create_token_response()

    @app.get("/resource")
    def resource():
        kind, _, text = request.headers.get("Authorization", "").partition(" ")
        if kind != "Bearer" or text not in tokens:
            return jsonify(error="invalid_token"), 401
        return jsonify(scope=tokens[text].get("scope"))

    @app.get("/revoke")
    def revoke():
        tokens.clear()
        return ""

    @app.get("/anew")
    def anew():
        tokens.clear()
        given.clear()
        return jsonify(count=0)

    @app.get("/count")
    def count():
        return jsonify(count=len(given), scopes=[one.get("scope") for one in given])

    server_ = make_server("127.0.0.1", 0, app, threaded=True)
    print(server_.server_port, flush=True)
    server_.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
