import type { App } from "../../src/app/app.ts";
import { beacon } from "../../src/response/traps/kinds/beacon/beacon.ts";
import { honeytoken } from "../../src/response/traps/kinds/honeytoken/honeytoken.ts";
import { trapVisits, trapVisitTotals } from "../../src/response/traps/visits/tables.ts";
import type { VisitClass } from "../../src/platform/vocabulary/traps.ts";
import { hostileText, longText, tester } from "./console-pages.ts";

const dayMs = 86_400_000;

/** Creates traps like after some weeks of use, with visitors that send hostile text in every header. */
export function seedTraps({ database, traps }: App, threatId: string) {
  const { query } = database;
  const now = Date.now();
  const [beacons, honeytokens] = [traps.of(beacon), traps.of(honeytoken)];
  const signIn = beacons.create(
    {
      protectedDomain: "example-bank.com",
      name: "sign-in page",
      allow: ["partner.example"],
      memo: hostileText,
    },
    { by: tester },
  );
  beacons.create({ protectedDomain: "example-bank.com" }, { by: tester });
  const wiki = honeytokens.create(
    { kind: "url", name: "wiki", memo: "page Passwords in the wiki" },
    { by: tester },
  );
  const salaries = honeytokens.create(
    { kind: "document", name: "salaries", memo: hostileText },
    { by: tester },
  );
  honeytokens.create({ kind: "pixel", expiresAt: now + 1_000 }, { by: tester });

  const visit = (
    trapId: string,
    index: number,
    visitClass: VisitClass,
    more: Partial<typeof trapVisits.$inferInsert>,
  ) => {
    // The last visit is the newest.
    const at = now - Math.floor(((30 - index) ** 2 * dayMs) / 20) - 60_000;
    const row = {
      trapId,
      class: visitClass,
      visitor: `${index}`,
      host: null,
      url: hostileText,
      headers: [],
      firstAt: at,
      lastAt: at,
      count: (index % 5) + 1,
      ipAddress: `192.0.2.${index}`,
      userAgent: index === 1 ? longText.slice(0, 500) : hostileText,
      ...more,
    };
    return query.insert(trapVisits).values(row).returning({ seq: trapVisits.seq }).get().seq;
  };
  const classes: VisitClass[] = ["foreign", "foreign", "local_file", "foreign", "web_archive"];
  const pageVisits = Array.from({ length: 30 }, (_, index) =>
    visit(signIn.id, index, classes[index % 5]!, {
      host: "login.example-bank.top",
      url:
        index % 3 === 0
          ? `https://login.example-bank.top/${longText.slice(0, 1_900)}`
          : `https://evil.top/${index}`,
      referrer: hostileText,
      claimedUrl: index === 0 ? "https://example-bank.com/" : null,
      eventId: index % 5 === 0 ? "evt_01h455vb4pex5vsknk084sn02q" : null,
      threatId: index % 5 === 0 ? threatId : null,
    }),
  );
  const tokenVisits = Array.from({ length: 4 }, (_, index) =>
    visit(wiki.id, index, index === 3 ? "link_preview" : "visit", {
      url: `/t/${wiki.address}/${hostileText}`,
      method: "GET",
      referrer: "https://wiki.example-bank.com/",
      headers: [
        ["user-agent", hostileText],
        ["cookie", "(31 characters, not kept)"],
        ["x-long", longText.slice(0, 2_000)],
      ],
    }),
  );
  const counts: [string, VisitClass, number][] = [
    [signIn.id, "foreign", 61],
    [signIn.id, "own", 120_345],
    [signIn.id, "unknown", 12],
    [signIn.id, "local_file", 18],
    [wiki.id, "visit", 6],
  ];
  for (const [trapId, visitClass, total] of counts)
    query
      .insert(trapVisitTotals)
      .values({ trapId, class: visitClass, total, lastAt: now - 3_600_000 })
      .run();
  return {
    beaconId: signIn.id,
    beaconVisit: pageVisits[0]!,
    tokenId: wiki.id,
    tokenVisit: tokenVisits[0]!,
    documentId: salaries.id,
  };
}
