import { expect, test } from "bun:test";
import { cut } from "../../../src/messaging/content/cut.ts";
import { defangName, defangText } from "../../../src/messaging/content/defang.ts";

test("a defanged name has all dots in brackets, and its hidden characters are visible", () => {
  expect(defangName("login.examp1e-bank.com")).toBe("login[.]examp1e-bank[.]com");
  expect(defangName("exam\u3002ple\uff0ecom")).toBe("exam[.]ple[.]com");
  expect(defangName("ex\u202eample.com")).toBe("ex\\u{202e}ample[.]com");
});

test("a name in a DNS record that is no host name is defanged like any text", () => {
  expect(defangName("https://2130706433/a")).toBe("hxxps[:]//2130706433/a");
  expect(defangName("@everyone.example")).toBe("[at]everyone[.]example");
});

const texts: [given: string, defanged: string][] = [
  ["Example Bank - Log in", "Example Bank - Log in"],
  ["Log in at https://evil.example/a?b=c", "Log in at hxxps[:]//evil[.]example/a?b=c"],
  ["HTTP://EVIL.example", "HXXP[:]//EVIL[.]example"],
  ["hhttpttp://evil.example", "hhttpttp[:]//evil[.]example"],
  ["ftp://evil.example", "ftp[:]//evil[.]example"],
  ["javascript:alert(1)", "javascript[:]alert(1)"],
  ["www.evil.example, 192.0.2.1 and v2.5", "www[.]evil[.]example, 192[.]0[.]2[.]1 and v2.5"],
  ["costs 2.50 a month. Really.", "costs 2.50 a month. Really."],
  ["write to info@evil.example", "write to info[at]evil[.]example"],
  ["@everyone <@123> @channel", "[at]everyone <[at]123> [at]channel"],
  ["a\r\nBcc: x\n\n\tb", "a Bcc: x b"],
  ["\\\\evil\\share", "[\\\\]evil\\share"],
  ["b\u00fccher.\u0434\u043e\u043c", "b\u00fccher[.]\u0434\u043e\u043c"],
  ["\u2603.example and evil\u200d.example", "\u2603[.]example and evil\\u{200d}[.]example"],
  [`Z${"\u0337".repeat(99)}!`, `Z${"\u0337".repeat(4)}!`],
  [
    "evil\u2024example evil\ufe52example 192\u30020\uff0e2\uff611",
    "evil[.]example evil[.]example 192[.]0[.]2[.]1",
  ],
  ["zero\u200bwidth", "zero\\u{200b}width"],
];
test.each(texts)("defanging %p leaves nothing that a client makes a link or a mention", (given, defanged) => {
  expect(defangText(given)).toBe(defanged);
});

test("defanged text is no longer than the limit, however much an attacker wrote", () => {
  expect(defangText("a.b".repeat(100_000), 200)).toHaveLength(200);
});

test("a text is cut between characters, with an ellipsis", () => {
  expect(cut("abcdef", 6)).toBe("abcdef");
  expect(cut("abcdefg", 6)).toBe("abcde…");
  expect(cut("ab 😀😀", 5)).toBe("ab…");
  expect(cut("e\u0301e\u0301e\u0301", 4)).toBe("e\u0301…");
  expect(cut(`a${"\u0301".repeat(50)}`, 4).isWellFormed()).toBe(true);
  expect(cut("😀".repeat(9), 4)).toBe("😀…");
  expect(cut("abc", 0)).toBe("");
});
