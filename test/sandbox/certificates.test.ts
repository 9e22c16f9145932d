import { afterAll, beforeEach, expect, test } from "bun:test";
import { createTreeHeadVerifier } from "../../src/engines/certificate-transparency/trees/tree-heads.ts";
import { createSandboxLog } from "../../src/sandbox/log/certificate-log.ts";
import { openSandbox } from "../support/sandbox.ts";

const sandbox = await openSandbox();
afterAll(sandbox.stop);
const { advance, api, call, control, inbox, ready } = sandbox;
beforeEach(async () => {
  await control("POST", "/reset");
  await control("POST", "/webhooks", { inbox: "soc" });
});

const name = "login.example-bank-portal.com";
const certificate = { names: [name, "*.harmless.example"] };

test("a certificate for a look-alike becomes a threat, with the certificate as a fact, and sends threat.created", async () => {
  const { data } = await control("POST", "/certificates", certificate);
  expect(data).toMatchObject({
    names: certificate.names,
    issuer: "Sandbox CA",
    logged_at: ready.time,
    index: 0,
    threats: [{ domain: name, protected_domain: "example-bank.com", status: "active" }],
  });
  const { id } = data.threats[0];
  const { data: arrived } = await inbox("soc", "?wait=20s&type=threat.created");
  expect(arrived.map(({ event }: { event: { data: object } }) => event.data)).toMatchObject([
    { threat: { id } },
  ]);
  expect((await api("GET", `/v1/threats/${id}`)).json.data.source).toBe("certificate_transparency");
  const { certificates } = (await api("GET", `/v1/threats/${id}/facts`)).json.data;
  expect(certificates).toMatchObject([
    { issuer: "CN=Sandbox CA", serial: data.serial, index: 0, verified: true, seen_at: ready.time },
  ]);
  const { entries } = await (await fetch(certificates[0].entry_url)).json();
  expect(Buffer.from(entries[0].leaf_input, "base64").includes(name)).toBe(true);
});

test("a certificate without given names contains a new look-alike", async () => {
  const { data } = await control("POST", "/certificates", {});
  expect(data.threats.map(({ domain }: { domain: string }) => domain)).toEqual(data.names);
});

test("a certificate without a look-alike is logged and becomes no threat", async () => {
  const { data } = await control("POST", "/certificates", { names: ["harmless.example"] });
  expect(data).toMatchObject({ index: 0, threats: [] });
});

test("a certificate with a delay becomes a threat when the clock reaches its time", async () => {
  const { data } = await control("POST", "/certificates", { ...certificate, delay: "10m" });
  expect(data).toMatchObject({ index: null, threats: [] });
  const listed = async () =>
    (await api("GET", "/v1/threats?per_page=1")).json.data[0] as { domain: string; first_seen: string };
  await advance("9m");
  expect((await listed()).domain).not.toBe(name);
  await advance("1m");
  expect(await listed()).toMatchObject({ domain: name, first_seen: data.logged_at });
});

test("a new certificate makes a resolved threat active again", async () => {
  const [threat] = (await control("POST", "/certificates", certificate)).data.threats;
  await api("PATCH", `/v1/threats/${threat.id}`, { status: "resolved" });
  await advance("1h");
  await control("POST", "/certificates", certificate);
  expect((await api("GET", `/v1/threats/${threat.id}`)).json.data.status).toBe("active");
});

test("a snapshot contains the log, also certificates that are waiting for their time", async () => {
  await control("POST", "/certificates", { names: ["first.example"] });
  await control("POST", "/certificates", { ...certificate, delay: "10m" });
  await control("POST", "/snapshot");
  await control("POST", "/reset");
  expect((await control("POST", "/certificates", { names: ["other.example"] })).data.index).toBe(0);
  await control("POST", "/restore");
  await advance("10m");
  const [newest] = (await api("GET", "/v1/threats?per_page=1")).json.data;
  expect(newest.domain).toBe(name);
  expect((await control("POST", "/certificates", { names: ["third.example"] })).data.index).toBe(2);
});

test("the log signs its tree head, and its entries agree with it", async () => {
  for (const names of [["one.example"], ["two.example"], ["three.example"]])
    await control("POST", "/certificates", { names });
  const { log } = createSandboxLog({
    clock: { now: () => 0 },
    url: `${ready.control_url}/log/`,
    certificates: [],
  });
  const text = await (await fetch(`${log.url}ct/v1/get-sth`)).arrayBuffer();
  const head = createTreeHeadVerifier(log).signedTreeHead(new Uint8Array(text));
  expect(head).toMatchObject({ size: 3, timestamp: Date.parse(ready.time) });
  const { entries } = await (await fetch(`${log.url}ct/v1/get-entries?start=0&end=99`)).json();
  expect(entries).toHaveLength(3);
});

test.each([
  [{ names: [] }, "names"],
  [{ names: ["not a name"] }, "not a name"],
  [{ names: ["a.example"], delay: "soon" }, "delay"],
  [{ names: ["a.example"], not_before: "yesterday" }, "not_before"],
])("an invalid certificate %j is rejected with the field that is wrong", async (body, field) => {
  const response = await call("POST", "/sandbox/certificates", { body });
  expect(response.status).toBe(400);
  expect(response.json.error.message).toContain(field);
});
