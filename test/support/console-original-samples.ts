import type { App } from "../../src/app/app.ts";
import { fingerprintOf } from "../../src/facts/inspection/comparison/fingerprint.ts";
import { createOriginalStore } from "../../src/facts/inspection/originals/store.ts";
import { viewOf } from "../facts/inspection/comparison/support.ts";

/** Original pages of a domain in each state, with hostile titles and suggestions, and a logo. */
export function seedOriginals({ database, domains }: App, hostileText: string, longText: string): void {
  const store = createOriginalStore(database);
  const { seq } = domains.find("example-bank.com")!;
  const now = Date.now();
  const add = (path: string, role: "home" | "sign_in" | "payment") =>
    store.insert({
      protectedDomainSeq: seq,
      address: `https://example-bank.com${path}`,
      role,
      chosenBy: role === "payment" ? "person" : "discovery",
      enabled: true,
      createdAt: now - 90_000_000,
      dueAt: now + 3_600_000,
    }).seq;
  const addVersion = (originalSeq: number, title: string, state: "accepted" | "waiting" | "rejected") =>
    store.insertVersion({
      originalSeq,
      state,
      firstSeenAt: now - 80_000_000,
      lastSeenAt: now - 3_600_000,
      sightings: 1,
      acceptedAt: state === "accepted" ? now : null,
      fingerprint: fingerprintOf(viewOf({ title: title.slice(0, 300) })),
      names: {
        siteName: "Zorblatt",
        manifest: [],
        certificate: ["www.example-group.com"],
        redirects: [],
        elsewhere: [
          { url: `https://id.example/login?x=${"y".repeat(200)}`, role: "sign_in", text: hostileText },
        ],
      },
      changes: ["title", "structure"],
      secure: title !== longText,
      hasScreenshot: false,
    });
  const home = add("/", "home");
  addVersion(home, hostileText, "accepted");
  addVersion(home, longText, "waiting");
  addVersion(home, "Rejected", "rejected");
  store.update(home, { capturedAt: now - 3_600_000 });
  addVersion(add("/login", "sign_in"), longText, "accepted");
  const failing = add(`/${"pay".repeat(100)}`, "payment");
  store.update(failing, {
    failures: 3,
    failingSince: now - 80_000_000,
    problem: { code: "unreachable", detail: hostileText },
  });
  const image = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  store.insertLogo({
    protectedDomainSeq: seq,
    name: hostileText.slice(0, 60),
    image,
    sha256: "0".repeat(64),
    hash: "0123456789abcdef",
    width: 1,
    height: 1,
    addedAt: now,
    addedBy: "admin",
  });
}
