import type { CostKey, RatioLimit } from "./ratios.ts";

const cost = (step: string, subject: string, quantity: string): CostKey => ({ step, subject, quantity });
const perName = (domains: number) => cost("growth", domains.toLocaleString("en"), "CPU time per name, ns");
const programCpu = (program: string) => cost("programs", program, "CPU time, ms");
const requestCpu = (request: string) => cost("api", request, "CPU time, µs");
const withMost = (request: string) => cost("most threats", "5,000,000 threats", `${request}, ms`);
const withMany = (request: string) => cost("threats", "1,000,000 threats", `${request}, ms`);
const startCpu = (program: string) => cost("start", program, "CPU time, ms");

/**
 * Limits of the regression gate. Each is about a quarter above the ratio that was measured, because ratios vary that much
 * between runs. Change a limit in the commit that changes its ratio.
 */
export const ratioLimits: readonly RatioLimit[] = [
  {
    name: "detection: 100 protected domains / 1",
    of: perName(100),
    to: perName(1),
    kind: "at most",
    limit: 2.4,
  },
  {
    name: "detection: 1,000 protected domains / 100",
    of: perName(1_000),
    to: perName(100),
    kind: "at most",
    limit: 6.5,
  },
  {
    name: "detection: match / grep",
    of: programCpu("phishwatch match"),
    to: programCpu("grep: exact words only"),
    kind: "at most",
    limit: 9,
  },
  {
    name: "detection: match / Aho-Corasick",
    of: programCpu("phishwatch match"),
    to: programCpu("Aho-Corasick: exact words only"),
    kind: "at most",
    limit: 2.6,
    optional: true,
  },
  {
    name: "start: serve / bare",
    of: startCpu("phishwatch"),
    to: startCpu("bare"),
    kind: "at most",
    limit: 15,
  },
  {
    name: "start: first start / serve",
    of: startCpu("phishwatch, first start"),
    to: startCpu("phishwatch"),
    kind: "at most",
    limit: 1.8,
  },
  {
    name: "start: sandbox / bare",
    of: startCpu("sandbox"),
    to: startCpu("bare"),
    kind: "at most",
    limit: 13.5,
  },
  {
    name: "start: match of one name / bare command",
    of: startCpu("match of one name"),
    to: startCpu("bare command"),
    kind: "at most",
    limit: 16,
  },
  {
    name: "start: version / bare command",
    of: startCpu("version"),
    to: startCpu("bare command"),
    kind: "at most",
    limit: 1.3,
  },
  {
    name: "API: get / bare Bun.serve",
    of: requestCpu("get"),
    to: requestCpu("get, bare Bun.serve"),
    kind: "at most",
    limit: 3.3,
  },
  {
    name: "API: get / fastify",
    of: requestCpu("get"),
    to: requestCpu("get, fastify + better-sqlite3"),
    kind: "at most",
    limit: 0.37,
    optional: true,
  },
  {
    name: "API: list / get",
    of: requestCpu("list, page 1"),
    to: requestCpu("get"),
    kind: "at most",
    limit: 3,
  },
  ...["list", "filter", "console list"].map((request) => ({
    name: `${request}: 5,000,000 threats / 1,000,000`,
    of: withMost(request),
    to: withMany(request),
    kind: "at most" as const,
    limit: 1.7,
    optional: true,
  })),
  {
    name: "deliveries: recorded delivery / fetch",
    of: cost("deliveries", "phishwatch, durably recorded, to 25 endpoints", "CPU time, µs"),
    to: cost("fetch loop", "fetch in a loop, nothing recorded", "CPU time, µs"),
    kind: "at most",
    limit: 4.2,
  },
];
