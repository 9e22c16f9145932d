import { describe, expect, test } from "bun:test";
import { errorLines, loaded } from "./helper.ts";

/** The error, the file, and each expected line of output without the file's name. */
type Case = [wrong: string, file: string, ...lines: string[]];

function table(cases: Case[]): void {
  for (const [wrong, file, ...lines] of cases)
    test(`${wrong} is the only reported error`, () => expect(errorLines(file)).toEqual(lines));
}

const channel = (rest: string) => `[[channels]]\nname = "c"\n${rest}`;
const subscription = (rest: string) => `[[subscriptions]]\nname = "s"\nchannel = "c"\n${rest}`;

describe("channels", () => {
  table([
    [
      "a Slack channel without an address",
      channel('type = "slack"'),
      '1: channels[0].url: found nothing; expected url for the type "slack"',
    ],
    [
      "a key of another type",
      channel('type = "slack"\nurl = "https://h.example/x"\ntopic = "t"'),
      '5: channels[0].topic: found topic for the type "slack"; expected only url',
    ],
    [
      "a Telegram channel without a chat",
      channel('type = "telegram"\ntoken = "1:a"'),
      '1: channels[0].chat_id: found nothing; expected chat_id for the type "telegram"',
    ],
    [
      "email without a mail server",
      channel('type = "email"\nto = ["soc@example.com"]'),
      '3: channels[0].type: found the type "email" without a mail server; expected smtp.host and smtp.from with it',
    ],
    [
      "an address that would add a header",
      `[smtp]\nhost = "mail.example.com"\nfrom = "p@example.com"\n${channel('type = "email"\nto = ["a@example.com\\r\\nBcc: b@example.com"]')}`,
      '7: channels[0].to[0]: found "a@example.com\\u{d}\\u{a}Bcc: b@example.com"; expected an email address such as "soc@example.com"',
    ],
    [
      "a user name without a password",
      '[smtp]\nusername = "u"',
      "2: smtp.username: found no password beside it; expected both or none",
    ],
    [
      "a mail server without a sender",
      '[smtp]\nhost = "mail.example.com"',
      "1: smtp.from: found nothing; expected the sender's address beside smtp.host",
    ],
    [
      "a mail server with a port",
      '[smtp]\nhost = "mail.example.com:25"\nfrom = "p@example.com"',
      '2: smtp.host: found "mail.example.com:25"; expected a host name or an IP address, without a port',
    ],
  ]);

  test("a channel may have each key that its type accepts", () => {
    const { channels } = loaded(
      channel('type = "ntfy"\nurl = "https://ntfy.example"\ntopic = "t"\ntoken = "tk_x"'),
    );
    expect(channels).toMatchObject([
      { type: "ntfy", url: "https://ntfy.example", topic: "t", token: "tk_x" },
    ]);
  });
});

describe("subscriptions", () => {
  table([
    [
      "a time of day that does not exist",
      subscription('at = "24:00"'),
      '4: subscriptions[0].at: found "24:00"; expected a time such as "08:00"',
    ],
    [
      "a time zone that does not exist",
      subscription('time_zone = "Europe/Atlantis"'),
      '4: subscriptions[0].time_zone: found "Europe/Atlantis"; expected a time zone such as "Europe/Berlin" or "UTC"',
    ],
    [
      "a time zone as an offset",
      subscription('time_zone = "+02:00"'),
      '4: subscriptions[0].time_zone: found "+02:00"; expected a time zone such as "Europe/Berlin" or "UTC"',
    ],
    [
      "quiet hours without an end",
      subscription('quiet_hours = "22:00"'),
      '4: subscriptions[0].quiet_hours: found "22:00"; expected two different times such as "22:00-07:00"',
    ],
    [
      "quiet hours of no length",
      subscription('quiet_hours = "22:00-22:00"'),
      '4: subscriptions[0].quiet_hours: found "22:00-22:00"; expected two different times such as "22:00-07:00"',
    ],
    [
      "an unknown event",
      subscription('events = ["threat.create"]'),
      '4: subscriptions[0].events[0]: found "threat.create"; expected "threat.created", "threat.updated", "threat.resolved", "scan.started", "scan.completed", "beacon.triggered", "token.accessed", "system.source_stopped", "system.endpoint_failing", "system.scan_failed", "system.certificate_expiring", "system.disk_filling", "system.database_failing", "system.backup_failed", "system.reload_failed", "system.log_list_updated" or "system.takedown_attention"; did you mean "threat.created"?',
    ],
    [
      "no event at all",
      subscription("events = []"),
      "4: subscriptions[0].events: found 0 entries; expected at least 1",
    ],
  ]);

  test("times are minutes since midnight, and quiet hours may pass midnight", () => {
    const text = 'at = "07:30"\nquiet_hours = "22:00-07:00"\ntime_zone = "Europe/Berlin"\nweekdays = ["mon"]';
    expect(loaded(subscription(text)).subscriptions).toMatchObject([
      { at: 450, quietHours: { from: 1320, to: 420 }, timeZone: "Europe/Berlin", weekdays: ["mon"] },
    ]);
  });
});

describe("lists", () => {
  const list = (rest: string) => `[[lists]]\n${rest}\ntoken = "${"t".repeat(20)}"`;
  table([
    [
      "a name that is no part of an address",
      list('name = "a b"'),
      '2: lists[0].name: found "a b"; expected a name of 1 to 64 ASCII letters, digits, _ and -, with a letter or digit at both ends',
    ],
    [
      "a token of 19 characters",
      `[[lists]]\nname = "a"\ntoken = "${"t".repeat(19)}"`,
      "3: lists[0].token: found a string of 19 characters; expected 20 to 200 visible ASCII characters",
    ],
  ]);
});
