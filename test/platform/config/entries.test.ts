import { describe, expect, test } from "bun:test";
import { errorLines } from "./helper.ts";

/** The error, the file, and each expected line of output without the file's name. */
type Case = [wrong: string, file: string, ...lines: string[]];

function table(cases: Case[]): void {
  for (const [wrong, file, ...lines] of cases) {
    test(`${wrong} is the only reported error`, () => expect(errorLines(file)).toEqual(lines));
  }
}

describe("protected domains", () => {
  table([
    [
      "no domain",
      '[[protected_domains]]\nkeywords = ["x1"]',
      '1: protected_domains[0].domain: found nothing; expected a domain, such as "example-bank.com"',
    ],
    [
      "a public suffix without keywords",
      '[[protected_domains]]\ndomain = "co.uk"',
      "1: protected_domains[0].keywords: found none, and co.uk is a public suffix; expected at least one brand keyword by which names that imitate it can be recognized",
    ],
    [
      "a URL",
      '[[protected_domains]]\ndomain = "https://www.example.com/login"',
      '2: protected_domains[0].domain: found "https://www.example.com/login"; expected a domain name with a label before its public suffix, such as example.com; did you mean "www.example.com"?',
    ],
    [
      "an address",
      '[[protected_domains]]\ndomain = "192.0.2.1"',
      '2: protected_domains[0].domain: found "192.0.2.1"; expected a domain name with a label before its public suffix, such as example.com',
    ],
    [
      "a single label",
      '[[protected_domains]]\ndomain = "localhost"',
      '2: protected_domains[0].domain: found "localhost"; expected a domain name with a label before its public suffix, such as example.com',
    ],
    [
      "hidden characters",
      '[[protected_domains]]\ndomain = "exa\\u200bmple.com"',
      '2: protected_domains[0].domain: found "exa\\u{200b}mple.com"; expected a domain name with a label before its public suffix, such as example.com',
    ],
    [
      "the same domain in two forms",
      '[[protected_domains]]\ndomain = "exämple.com"\n[[protected_domains]]\ndomain = "XN--EXMPLE-CUA.com."',
      '4: protected_domains[1].domain: found "xn--exmple-cua.com" a second time (first on line 2); expected a domain that no other entry has',
    ],
    [
      "words and names of one's own",
      '[[protected_domains]]\ndomain = "example.com"\nkeywords = ["x", "two words"]\nallow = ["*.example.org", "com", "example.net"]',
      '3: protected_domains[0].keywords[0]: found "x"; expected a word of 2 to 63 letters, digits and hyphens',
      '3: protected_domains[0].keywords[1]: found "two words"; expected a word of 2 to 63 letters, digits and hyphens',
      '4: protected_domains[0].allow[0]: found "*.example.org"; expected a domain name with a label before its public suffix, such as example.com; did you mean "example.org"?',
      '4: protected_domains[0].allow[1]: found "com"; expected a domain name with a label before its public suffix, such as example.com',
    ],
  ]);
});

describe("feeds", () => {
  table([
    ["no path", '[[feeds]]\nname = "nrd"', "1: feeds[0].path: found nothing; expected either path or url"],
    [
      "an empty path and a bad name",
      '[[feeds]]\nname = "nrd/all"\npath = ""',
      '2: feeds[0].name: found "nrd/all"; expected a name of 1 to 64 ASCII letters, digits, spaces and . _ -',
      "3: feeds[0].path: found nothing; expected either path or url",
    ],
    [
      "the same name twice",
      '[[feeds]]\nname = "nrd"\npath = "a"\n[[feeds]]\nname = "NRD"\npath = "b"',
      '5: feeds[1].name: found "NRD" a second time (first on line 2); expected a name that no other entry has',
    ],
    [
      "a column without columns",
      '[[feeds]]\nname = "nrd"\npath = "a"\nformat = "lines"\ncolumn = "name"',
      '5: feeds[0].column: found a column for the format "lines"; expected a column with csv, jsonl, json or auto only',
    ],
  ]);
});

describe("API keys", () => {
  table([
    [
      "no key",
      '[[api_keys]]\nname = "ci"',
      '1: api_keys[0].key: found nothing; expected 20 to 200 visible ASCII characters as a string, { env = "NAME" }, { file = "path" } or { credential = "name" }; create one with: openssl rand -hex 24',
    ],
    [
      "an empty key",
      '[[api_keys]]\nname = "ci"\nkey = ""',
      '3: api_keys[0].key: found an empty string; expected 20 to 200 visible ASCII characters as a string, { env = "NAME" }, { file = "path" } or { credential = "name" }; create one with: openssl rand -hex 24',
    ],
    [
      "a short key, which is not shown",
      '[[api_keys]]\nname = "ci"\nkey = "opensesame"',
      "3: api_keys[0].key: found a string of 10 characters; expected 20 to 200 visible ASCII characters",
    ],
    [
      "an unknown plan and no scope",
      '[[api_keys]]\nname = "ci"\nkey = "opensesame-opensesame"\nplan = "gold"\nscopes = []',
      '4: api_keys[0].plan: found "gold"; expected "free", "pro" or "enterprise"',
      "5: api_keys[0].scopes: found 0 entries; expected at least 1",
    ],
    [
      "unknown and repeated scopes",
      '[[api_keys]]\nname = "ci"\nkey = "opensesame-opensesame"\nscopes = ["threat:read", "threats:write", "threats:write"]',
      '4: api_keys[0].scopes[0]: found "threat:read"; expected "threats:read", "threats:write" or "candidates:write"; did you mean "threats:read"?',
      '4: api_keys[0].scopes[2]: found "threats:write" a second time; expected each entry once',
    ],
    [
      "a value that is not a domain",
      '[[api_keys]]\nname = "ci"\nkey = "opensesame-opensesame"\ndomains = ["example"]',
      '4: api_keys[0].domains[0]: found "example"; expected a domain name with a label before its public suffix, such as example.com',
    ],
    [
      "the same name and the same key twice",
      '[[api_keys]]\nname = "ci"\nkey = "opensesame-opensesame"\n[[api_keys]]\nname = "ci"\nkey = "opensesame-opensesame"',
      '5: api_keys[1].name: found "ci" a second time (first on line 2); expected a name that no other entry has',
      "6: api_keys[1].key: found the key of the entry on line 1; expected a key of its own for each entry",
    ],
  ]);
});

describe("webhook endpoints", () => {
  table([
    [
      "no secret",
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "https://soc.example/"',
      '1: webhooks.endpoints[0].secret: found nothing; expected 16 to 200 visible ASCII characters as a string, { env = "NAME" }, { file = "path" } or { credential = "name" }; create one with: echo "whsec_$(openssl rand -base64 32)"',
    ],
    [
      "plain HTTP, whose path is not shown",
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "http://soc.example/hooks/T0K3N"\nsecret = "opensesame-opensesame"',
      '3: webhooks.endpoints[0].url: found "http://soc.example/…"; expected an https:// address, or webhooks.allow_http = true',
    ],
    [
      "a user name in the address",
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "https://user:opensesame@soc.example/"\nsecret = "opensesame-opensesame"',
      "3: webhooks.endpoints[0].url: found an address with a user name or password; expected an address without them",
    ],
    [
      "a fragment in the address",
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "https://soc.example/#a"\nsecret = "opensesame-opensesame"',
      "3: webhooks.endpoints[0].url: found an address with a #fragment; expected an address without it",
    ],
    [
      "no address, which is not shown",
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "soc.example/hooks/T0K3N"\nsecret = "opensesame-opensesame"',
      "3: webhooks.endpoints[0].url: found a string of 23 characters that is no such address; expected an https:// address of at most 2000 ASCII characters",
    ],
    [
      "a prefix without base64",
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "https://soc.example/"\nsecret = "whsec_opensesame!"',
      "4: webhooks.endpoints[0].secret: found whsec_ and no base64 after it; expected base64 after whsec_, or a secret without that prefix",
    ],
    [
      "a blank in a secret",
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "https://soc.example/"\nsecret = "open sesame open sesame"',
      "4: webhooks.endpoints[0].secret: found a string with a blank or other unfit character; expected 16 to 200 visible ASCII characters",
    ],
    [
      "unknown events",
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "https://soc.example/"\nsecret = "opensesame-opensesame"\nevents = ["threat.create", "scan.*"]',
      '5: webhooks.endpoints[0].events[0]: found "threat.create"; expected "threat.created", "threat.updated", "threat.resolved", "scan.started", "scan.completed", "beacon.triggered" or "token.accessed"; did you mean "threat.created"?',
      '5: webhooks.endpoints[0].events[1]: found "scan.*"; expected "threat.created", "threat.updated", "threat.resolved", "scan.started", "scan.completed", "beacon.triggered" or "token.accessed"',
    ],
    [
      "the same name twice",
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "https://a.example/"\nsecret = "opensesame-opensesame"\n[[webhooks.endpoints]]\nname = "soc"\nurl = "https://b.example/"\nsecret = "opensesame-opensesame"',
      '6: webhooks.endpoints[1].name: found "soc" a second time (first on line 2); expected a name that no other entry has',
    ],
  ]);
});
