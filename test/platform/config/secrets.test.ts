import { describe, expect, test } from "bun:test";
import { formatConfigError } from "../../../src/platform/config/load.ts";
import { errorLines, load, loaded } from "./helper.ts";

const endpoint = (secret: string) =>
  `[[webhooks.endpoints]]\nname = "soc"\nurl = "https://soc.example/"\nsecret = ${secret}`;

describe("a secret is taken from", () => {
  test("the configuration file", () => {
    const config = loaded(
      '[console]\npassword = "pass phrase ü"\n[server]\nmetrics_token = "0123456789abcdef"',
    );
    expect(config.console.password).toBe("pass phrase ü");
    expect(config.server.metricsToken).toBe("0123456789abcdef");
  });

  test("the environment", () => {
    const env = { SOC_SECRET: "opensesame-opensesame", OTHER: "x".repeat(40) };
    const config = loaded(endpoint('{ env = "SOC_SECRET" }'), { env });
    expect(config.webhooks.endpoints[0]?.secret).toBe("opensesame-opensesame");
  });

  test("another file, without its trailing line break", () => {
    for (const [content, secret] of [
      ["opensesame-opensesame", "opensesame-opensesame"],
      ["opensesame-opensesame\n", "opensesame-opensesame"],
      ["opensesame-opensesame\r\n", "opensesame-opensesame"],
      [new TextEncoder().encode("opensesame-opensesame\n"), "opensesame-opensesame"],
    ] as const) {
      const files = { "/etc/phishwatch/secrets/soc": content };
      const config = loaded(endpoint('{ file = "secrets/soc" }'), { files });
      expect(config.webhooks.endpoints[0]?.secret).toBe(secret);
    }
  });

  test("a credential of systemd, in a command of a person from the folder of the running service", () => {
    const secret = "opensesame-opensesame";
    const read = (env: Record<string, string>, folder: string) =>
      loaded(endpoint('{ credential = "soc.secret" }'), {
        env,
        files: { [`${folder}/soc.secret`]: `${secret}\n` },
      }).webhooks.endpoints[0]?.secret;
    expect(read({ CREDENTIALS_DIRECTORY: "/run/credentials/other" }, "/run/credentials/other")).toBe(secret);
    expect(read({}, "/run/credentials/phishwatch.service")).toBe(secret);
  });

  test("a table or an inline table", () => {
    const config = loaded('[console.password]\nenv = "PASSWORD"', { env: { PASSWORD: "correct horse" } });
    expect(config.console.password).toBe("correct horse");
  });
});

describe("an unset secret", () => {
  test("an optional secret is null when it is not set", () => {
    const config = loaded('[console]\npassword = ""\n[server]\nmetrics_token = ""');
    expect([config.console.password, config.server.metricsToken]).toEqual([null, null]);
  });
});

describe("an invalid secret is reported", () => {
  const cases: [what: string, secret: string, line: string][] = [
    [
      "an unset variable",
      '{ env = "NOPE" }',
      "found the environment variable NOPE, which is not set; expected NOPE to be set",
    ],
    [
      "an empty variable",
      '{ env = "EMPTY" }',
      "found the environment variable EMPTY, which is empty; expected 16 to 200 visible ASCII characters",
    ],
    [
      "a variable whose value is too short",
      '{ env = "SHORT" }',
      "found the environment variable SHORT of 5 characters; expected 16 to 200 visible ASCII characters",
    ],
    [
      "a secret where a variable's name belongs",
      '{ env = "opensesame-opensesame" }',
      "found a string of 21 characters; expected the name of an environment variable",
    ],
    [
      "a key where a variable's name belongs",
      '{ env = "pw_0123456789abcdef" }',
      "found a string of 19 characters; expected the name of an environment variable",
    ],
    [
      "a file that is not there",
      '{ file = "nope" }',
      "found the file nope, which does not exist; expected a file that phishwatch may read",
    ],
    [
      "a credential that is not there",
      '{ credential = "nope" }',
      "found the credential nope, which does not exist; expected LoadCredential=nope:… in the unit of the service",
    ],
    [
      "a credential's name that leaves its folder",
      '{ credential = "../long" }',
      "found a string of 7 characters; expected the name of a credential: up to 100 letters, digits and _ . -",
    ],
    [
      "an empty file",
      '{ file = "empty" }',
      "found the file empty, which is empty; expected 16 to 200 visible ASCII characters",
    ],
    [
      "a file of two lines",
      '{ file = "lines" }',
      "found the file lines with a blank or other unfit character; expected 16 to 200 visible ASCII characters",
    ],
    [
      "a file that is too long",
      '{ file = "long" }',
      "found the file long of 201 characters; expected 16 to 200 visible ASCII characters",
    ],
    [
      "a misspelled reference",
      '{ evn = "SHORT" }',
      'found a table with evn; expected a string, { env = "NAME" }, { file = "path" } or { credential = "name" }',
    ],
    [
      "two references",
      '{ env = "A", file = "b" }',
      'found a table with env, file; expected a string, { env = "NAME" }, { file = "path" } or { credential = "name" }',
    ],
    [
      "no reference",
      "{}",
      'found an empty table; expected a string, { env = "NAME" }, { file = "path" } or { credential = "name" }',
    ],
    ["a reference that is no string", "{ env = 1 }", "found a number; expected a string after env ="],
    ["an empty reference", '{ file = "" }', "found an empty string; expected a string after file ="],
    [
      "a number",
      "1234567890123456",
      'found a number; expected a string, { env = "NAME" }, { file = "path" } or { credential = "name" }',
    ],
    [
      "an array",
      '["opensesame"]',
      'found an array; expected a string, { env = "NAME" }, { file = "path" } or { credential = "name" }',
    ],
  ];
  const env = { EMPTY: "", SHORT: "short" };
  const files = {
    "/etc/phishwatch/empty": "\n",
    "/etc/phishwatch/lines": "opensesame-opensesame\nopensesame\n",
    "/etc/phishwatch/long": "x".repeat(201),
  };
  for (const [what, secret, line] of cases) {
    test(what, () => {
      const expected = [`4: webhooks.endpoints[0].secret: ${line}`];
      expect(errorLines(endpoint(secret), { env, files })).toEqual(expected);
    });
  }

  test("a file that may not be read", () => {
    const expected =
      "found the file /run/soc, which cannot be read; expected a file that phishwatch may read";
    expect(errorLines(endpoint('{ file = "/run/soc" }'), { files: { "/run/soc": null } })).toEqual([
      `4: webhooks.endpoints[0].secret: ${expected}`,
    ]);
  });
});

test("no error message shows a secret, whatever its position and the error", () => {
  const secret = "hunter2-Hunter2";
  const places = [
    `[console]\npassword = "${secret}\\u0007"`,
    `[console]\npassword = ["${secret}"]`,
    `[console]\npassword = { text = "${secret}" }`,
    `[console]\npassword = { env = "${secret}" }`,
    `[console]\npasswort = "${secret}"`,
    `console = "${secret}"`,
    `console = ["${secret}"]`,
    `[console]\npassword = ${secret}`,
    `[console]\npassword = "${secret}`,
    `[server]\nmetrics_token = "${secret} "`,
    `[[api_keys]]\nname = "a"\nkey = "${secret}"`,
    `[[api_keys]]\nname = "a"\nkey = "${secret}-${secret}"\n[[api_keys]]\nname = "b"\nkey = "${secret}-${secret}"`,
    `api_keys = ["${secret}"]`,
    endpoint(`"whsec_${secret}"`),
    `[[webhooks.endpoints]]\nname = "a"\nurl = "https://user:${secret}@soc.example/"\nsecret = ""`,
    `[[webhooks.endpoints]]\nname = "a"\nurl = "http://soc.example/${secret}"\nsecret = ""`,
    `[[webhooks.endpoints]]\nname = "a"\nurl = "soc.example/${secret}"\nsecret = ""`,
    `webhooks.endpoints = "https://soc.example/${secret}"`,
  ];
  for (const text of places) {
    const result = load(text);
    if (result.ok) throw new Error(`no error in: ${text}`);
    expect(result.errors.map(formatConfigError).join("\n")).not.toContain("unter2");
  }
});
