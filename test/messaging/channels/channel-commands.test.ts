import { afterAll, beforeAll, expect, test } from "bun:test";
import PostalMime from "postal-mime";
import { commandFolder, defaultConfig, type CommandFolder } from "../../support/command-line.ts";
import { mailAuthority, startMailServer } from "../../support/mail-server.ts";

// Administers channels from the shell: each command is a process of its own.

const unknown = "nobody@example.com";
let mail: Awaited<ReturnType<typeof startMailServer>>;
let folder: CommandFolder;

beforeAll(async () => {
  mail = await startMailServer({
    login: { username: "phishwatch", password: "correct horse" },
    rejectRecipient: (address) =>
      address === unknown ? { code: 550, text: "5.1.1 no such user" } : undefined,
  });
  const { port, from } = mail.settings;
  folder = commandFolder(`${defaultConfig}
[smtp]
host = "127.0.0.1"
port = ${port}
username = "phishwatch"
password = "correct horse"
from = "${from}"
ca_file = "ca.pem"
[[channels]]
name = "declared"
type = "email"
to = ["${unknown}"]
[[subscriptions]]
name = "shop"
channel = "declared"
protected_domains = ["example-shop.com"]
`);
  folder.file("ca.pem", mailAuthority);
});
afterAll(async () => {
  folder.dispose();
  await mail.stop();
});

const channels = (args: string[], stdin?: string) =>
  folder.run(["channels", ...args], stdin === undefined ? {} : { stdin });

test("channels are added with secrets from files, tested, shown without secrets, and removed", async () => {
  const secret = "https://hooks.slack.com/services/T0000/B0000/a-very-secret-part";
  const slack = await channels(
    ["add", "team-chat", "--type", "slack", "--url-file", "-", "--json"],
    `${secret}\n`,
  );
  expect(slack).toMatchObject({ code: 0, err: "" });
  const email = await channels(["add", "soc", "--type", "email", "--to", "soc@example.com", "--test"]);
  expect(email.err).toMatch(/^added soc \(chn_\w+\); 'phishwatch subscriptions add NAME --channel soc' says/);
  expect(email.out).toMatch(/^sent in \d+ ms; response: 250 /);
  const odd = await channels(["add", "soc; touch owned #", "--type", "email", "--to", "soc@example.com"]);
  expect(odd.err).toContain(`--channel soc\\;\\ touch\\ owned\\ \\#' says`);
  expect((await channels(["remove", "soc; touch owned #"])).code).toBe(0);
  const [sent, ...others] = mail.mails;
  expect(others).toEqual([]);
  expect(sent).toMatchObject({ to: ["soc@example.com"], encrypted: true, user: "phishwatch" });
  expect((await PostalMime.parse(sent!.raw)).subject).toBe("Test message from phishwatch");
  await folder.run(["subscriptions", "add", "urgent", "--channel", "soc"]);
  const [list, show, gone] = [
    await channels(["list"]),
    await channels(["show", "team-chat", "--json"]),
    await channels(["remove", "soc"]),
  ];
  expect(JSON.parse(show.out)).toMatchObject({
    name: "team-chat",
    type: "slack",
    target: { url: "https://hooks.slack.com/…" },
    state: "enabled",
    subscriptions: [],
    origin: "runtime",
  });
  expect(list.out).toContain("soc@example.com");
  expect(gone).toMatchObject({
    code: 0,
    err: expect.stringContaining("and with it the subscription urgent"),
  });
  expect(JSON.stringify([slack, email, list, show, gone])).not.toContain("very-secret");
});

test("a test message that fails says what to change, and a declared channel is changed in the file only", async () => {
  const failed = await channels(["test", "declared"]);
  expect(failed.code).toBe(1);
  expect(failed.err).toContain("550 5.1.1 no such user");
  expect(failed.err).toContain("Check the recipients of the channel");
  const other = await channels(["deliveries", "--channel", "nobody"]);
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining("there is no channel nobody") });
  const changed = await channels(["change", "declared", "--to", "soc@example.com"]);
  expect(changed).toMatchObject({ code: 1, err: expect.stringContaining("change it there") });
});

test("a check signs in to the mail server without sending anything, and warns of what would reach nobody", async () => {
  const before = mail.mails.length;
  const { out } = await folder.run(["check", "--json"]);
  const results = out
    .split("\n")
    .filter((line) => /"(mail server|server\.|channel|subscription) ?/.test(line));
  expect(results.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { what: "subscription shop", state: "warning", detail: expect.stringContaining("example-shop.com") },
    { what: `mail server 127.0.0.1:${mail.settings.port}`, state: "ok", detail: "connected and signed in" },
    { what: "server.public_url", state: "warning", detail: expect.stringContaining("only this machine") },
    { what: "channel declared", state: "ok", detail: "Email" },
    { what: "channel team-chat", state: "warning", detail: expect.stringContaining("is sent nothing") },
  ]);
  expect(mail.mails).toHaveLength(before);
});
