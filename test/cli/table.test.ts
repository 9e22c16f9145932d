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
  test("a table is aligned, without trailing spaces", () => {
    const rows = [
      { name: "a", count: 5 },
      { name: "longer", count: 1234 },
    ];
    expect(renderTable(columns, rows)).toBe("NAME    COUNT\na           5\nlonger   1234\n");
  });

  test("a table counts terminal columns: wide characters take two, marks none", () => {
    const rows = [
      { name: "銀行", count: 1 },
      { name: "e\u0301", count: 2 },
    ];
    const lines = renderTable(columns, rows).trimEnd().split("\n");
    expect(lines.map((line) => Bun.stringWidth(line))).toEqual([11, 11, 11]);
  });

  test("a table cuts only elastic columns to fit the terminal", () => {
    const rows = [{ name: "x".repeat(50), count: 123_456 }];
    const [, line] = renderTable(columns, rows, 30).split("\n");
    expect(line).toBe(`${"x".repeat(21)}…  123456`);
    expect(renderTable(columns, rows)).toContain("x".repeat(50));
  });

  test("a table stays readable on a terminal that is too narrow", () => {
    const [, line] = renderTable(columns, [{ name: "x".repeat(50), count: 7 }], 5).split("\n");
    expect(line).toStartWith("xxxxxxxxxxx…");
  });

  test("a table escapes hidden characters", () => {
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

test("facts are aligned, and an unknown value is a dash", () => {
  const facts = renderFacts([
    ["id", "x"],
    ["address", null],
    ["count", 3],
  ]);
  expect(facts).toBe("id       x\naddress  –\ncount    3\n");
});
