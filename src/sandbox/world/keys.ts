import { scopes, type Plan, type Scope } from "../../platform/vocabulary/keys.ts";

/** An API key of every sandbox. It is public and worthless: no other installation accepts it. */
export interface SandboxKey {
  key: string;
  plan: Plan;
  scopes: readonly Scope[];
  /** Empty: all. */
  domains: readonly string[];
  /** Relative to the start of the sandbox's clock; negative: already expired. */
  expiresAfterMs?: number;
  revoked?: boolean;
  /** Permissions of the key, for the table in the documentation. */
  about: string;
}

const hourMs = 3_600_000;
const all = { plan: "enterprise", scopes, domains: [] } as const satisfies Partial<SandboxKey>;
const [read, write, submit] = scopes;

/** Keys by their name in `keys`. They have the regular form, including the checksum. */
export const sandboxKeys = {
  enterprise: {
    ...all,
    key: "pw_enterpriseSandboxKey0000000000001nrPsa",
    about: "everything, no rate limit",
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
    about: "everything, only for example-bank.com",
  },
  expiring: {
    ...all,
    key: "pw_endsSoonSandboxKey000000000000000mkgLM",
    expiresAfterMs: hourMs,
    about: "expires one hour after the start",
  },
  expired: {
    ...all,
    key: "pw_expiredSandboxKey0000000000000000wflLi",
    expiresAfterMs: -hourMs,
    about: "expired one hour before the start: 401",
  },
  revoked: { ...all, key: "pw_revokedSandboxKey0000000000000000ySClv", revoked: true, about: "revoked: 401" },
} as const satisfies Record<string, SandboxKey>;

export type SandboxKeyName = keyof typeof sandboxKeys;
