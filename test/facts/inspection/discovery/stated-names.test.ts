import { expect, test } from "bun:test";
import { statedNames, type StatingPage } from "../../../../src/facts/inspection/discovery/stated-names.ts";

function page(siteName: string, title = "", manifest: string[] = []): StatingPage {
  return { title, names: { siteName, manifest } };
}
const stated = (pages: StatingPage[], dismissed: string[] = []) => statedNames(pages, new Set(dismissed));

test("a name counts if two pages state it, one of them perhaps in its title only, in any spelling", () => {
  expect(stated([page("Zorblatt Bank"), page("ZORBLATT-Bank")])).toEqual(["ZORBLATT-Bank"]);
  expect(stated([page("Zorblatt"), page("", "Sign in | Zorblatt")])).toEqual(["Zorblatt"]);
  expect(stated([page("", "", ["Zorblatt"]), page("", "", ["Zorblatt"])])).toEqual(["Zorblatt"]);
});

test("a name that one page states, or that only titles have, does not count, because an attacker may have changed that page", () => {
  expect(stated([page("Zorblatt", "Zorblatt", ["Zorblatt"]), page("Other", "Sign in")])).toEqual([]);
  expect(stated([page("", "Insurance | Zorblatt"), page("", "Insurance | Zorblatt")])).toEqual([]);
});

test("a name that is dismissed, or that any site could have, does not count", () => {
  const both = (name: string) => [page(name), page(name)];
  expect(stated(both("Zorblatt"), ["zorblatt"])).toEqual([]);
  for (const name of ["Home", "Online Banking", "Sign in", "We are the bank that you always wanted"])
    expect(stated(both(name))).toEqual([]);
});
