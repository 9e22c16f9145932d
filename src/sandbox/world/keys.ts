import { scopes, type Plan, type Scope } from "../../vocabulary/keys.ts";

/** A key that every sandbox knows. Public, and worth nothing: no other installation has it. */
export interface SandboxKey {
  key: string;
  plan: Plan;
  scopes: readonly Scope[];
  /** None: all. */
  domains: readonly string[];
  /** From the start of the sandbox's clock; negative: expired from the first. */
  expiresAfterMs?: number;
  revoked?: boolean;
  /** What it is good for, as the README's table says it. */
  about: string;
}

const hourMs = 3_600_000;
const all = { plan: "enterprise", scopes, domains: [] } as const satisfies Partial<SandboxKey>;
const [read, write, submit] = scopes;

/** By the name that they have in `keys`. The strings are of the product's form, checksums included. */
export const sandboxKeys = {
  enterprise: {
    ...all,
    key: "pw_enterpriseSandboxKey0000000000001nrPsa",
    about: "everything, without limit",
  },
  pro: {
    ...all,
    key: "pw_proSandboxKey00000000000000000003lzokz",
    plan: "pro",
    about: "everything, 600 requests a minute",
  },
  free: {
    ...all,
    key: "pw_freeSandboxKey0000000000000000003VnQWN",
    plan: "free",
    about: "everything, 60 requests a minute",
  },
  read: { ...all, key: "pw_readSandboxKey0000000000000000002TcTv5", scopes: [read], about: "reads threats" },
  write: {
    ...all,
    key: "pw_writeSandboxKey0000000000000000038jr7U",
    scopes: [write],
    about: "changes threats",
  },
  submit: {
    ...all,
    key: "pw_submitSandboxKey00000000000000003Aq8IK",
    scopes: [submit],
    about: "submits candidates",
  },
  read_write: {
    ...all,
    key: "pw_readWriteSandboxKey00000000000000JUiK9",
    scopes: [read, write],
    about: "reads and changes threats",
  },
  read_submit: {
    ...all,
    key: "pw_rdSubmitSandboxKey000000000000002EsuMh",
    scopes: [read, submit],
    about: "reads threats, submits candidates",
  },
  write_submit: {
    ...all,
    key: "pw_wrSubmitSandboxKey000000000000000uy1Af",
    scopes: [write, submit],
    about: "changes threats, submits candidates",
  },
  bound: {
    ...all,
    key: "pw_boundSandboxKey000000000000000003je1mL",
    domains: ["example-bank.com"],
    about: "everything, of example-bank.com alone",
  },
  expiring: {
    ...all,
    key: "pw_endsSoonSandboxKey000000000000000mkgLM",
    expiresAfterMs: hourMs,
    about: "expires an hour after the start",
  },
  expired: {
    ...all,
    key: "pw_expiredSandboxKey0000000000000000wflLi",
    expiresAfterMs: -hourMs,
    about: "expired an hour before the start: 401",
  },
  revoked: { ...all, key: "pw_revokedSandboxKey0000000000000000ySClv", revoked: true, about: "revoked: 401" },
} as const satisfies Record<string, SandboxKey>;

export type SandboxKeyName = keyof typeof sandboxKeys;
