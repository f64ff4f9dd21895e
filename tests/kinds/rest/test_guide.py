"""The example of the guide runs, as it stands there, against Node."""

import json
import re
import tomllib
from pathlib import Path

from kinds.rest.service import HttpService, first
from support.node import running_node

GUIDE = Path(__file__).parents[3] / "docs/guide/rest.md"
NODE = """
let busy = 1;
const server = require("http").createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (busy-- > 0) { response.statusCode = 503; return response.end(); }
  if (request.url === "/login") {
    if (body.toString() !== "user=tester&password=t0p-secret") response.statusCode = 403;
    response.writeHead(302, {"Set-Cookie": "session=s1; Path=/", Location: "/home"});
    return response.end();
  }
  if (request.headers.cookie !== "session=s1") response.statusCode = 401;
  if (request.url === "/home") return response.end("hello");
  const form = await new Response(body, {headers: request.headers}).formData();
  response.setHeader("Content-Type", "application/xml");
  const files = [...form].map(([, value]) => `<file><name>${value.name || ""}</name></file>`);
  response.end(`<r:receipt xmlns:r="urn:r" id="17">${files.join("")}</r:receipt>`);
});
"""


def test_the_example_of_the_guide(tmp_path):
    _, _, text = GUIDE.read_text().partition("### Logging in")
    table, definition = re.findall(r"```(?:toml|json)\n(.*?)```", text, re.DOTALL)[:2]
    (members,) = tomllib.loads(table)["application"].values()
    (tmp_path / "contract.pdf").write_bytes(b"%PDF-1.7")
    with running_node(NODE) as port:
        members = {**members, "base_uri": f"http://127.0.0.1:{port}"}
        kind = members.pop("module")
        tsvc = HttpService(tmp_path, {"SHOP": (kind, members)}, data_dir=tmp_path)
        try:
            variables = {"password": "t0p-secret"}
            result = tsvc.run(*json.loads(definition), rest="SHOP", vars=variables)
        finally:
            tsvc.stop()
    assert result["verdict"] == "pass", first(result)
