import { afterEach, beforeEach, expect, test } from "bun:test";
import { createCases } from "../../../src/response/cases/cases.ts";
import { createTakedowns } from "../../../src/response/cases/takedowns/takedowns.ts";
import { fillRandom } from "../../support/appliance.ts";
import { openApi, type Api } from "../../support/api.ts";
import { reportOf } from "../../support/takedowns.ts";

let api: Api;
let id: string;
beforeEach(() => {
  api = openApi();
  id = api.sight("examp1e-bank.com")[0]!;
});
afterEach(() => api.dispose());

const by = { channel: "console" as const, name: "kim", address: "192.0.2.9" };

test("the case of a threat has assignee, due time and state of the site, and the threat object no further field", async () => {
  const before = await api.call("GET", `/v1/threats/${id}`, { key: api.key() });
  const cases = createCases(api);
  const { seq } = cases.assignees().find(({ name }) => name === "admin")!;
  cases.assign([id], seq, { by });
  api.threats.updateFacts(
    id,
    { ipAddress: null, registrar: null, whois: {}, siteState: "up", evidence: { exists: "unknown" } },
    [],
  );
  const { json, status } = await api.call("GET", `/v1/threats/${id}/case`, { key: api.key() });
  expect(status).toBe(200);
  expect(json.data).toEqual({
    threat_id: id,
    assignee: "admin",
    due_at: expect.stringMatching(/Z$/),
    site_state: "up",
    site_state_since: expect.stringMatching(/Z$/),
    reports: [],
    campaign: null,
  });
  const after = await api.call("GET", `/v1/threats/${id}`, { key: api.key() });
  expect(Object.keys(after.json.data)).toEqual(Object.keys(before.json.data));
});

test("the reports of a threat are in its case, with their recipients and outcome, as the document describes them", async () => {
  const takedowns = createTakedowns({ ...api, fillRandom, onQueued: () => {} });
  takedowns.add(reportOf([id], "PW-00000001"), { by });
  const typed = { kind: "registrar", name: "Example Registrar", source: { from: "person" } } as const;
  takedowns.add(
    reportOf([id], "PW-00000002", {
      method: "manual",
      messageId: null,
      purpose: "escalation",
      recipient: typed,
    }),
    { by },
  );
  const { json } = await api.call("GET", `/v1/threats/${id}/case`, { key: api.key() });
  expect(json.data.reports).toMatchObject([
    { reference: "PW-00000001", created_by: "kim", method: "email", recipient: { name: "Example Hosting" } },
    { reference: "PW-00000002", purpose: "escalation", delivery: null, outcome: "open", down_at: null },
  ]);
});

test("the history of a threat names who changed what, without addresses", async () => {
  api.threats.changeStatus([id], "resolved", { by });
  const { json } = await api.call("GET", `/v1/threats/${id}/history`, { key: api.key() });
  expect(json.data).toEqual([
    {
      at: expect.stringMatching(/Z$/),
      field: "status",
      before: "active",
      after: "resolved",
      by: { via: "console", name: "kim" },
    },
  ]);
});

test("case and history are as protected as the threat itself", async () => {
  for (const end of ["case", "history"]) {
    const path = `/v1/threats/${id}/${end}`;
    expect((await api.call("GET", path)).status).toBe(401);
    expect((await api.call("GET", path, { key: api.key({ scopes: ["candidates:write"] }) })).status).toBe(
      403,
    );
    expect((await api.call("GET", path, { key: api.key({ domains: ["example-shop.com"] }) })).status).toBe(
      403,
    );
    const unknown = `/v1/threats/thr_01h455vb4pex5vsknk084sn02q/${end}`;
    expect((await api.call("GET", unknown, { key: api.key() })).status).toBe(404);
  }
});
