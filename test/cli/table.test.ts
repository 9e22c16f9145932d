import { describe, expect, test } from "bun:test";
import { cutToWidth, renderFacts, renderTable, type Column } from "../../src/cli/terminal/table.ts";

interface Row {
  name: string;
  count: number;
}
const columns: Column<Row>[] = [
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "COUNT", cell: ({ count }) => String(count), right: true },
];

describe("a table", () => {
  test("is aligned, without blanks at the ends of lines", () => {
    const rows = [
      { name: "a", count: 5 },
      { name: "longer", count: 1234 },
    ];
    expect(renderTable(columns, rows)).toBe("NAME    COUNT\na           5\nlonger   1234\n");
  });

  test("counts columns of the terminal: wide characters take two, marks none", () => {
    const rows = [
      { name: "銀行", count: 1 },
      { name: "e\u0301", count: 2 },
    ];
    const lines = renderTable(columns, rows).trimEnd().split("\n");
    expect(lines.map((line) => Bun.stringWidth(line))).toEqual([11, 11, 11]);
  });

  test("is cut to the width of the terminal where it may be, and nowhere else", () => {
    const rows = [{ name: "x".repeat(50), count: 123_456 }];
    const [, line] = renderTable(columns, rows, 30).split("\n");
    expect(line).toBe(`${"x".repeat(21)}…  123456`);
    expect(renderTable(columns, rows)).toContain("x".repeat(50));
  });

  test("stays readable on a terminal that is too narrow for it", () => {
    const [, line] = renderTable(columns, [{ name: "x".repeat(50), count: 7 }], 5).split("\n");
    expect(line).toStartWith("xxxxxxxxxxx…");
  });

  test("shows hidden characters of what came from outside", () => {
    const table = renderTable(columns, [{ name: "\u202Eevil\u001b[2J\u0007", count: 1 }]);
    expect(table).toContain("\\u{202e}evil\\u{1b}[2J\\u{7}");
  });
});

test.each<[string, number, string]>([
  ["abc", 3, "abc"],
  ["abcd", 3, "ab…"],
  ["銀行銀行", 5, "銀行…"],
  ["銀行銀行", 4, "銀…"],
  ["", 0, ""],
])("%j cut to %i columns is %j", (text, width, expected) => {
  expect(cutToWidth(text, width)).toBe(expected);
});

test("facts are aligned, and what is not known has a dash", () => {
  const facts = renderFacts([
    ["id", "x"],
    ["address", null],
    ["count", 3],
  ]);
  expect(facts).toBe("id       x\naddress  –\ncount    3\n");
});
