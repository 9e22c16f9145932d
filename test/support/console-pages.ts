import type { App } from "../../src/app/app.ts";
import { nameLines } from "../../src/engines/archive/archive.ts";
import type { Actor } from "../../src/access/audit/actor.ts";
import { seedCampaign } from "./console-campaign-samples.ts";
import { seedOriginals } from "./console-original-samples.ts";
import { seedSettings } from "./console-settings-samples.ts";
import { seedTakedowns } from "./console-takedown-samples.ts";
import { seedTraps } from "./console-trap-samples.ts";
import { seedWork } from "./console-work-samples.ts";
import { seedInspections } from "./inspection-samples.ts";
import { seedThreatPages } from "./threat-samples.ts";
import { addSampleThreats } from "./console-threats.ts";

/**
 * All pages of the console. test/web/console/every-page.test.ts checks each of them for accessibility in light and
 * dark mode, for its width at 360 px, and for its size; scripts/screenshots captures them. When you add a page, add
 * a line here, and sample data for it to `seedSamples`, with hostile content among it.
 */
export const consolePages: readonly ConsolePage[] = [
  { name: "sign-in", path: () => "/console/sign-in", signedOut: true },
  { name: "invitation", path: ({ invitation }) => `/console/invitation/${invitation}`, signedOut: true },
  { name: "overview", path: () => "/console" },
  { name: "welcome", path: () => "/console/welcome?step=notify" },
  { name: "threats", path: () => "/console/threats?status=all&sort=similarity&group=none" },
  { name: "threats-grouped", path: () => "/console/threats?status=all" },
  { name: "threats-nothing-found", path: () => "/console/threats?q=nothing-like-this" },
  { name: "threats-gallery", path: () => "/console/threats?sign=receives_mail&look=gallery" },
  { name: "decisions", path: () => "/console/decisions" },
  { name: "decision", path: () => "/console/decisions/1" },
  { name: "domains", path: () => "/console/domains" },
  { name: "domain-new", path: () => "/console/domains/new" },
  { name: "domain", path: () => "/console/domains/example-bank.com" },
  { name: "domain-look-alikes", path: () => "/console/domains/example-shop.com/look-alikes" },
  { name: "originals", path: () => "/console/domains/example-bank.com/originals" },
  {
    name: "original-suggestion",
    path: () => "/console/domains/example-bank.com/originals/suggestions?kind=keyword&value=zorblatt",
  },
  { name: "domain-edit", path: () => "/console/domains/example-shop.com/edit" },
  { name: "domain-remove", path: () => "/console/domains/example-bank.com/remove" },
  { name: "scans", path: () => "/console/scans" },
  { name: "scan", path: ({ scanId }) => `/console/scans/${scanId}` },
  { name: "scan-failed", path: ({ failedScanId }) => `/console/scans/${failedScanId}` },
  { name: "threat", path: ({ threatPages: { known } }) => `/console/threats/${known}` },
  {
    name: "threats-panel",
    path: ({ threatPages: { known } }) => `/console/threats?q=exarnple&open=${known}`,
  },
  { name: "threat-hostile", path: ({ threatPages: { hostile } }) => `/console/threats/${hostile}` },
  { name: "threat-unknown", path: ({ threatPages: { unknown } }) => `/console/threats/${unknown}` },
  { name: "campaigns", path: () => "/console/campaigns" },
  { name: "campaign", path: ({ campaign }) => `/console/campaigns/${campaign}` },
  {
    name: "threat-in-campaign",
    path: ({ campaignThreat }) => `/console/threats/${campaignThreat}`,
  },
  { name: "takedowns", path: () => "/console/takedowns" },
  { name: "takedowns-all", path: () => "/console/takedowns?show=all" },
  { name: "takedown-statistics", path: () => "/console/takedowns/statistics" },
  {
    name: "takedown-new",
    path: ({ threatPages: { known, hostile } }) => `/console/takedowns/new?threat=${known}&threat=${hostile}`,
  },
  {
    name: "takedown-form",
    path: ({ threatPages: { known } }) =>
      `/console/takedowns/new?threat=${known}&recipient=browser_list:https://safebrowsing.google.com/safebrowsing/report_phish/`,
  },
  { name: "takedown", path: ({ bouncedReport }) => `/console/takedowns/${bouncedReport}` },
  { name: "takedown-down", path: ({ downReport }) => `/console/takedowns/${downReport}` },
  { name: "keys", path: () => "/console/settings/keys" },
  { name: "key-create", path: () => "/console/settings/keys/create" },
  { name: "key-revoke", path: ({ keyId }) => `/console/settings/keys/${keyId}/revoke` },
  { name: "notifications", path: () => "/console/settings/notifications" },
  { name: "channel-choose", path: () => "/console/settings/notifications/channels/add" },
  {
    name: "channel-disabled",
    path: ({ disabledChannelId }) => `/console/settings/notifications/channels/${disabledChannelId}`,
  },
  {
    name: "channel-edit",
    path: ({ channelId }) => `/console/settings/notifications/channels/${channelId}/edit`,
  },
  {
    name: "subscription",
    path: ({ subscriptionId }) => `/console/settings/notifications/subscriptions/${subscriptionId}`,
  },
  {
    name: "subscription-edit",
    path: ({ subscriptionId }) => `/console/settings/notifications/subscriptions/${subscriptionId}/edit`,
  },
  { name: "message", path: ({ messageId }) => `/console/settings/notifications/messages/${messageId}` },
  { name: "webhooks", path: () => "/console/settings/webhooks" },
  { name: "webhook-add", path: () => "/console/settings/webhooks/add" },
  { name: "webhook", path: ({ endpointId }) => `/console/settings/webhooks/${endpointId}` },
  {
    name: "webhook-failing",
    path: ({ brokenEndpointId }) => `/console/settings/webhooks/${brokenEndpointId}`,
  },
  {
    name: "webhook-edit",
    path: ({ brokenEndpointId }) => `/console/settings/webhooks/${brokenEndpointId}/edit`,
  },
  { name: "webhook-rotate", path: ({ endpointId }) => `/console/settings/webhooks/${endpointId}/rotate` },
  { name: "webhook-remove", path: ({ endpointId }) => `/console/settings/webhooks/${endpointId}/remove` },
  {
    name: "webhook-replay",
    path: ({ brokenEndpointId }) =>
      `/console/settings/webhooks/${brokenEndpointId}/replay?which=failed&since=`,
  },
  {
    name: "webhook-send-all",
    path: ({ brokenEndpointId }) => `/console/settings/webhooks/${brokenEndpointId}/send-all`,
  },
  { name: "lists", path: () => "/console/settings/lists" },
  { name: "list-add", path: () => "/console/settings/lists/add" },
  { name: "list", path: ({ listId }) => `/console/settings/lists/${listId}` },
  { name: "list-rotate", path: ({ listId }) => `/console/settings/lists/${listId}/rotate` },
  { name: "deliveries", path: () => "/console/settings/webhooks/deliveries" },
  {
    name: "delivery-failed",
    path: ({ failedDeliveryId }) => `/console/settings/webhooks/deliveries/${failedDeliveryId}`,
  },
  { name: "inspections", path: () => "/console/inspections" },
  { name: "inspection", path: ({ inspection }) => `/console/inspections/${inspection}` },
  { name: "sources", path: () => "/console/sources" },
  { name: "source-feed", path: () => "/console/sources/feed/newly-registered" },
  { name: "certificate-logs", path: () => "/console/sources/certificate-logs" },
  { name: "source-paused", path: () => "/console/sources/feed/zone" },
  { name: "source-api-key", path: () => `/console/sources/submission/${encodeURIComponent(hostileText)}` },
  { name: "import", path: ({ importSeq }) => `/console/imports/${importSeq}` },
  { name: "import-running", path: ({ runningImportSeq }) => `/console/imports/${runningImportSeq}` },
  { name: "names", path: () => "/console/names" },
  { name: "names-found", path: () => "/console/names?mode=like&q=example-bank.org" },
  { name: "domain-declared", path: () => "/console/domains/example-declared.com" },
  { name: "beacons", path: () => "/console/beacons" },
  { name: "beacon-new", path: () => "/console/beacons/new" },
  { name: "beacon", path: ({ beaconId }) => `/console/beacons/${beaconId}` },
  {
    name: "beacon-visit",
    path: ({ beaconId, beaconVisit }) => `/console/beacons/${beaconId}/visits/${beaconVisit}`,
  },
  { name: "beacon-delete", path: ({ beaconId }) => `/console/beacons/${beaconId}/delete` },
  { name: "honeytokens", path: () => "/console/honeytokens" },
  { name: "honeytoken-new", path: () => "/console/honeytokens/new" },
  { name: "honeytoken", path: ({ tokenId }) => `/console/honeytokens/${tokenId}` },
  { name: "honeytoken-document", path: ({ documentId }) => `/console/honeytokens/${documentId}` },
  {
    name: "honeytoken-visit",
    path: ({ tokenId, tokenVisit }) => `/console/honeytokens/${tokenId}/visits/${tokenVisit}`,
  },
  { name: "honeytoken-rotate", path: ({ tokenId }) => `/console/honeytokens/${tokenId}/rotate` },
  { name: "users", path: () => "/console/settings/users" },
  { name: "user-invite", path: () => "/console/settings/users/invite" },
  { name: "user", path: ({ userSeq }) => `/console/settings/users/${userSeq}` },
  { name: "user-proxy", path: ({ proxyUserSeq }) => `/console/settings/users/${proxyUserSeq}` },
  {
    name: "user-withdraw",
    path: ({ invitedUserSeq }) => `/console/settings/users/${invitedUserSeq}/withdraw`,
  },
  { name: "account", path: () => "/console/account" },
  { name: "system", path: () => "/console/settings/system" },
  { name: "audit", path: () => "/console/settings/audit" },
  { name: "retention", path: () => "/console/settings/retention" },
  { name: "failed-sign-ins", path: () => "/console/settings/audit/failed-sign-ins" },
  { name: "preferences", path: () => "/console/preferences" },
  { name: "search", path: () => "/console/commands?q=ex" },
  { name: "shortcuts", path: () => "/console/commands/shortcuts" },
  { name: "not-found", path: () => "/console/no-such-page" },
];

export interface ConsolePage {
  /** Name of its screenshot. */
  name: string;
  path: (samples: Samples) => string;
  signedOut?: boolean;
}

/** Ids of the sample data, for addresses. */
export type Samples = Awaited<ReturnType<typeof seedSamples>>;

export const tester: Actor = { channel: "console", name: "admin", address: "192.0.2.7" };

/** Markup, quotes, a bidirectional override, and an invisible character, which pages must render as text. */
export const hostileText = `"><script>alert(1)</script><img src=x onerror=alert(2)>' \u202Egnp.exe\u200B &amp;`;
export const longText = "x".repeat(10_000);

/** Certificate logs whose keys nobody has and whose addresses nobody serves. */
export const sampleLogs = [
  {
    name: "tuscolo2026h2",
    protocol: "static",
    key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3oZMMk1digjOlSu3AIvz37RXnUk6th3TPglSICJif2fJaCu025Vbz/AD65JxEdHpN/7GUUs2FleC8Xb3xcPanA==",
  },
  {
    name: "argon2026h2",
    protocol: "rfc6962",
    key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIxwPpFWuKeci4zqcBQS4kb/N4CLzXZ+8OW/eGNkotuQij0KMsglpP4ysCQihJVOeBYfmMXwhsuBbeurBk+wrw==",
  },
  {
    name: "sphinx2027h1",
    protocol: "rfc6962",
    key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsHAzeGAATLftQI30iG//MGZ0mpmWJVem2sQDLmBDQdJRIzZwnXmvOvPva9Z/z9l/P2y21TsIlMti34a05mlf8g==",
  },
  {
    name: "elephant2026h2",
    protocol: "rfc6962",
    key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAETpX45Eo/z4ksjUcU9Q2od4hQTrAliUOdlbkf8osPffbezXt0PCGuy00d2STy1kD3A4yp5xziWQIeIsX5vlMzcg==",
  },
];

/** Configuration of the appliance with the sample data. */
export const sampleConfig = `
[[protected_domains]]
domain = "example-declared.com"
keywords = ["declaredbrand"]
allow = ["example-declared.net"]
[[feeds]]
name = "newly-registered"
path = "feeds/newly-registered"
[[feeds]]
name = "zone"
path = "feeds/zone.gz"
[certificate_logs]
enabled = true
contact = "soc@example.com"
operators = ["nobody"]
${sampleLogs
  .map(
    ({ name, key, protocol }) =>
      `[[certificate_logs.extra_logs]]\nname = "${name}"\nkey = "${key}"\nprotocol = "${protocol}"\nurl = "http://127.0.0.1:9/${name}/"`,
  )
  .join("\n")}
`;

/** Fills an appliance with the data of a team after some weeks of use. */
export async function seedSamples(app: App) {
  app.domains.add({ domain: "example-bank.com", keywords: ["examplepay"] }, { by: tester });
  const seenAt = Date.now() - 3_600_000;
  const match = (type: "typosquatting" | "homograph", similarity: number) => ({
    protectedDomain: "example-bank.com",
    type,
    similarity,
    reasons: [],
  });
  const [first] = app.threats.record([
    { domain: "examp1e-bank.com", match: match("typosquatting", 0.96), source: "scan", seenAt },
    { domain: "xn--exmple-bank-p8h.com", match: match("homograph", 0.99), source: "feed", seenAt },
  ]);
  app.archive.add(
    nameLines(["examp1e-bank.com", "example-bank.net", "xn--exmple-bank-p8h.com", "weather.example"]),
    {
      source: "feed",
      seenAt,
    },
  );
  const sampleIds = addSampleThreats(app, Date.now());
  decideAndSaveViews(app, sampleIds);
  workOnThreats(app, sampleIds);
  seedOriginals(app, hostileText, longText);
  const threatPages = await seedThreatPages(app, tester, `${hostileText}${longText}`);
  return {
    threatId: first!.threatId,
    threatPages,
    ...seedInspections(app, threatPages.known, `${hostileText}${longText}`),
    ...(await seedCampaign(app, hostileText)),
    ...seedTakedowns(app, threatPages, sampleIds, hostileText),
    ...seedWork(app),
    ...seedSettings(app),
    ...seedTraps(app, first!.threatId),
    ...seedUsers(app),
  };
}

/** Campaigns, assignees, due times near and past, and states of sites. */
function workOnThreats({ database }: App, ids: readonly string[]): void {
  const [first, ...others] = ids.slice(0, 14);
  const set = database.sqlite.prepare(
    `update threats set campaign_seq = (select seq from threats where id = ?),
       assignee_seq = iif(seq % 3 = 0, (select min(seq) from accounts), null),
       due_at = first_seen + (seq % 5) * 43200000, site_state = iif(seq % 4 = 0, 'back', 'up') where id = ?`,
  );
  for (const id of [first!, ...others]) set.run(first!, id);
}

/** Decisions, one of them undone, and saved views, one of them no longer valid. */
function decideAndSaveViews({ threats, savedViews }: App, ids: readonly string[]): void {
  threats.triage.change(ids.slice(60, 75), "false_positive", { by: tester });
  const { batch } = threats.triage.change(ids.slice(75, 77), "resolved", { by: tester });
  threats.triage.undo(batch!, { by: tester });
  threats.triage.change(ids.slice(78, 79), "resolved", { by: tester });
  savedViews.add({ name: '"><b>Urgent</b>', query: "severity=high&verified=yes" }, { by: tester });
  savedViews.add({ name: "Of an earlier version", query: "severity=urgent" }, { by: tester });
}

/** Accounts of each kind: with a password and codes, invited, disabled, of the proxy, with the longest name. */
function seedUsers({ accountManagement, accounts, database }: App) {
  const by = { by: tester };
  const { account: invited, token: invitation } = accountManagement.invite(
    { name: "ina", role: "viewer" },
    by,
  );
  const add = (name: string, values: Parameters<typeof accounts.update>[1]) => {
    const row = {
      name,
      role: "analyst",
      createdAt: Date.now(),
      passwordHash: "none",
      origin: "local",
    } as const;
    const account = accounts.insert(row);
    accounts.update(account.seq, values);
    return account.seq;
  };
  const day = 24 * 3_600_000;
  const userSeq = add("olga.petrova", { codeSecret: "A".repeat(32), lastSignInAt: Date.now() - day });
  add("former", { disabledAt: Date.now() - day });
  const proxyUserSeq = add(`${"very-long-name.".repeat(3)}@example.com`, {
    origin: "proxy",
    passwordHash: null,
    role: "viewer",
    lastSignInAt: Date.now() - 5 * day,
  });
  for (const [seq, userAgent] of [
    [userSeq, "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"],
    [userSeq, hostileText],
  ] as const)
    database.sqlite.run(
      "INSERT INTO console_sessions (hash, account_seq, address, user_agent, created_at, last_seen_at) VALUES (randomblob(32), ?, '192.0.2.7', ?, ?, ?)",
      [seq, userAgent, Date.now() - day, Date.now() - 60_000],
    );
  return { userSeq, invitation, invitedUserSeq: invited.seq, proxyUserSeq };
}
