import { describe, expect, test } from "bun:test";
import { compare, type Condition, type News } from "../../../src/operations/conditions/condition.ts";
import type { StoredCondition } from "../../../src/operations/conditions/tables.ts";

const minuteMs = 60_000;

function condition(changes: Partial<Condition> = {}): Condition {
  return {
    type: "system.source_stopped",
    key: "source feed nrd",
    state: "holds",
    began: { title: "The feed nrd has stopped", text: "The file is missing." },
    ended: { title: "The feed nrd works again", text: "" },
    graceMs: 0,
    ...changes,
  };
}

/** Runs one comparison after another, as the monitor does, and returns the titles that each one sends. */
function sequence(steps: { conditions?: Condition[]; news?: News[]; at: number }[]): string[][] {
  const stored = new Map<string, StoredCondition>();
  return steps.map(({ conditions = [], news = [], at }) => {
    const { save, remove, send } = compare({ stored: [...stored.values()], conditions, news, now: at });
    for (const row of save) stored.set(row.key, row);
    for (const key of remove) stored.delete(key);
    return send.map(({ title }) => title);
  });
}

describe("a condition", () => {
  test("is sent once when it begins and once when it ends", () => {
    const sent = sequence([
      { conditions: [condition()], at: 0 },
      { conditions: [condition()], at: minuteMs },
      { conditions: [condition({ state: "clear" })], at: 2 * minuteMs },
      { conditions: [condition({ state: "clear" })], at: 3 * minuteMs },
    ]);
    expect(sent).toEqual([["The feed nrd has stopped"], [], ["The feed nrd works again"], []]);
  });

  test("that passes within its grace period is never sent, nor is its end", () => {
    const short = condition({ graceMs: 5 * minuteMs });
    const sent = sequence([
      { conditions: [short], at: 0 },
      { conditions: [short], at: 4 * minuteMs },
      { conditions: [{ ...short, state: "clear" }], at: 5 * minuteMs },
      { conditions: [short], at: 6 * minuteMs },
      { conditions: [short], at: 11 * minuteMs },
    ]);
    expect(sent).toEqual([[], [], [], [], ["The feed nrd has stopped"]]);
  });

  test("is sent although the clock was set back since it began", () => {
    const long = condition({ graceMs: 5 * minuteMs });
    const sent = sequence([
      { conditions: [long], at: 60 * minuteMs },
      { conditions: [long], at: 0 },
      { conditions: [long], at: minuteMs },
    ]);
    expect(sent).toEqual([[], ["The feed nrd has stopped"], []]);
  });

  test("stays as it was while nothing is known about it, such as after a restart", () => {
    const sent = sequence([
      { conditions: [condition()], at: 0 },
      { conditions: [condition({ state: "unknown" })], at: 1 },
      { conditions: [condition()], at: 2 },
      { conditions: [condition({ state: "unknown" })], at: 3 },
      { conditions: [condition({ state: "clear" })], at: 4 },
    ]);
    expect(sent).toEqual([["The feed nrd has stopped"], [], [], [], ["The feed nrd works again"]]);
  });

  test("whose subject was removed ends without a message, and begins again if it comes back", () => {
    const sent = sequence([
      { conditions: [condition()], at: 0 },
      { conditions: [], at: 1 },
      { conditions: [condition()], at: 2 },
    ]);
    expect(sent).toEqual([["The feed nrd has stopped"], [], ["The feed nrd has stopped"]]);
  });
});

describe("news", () => {
  const news = (version: string): News => ({
    type: "system.log_list_updated",
    key: "log list builtin",
    version,
    title: `List ${version}`,
    text: "",
  });

  test("are sent once for each new version, but not for the first one", () => {
    const sent = sequence([
      { news: [news("1")], at: 0 },
      { news: [news("1")], at: 1 },
      { news: [news("2")], at: 2 },
      { news: [], at: 3 },
      { news: [news("2")], at: 4 },
      { news: [news("3")], at: 5 },
    ]);
    expect(sent).toEqual([[], [], ["List 2"], [], [], ["List 3"]]);
  });
});
