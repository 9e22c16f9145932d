import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { openConsoleApp, type ConsoleApp } from "../../support/console.ts";
import { addPerson, signInWithoutPassword, type Person } from "../../support/accounts.ts";

const users = "/console/settings/users";
const own = "/console/account";

let opened: ConsoleApp;
let admin: Person;
beforeAll(async () => {
  opened = openConsoleApp();
  admin = await addPerson(opened, { name: "boss", role: "administrator" });
});
afterAll(() => opened.dispose());

/** The code that an authenticator shows (RFC 6238): SHA-1, 6 digits, 30 seconds. */
function codeAt(secret: string, at: number): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Uint8Array.from(bits.match(/.{8}/g)!, (byte) => Number.parseInt(byte, 2));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac("sha1", key).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

const seqOf = (name: string) => opened.app.accounts.byName(name)!.seq;

describe("an administrator", () => {
  test("invites somebody with a link that is shown once, and can create another one or withdraw it", async () => {
    const { location } = await admin.post(`${users}/invite`, { name: "Carol", role: "analyst", days: "7" });
    expect(location).toBe(`${users}/${seqOf("carol")}/link`);
    const shown = await admin.get(location!);
    const link = /data-copy="([^"]*)"/.exec(shown.html)![1]!;
    expect(link).toStartWith(`${opened.app.server.publicUrl}/console/invitation/`);
    expect((await opened.visitor().get(new URL(link).pathname)).text).toContain("Choose a password");
    expect((await admin.get(location!)).location).toBe(`${users}/${seqOf("carol")}`);

    const page = `${users}/${seqOf("carol")}`;
    expect((await admin.get(page)).text).toContain("invited");
    await admin.submit(`${page}/reset`);
    expect((await opened.visitor().get(new URL(link).pathname)).status).toBe(410);
    expect((await admin.submit(`${page}/withdraw`)).text).toContain("The invitation of carol is withdrawn.");
    expect((await admin.get(page)).status).toBe(404);
  });

  test.each([
    [{ name: "", role: "analyst" }, "The name is empty."],
    [{ name: "API key ci", role: "analyst" }, "is not a name of an account."],
    [{ name: "Me", role: "analyst" }, "Me is not a name of an account."],
    [{ name: "boss", role: "analyst" }, "The name boss is taken."],
    [{ name: "dave", role: "root" }, "Choose one of these roles"],
    [{ name: "dave", role: "viewer", days: "1000" }, "Choose one of the listed times."],
  ])("is shown what is wrong with the invitation %j, and nothing is created", async (fields, message) => {
    const { status, text, html } = await admin.post(`${users}/invite`, fields);
    expect([status, text.includes(message)]).toEqual([400, true]);
    expect(/<input [^>]*id="name"[^>]*>/.exec(html)![0]).toContain(fields.name);
    expect(opened.app.accounts.byName("dave")).toBeUndefined();
  });

  test("changes a role, disables an account and ends its sessions, each at once", async () => {
    const eve = await addPerson(opened, { name: "eve", role: "viewer" });
    const page = `${users}/${eve.accountSeq}`;
    expect((await admin.submit(`${page}/role`, { role: "administrator" })).text).toContain(
      "The role of eve is administrator now.",
    );
    expect((await eve.get(users)).text).toContain("eve you");
    expect((await admin.submit(`${page}/end-sessions`)).text).toContain("All sessions of eve have ended.");
    expect((await eve.get(users)).location).toStartWith("/console/sign-in");
    const again = await signInWithoutPassword(opened, eve);
    expect((await again.get(users)).status).toBe(200);
    expect((await admin.submit(`${page}/disable`)).text).toContain("eve is disabled.");
    expect((await again.get(users)).location).toStartWith("/console/sign-in");
    expect((await admin.submit(`${page}/enable`)).text).toContain("eve is enabled.");
    expect((await admin.post(`${users}/${admin.accountSeq}/disable`)).text).toContain(
      "You cannot disable your own account.",
    );
    // Without the proof that the page of the own account asks for, a computer left alone would be enough.
    for (const action of ["reset", "remove-codes"])
      expect((await admin.post(`${users}/${admin.accountSeq}/${action}`)).text).toContain(
        "This is your own account.",
      );
  });

  test("sees the reason why the last administrator with a password keeps the role", async () => {
    const first = seqOf("admin");
    const { status, text } = await admin.post(`${users}/${first}/role`, { role: "viewer" });
    expect([
      status,
      text.includes("This is the last administrator who can sign in with a password."),
    ]).toEqual([400, true]);
    expect(opened.app.accounts.get(first)!.role).toBe("administrator");
  });

  test("finds everything that an account has done", async () => {
    const { html } = await admin.get(`${users}/${admin.accountSeq}`);
    const log = await admin.get(
      /href="(\/console\/settings\/audit[^"]*)"/.exec(html)![1]!.replace("&amp;", "&"),
    );
    expect(log.text).toContain("boss (console)");
    expect(log.text).not.toContain("admin (console)");
  });
});

describe("the own account", () => {
  let fay: Person;
  beforeAll(async () => {
    const { seq } = await opened.app.accountManagement.add(
      { name: "fay", role: "viewer", password: "first long password" },
      { by: { channel: "command_line", name: "root", address: null } },
    );
    fay = await signInWithoutPassword(opened, { name: "fay", role: "viewer", accountSeq: seq });
  });

  test("shows its sessions, of which each other one can be ended, and none of somebody else", async () => {
    const [second, third] = [
      await signInWithoutPassword(opened, fay),
      await signInWithoutPassword(opened, fay),
    ];
    const page = await fay.get(own);
    expect(page.text).toContain("this session");
    const ends = [...page.html.matchAll(/action="([^"]*\/sessions\/\d+\/end)"/g)].map(([, path]) => path!);
    expect(ends.length).toBe(2);
    const isSignedIn = async (person: Person) => (await person.get(own)).status === 200;
    await fay.post(ends[0]!);
    expect([await isSignedIn(second), await isSignedIn(third)].filter(Boolean).length).toBe(1);
    expect((await fay.submit(`${own}/sessions/end-others`)).text).toContain("1 session ended.");
    expect([await isSignedIn(second), await isSignedIn(third), await isSignedIn(fay)]).toEqual([
      false,
      false,
      true,
    ]);

    const { sqlite } = opened.app.database;
    const foreign = sqlite
      .query<{ seq: number }, [number]>("SELECT seq FROM console_sessions WHERE account_seq = ?")
      .get(admin.accountSeq)!;
    expect((await fay.submit(`${own}/sessions/${foreign.seq}/end`)).text).toContain(
      "This session has ended before.",
    );
    expect(await isSignedIn(admin)).toBe(true);
  });

  test("enrolls for one-time codes, which start with a correct code, and shows the recovery codes once", async () => {
    const setup = await fay.submit(`${own}/codes`);
    expect(setup.html).toContain("<svg viewBox");
    const secret = /secret=([A-Z2-7]{32})/.exec(setup.html)![1]!;
    const wrong = codeAt(secret, Date.now() - 3_600_000);
    expect((await fay.post(`${own}/codes/confirm`, { code: wrong })).text).toContain(
      "The code is incorrect.",
    );
    expect(opened.app.accounts.byName("fay")!.hasCodes).toBe(false);
    const codes = await fay.submit(`${own}/codes/confirm`, { code: codeAt(secret, Date.now()) });
    const shown = /data-copy="([^"]*)"/.exec(codes.html)![1]!.split("\n");
    expect(new Set(shown).size).toBe(10);
    expect((await fay.get(`${own}/recovery-codes`)).location).toBe(own);
    expect((await fay.get(own)).text).toContain("10 recovery codes left.");

    expect((await fay.post(`${own}/codes/remove`, { proof: "aaaaaaaaaaaaaa" })).status).toBe(400);
    const renewed = await fay.submit(`${own}/recovery-codes/renew`, { proof: shown[0]! });
    expect(renewed.html).not.toContain(shown[1]!);
    expect((await fay.post(`${own}/codes/remove`, { proof: shown[1]! })).status).toBe(400);
    const [fresh] = /data-copy="([^"]*)"/.exec(renewed.html)![1]!.split("\n");
    expect((await fay.submit(`${own}/codes/remove`, { proof: fresh! })).text).toContain(
      "One-time codes are off.",
    );
  });

  test("changes the password with the current one, which ends the other sessions", async () => {
    const other = await signInWithoutPassword(opened, fay);
    const change = (current: string, password: string, repeated = password) =>
      fay.post(`${own}/password`, { current, password, repeated });
    expect((await change("first long password", "second long one", "another")).text).toContain("differ");
    expect((await change("first long password", "short")).text).toContain("The password is too short.");
    expect((await change("a guess of somebody", "second long password")).text).toContain(
      "The password is incorrect.",
    );
    expect((await other.get(own)).status).toBe(200);
    expect((await change("first long password", "second long password")).location).toBe(own);
    expect((await other.get(own)).location).toStartWith("/console/sign-in");
    expect((await fay.get(own)).status).toBe(200);
  });

  test("of the configured password says where to change it", async () => {
    const first = await signInWithoutPassword(opened, {
      name: "admin",
      role: "administrator",
      accountSeq: seqOf("admin"),
    });
    const page = await first.get(own);
    expect(page.text).toContain("console.password in the configuration file");
    expect(page.html).not.toContain('name="current"');
  });
});
