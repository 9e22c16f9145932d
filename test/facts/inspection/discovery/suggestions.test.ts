import { expect, test } from "bun:test";
import { suggestFrom, type NamedPage } from "../../../../src/facts/inspection/discovery/suggestions.ts";

const declared = { domain: "example-bank.com", keywords: ["examplepay"], allow: ["example-bank.net"] };

function suggest(
  names: Partial<NamedPage["names"]>,
  title = "",
  given: Partial<NamedPage> = {},
  dismissed: string[] = [],
) {
  const page = {
    address: "https://example-bank.com/",
    title,
    names: { manifest: [], certificate: [], redirects: [], elsewhere: [], ...names },
    ...given,
  };
  return suggestFrom([page], declared, new Set(dismissed)).map(
    ({ kind, value, source }) => `${kind} ${value} (${source})`,
  );
}

test("keywords come from the name of the site, the manifest, the ends of the title and the certificate", () => {
  expect(
    suggest(
      { siteName: "Zorblatt Finanz", manifest: ["Quixzar Wallet"], certificate: ["*.vlimpo.com"] },
      "Sign in | Krömpfel",
    ),
  ).toEqual([
    "keyword zorblattfinanz (site_name)",
    "keyword quixzarwallet (manifest)",
    "keyword krompfel (title)",
    "keyword vlimpo (certificate)",
    "allow vlimpo.com (certificate)",
  ]);
});

test("common words, words that contain a known keyword, and dismissed values are not suggested", () => {
  expect(
    suggest({ siteName: "Welcome", manifest: ["Home", "ExamplePay Business"] }, "Online Banking"),
  ).toEqual([]);
  expect(suggest({ siteName: "Zorblatt" }, "", {}, ["keyword zorblatt"])).toEqual([]);
  // The other end of a title with a known name says what the page is for.
  expect(suggest({}, "ExamplePay – Quixzar overview")).toEqual([]);
});

test("names are suggested to be allowed from redirects, and from certificates that are not shared by many owners", () => {
  const redirects = ["example-bank.com", "www.example-bank.net", "start.example-group.com", "co.uk"];
  expect(suggest({ redirects })).toEqual(["allow example-group.com (redirect)"]);
  const many = Array.from({ length: 40 }, (_, index) => `customer-${index}.example`);
  expect(suggest({ certificate: many })).toEqual([]);
  expect(suggest({}, "", { leadsTo: "www.examplebank.io" })).toEqual(["allow examplebank.io (redirect)"]);
});

test("pages on other names are suggested with their role", () => {
  const elsewhere = [{ url: "https://id.example/login", role: "sign_in" as const, text: "Sign in" }];
  expect(suggest({ elsewhere })).toEqual(["page https://id.example/login (link)"]);
});
