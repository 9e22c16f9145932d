// Made from the OpenAPI documents by scripts/generate-client.ts. Copy it into a project of yours: it needs nothing.

/** A threat, as the list shows it. */
export type ThreatListItem = {
  /** Identifier of the threat: a TypeID. */
  id: string;
  /** The suspicious domain, in lower case and A-label form. */
  domain: string;
  /** The protected domain that is imitated. */
  protected_domain: string;
  /** Kind of imitation; where several fit, the most specific one. */
  type:
    | "typosquatting"
    | "bitsquatting"
    | "homograph"
    | "combosquatting"
    | "levelsquatting"
    | "tld_squatting"
    | "doppelganger"
    | "soundsquatting"
    | "cloned_site";
  /** What is thought of the threat. */
  status: "active" | "resolved" | "false_positive";
  /** How urgent it is. */
  severity: "high" | "medium" | "low";
  /** How close the name is to the protected one, with at most four decimals; 1 cannot be told apart. */
  similarity: number;
  /** How it was detected. */
  source: "scan" | "certificate_transparency" | "feed" | "submission" | "beacon";
  /** The earliest time at which any source saw the name. */
  first_seen: string;
  /** A picture of the site, or one that says why there is none. Opens without an API key; cannot be guessed. */
  screenshot_url: string;
};

/** A threat with all that is known of it. */
export type ThreatDetail = {
  /** Identifier of the threat: a TypeID. */
  id: string;
  /** The suspicious domain, in lower case and A-label form. */
  domain: string;
  /** The protected domain that is imitated. */
  protected_domain: string;
  /** Kind of imitation; where several fit, the most specific one. */
  type:
    | "typosquatting"
    | "bitsquatting"
    | "homograph"
    | "combosquatting"
    | "levelsquatting"
    | "tld_squatting"
    | "doppelganger"
    | "soundsquatting"
    | "cloned_site";
  /** What is thought of the threat. */
  status: "active" | "resolved" | "false_positive";
  /** How urgent it is. */
  severity: "high" | "medium" | "low";
  /** How close the name is to the protected one, with at most four decimals; 1 cannot be told apart. */
  similarity: number;
  /** How it was detected. */
  source: "scan" | "certificate_transparency" | "feed" | "submission" | "beacon";
  /** When the record was written. */
  created_at: string;
  /** A picture of the site, or one that says why there is none. Opens without an API key; cannot be guessed. */
  screenshot_url: string;
  ip_address: string | null;
  registrar: string | null;
  /** Registration data. A key is present only when its value is known. */
  whois: {
    /** Where the data came from. */
    source?: "rdap" | "whois";
    registrar?: string;
    registrar_iana_id?: string;
    registrant_organization?: string;
    registrant_country?: string;
    /** When the domain was registered. */
    created_at?: string;
    /** When the registration was last changed. */
    updated_at?: string;
    /** When the registration ends. */
    expires_at?: string;
    name_servers?: string[];
    status?: string[];
    dnssec?: boolean;
    abuse_email?: string;
    abuse_phone?: string;
    /** When this was looked up. */
    fetched_at?: string;
  };
};

export type PageMeta = {
  /** Threats that match the filter, exactly. */
  total: number;
  /** This page. */
  page: number;
  /** Threats on a page. */
  per_page: number;
};

export type BatchItem = {
  /** As it was sent. */
  id: string;
  /** What became of it. */
  outcome: "updated" | "unchanged" | "not_found" | "forbidden";
  /** The status it has now; absent when not found or forbidden. */
  status?: "active" | "resolved" | "false_positive";
};

export type BatchMeta = {
  /** Threats whose status changed. */
  updated: number;
  /** Threats that had the status already. */
  unchanged: number;
  /** Identifiers of no threat. */
  not_found: number;
  /** Threats that this key may not touch. */
  forbidden: number;
};

export type CandidateResult = {
  /** The name, in lower case and A-label form. */
  domain: string;
  /** One for each protected domain that it imitates. */
  matches: {
    /** Identifier of the threat: a TypeID. */
    threat_id: string;
    /** The protected domain that is imitated. */
    protected_domain: string;
    /** Kind of imitation; where several fit, the most specific one. */
    type:
      | "typosquatting"
      | "bitsquatting"
      | "homograph"
      | "combosquatting"
      | "levelsquatting"
      | "tld_squatting"
      | "doppelganger"
      | "soundsquatting"
      | "cloned_site";
    /** How close the name is to the protected one, with at most four decimals; 1 cannot be told apart. */
    similarity: number;
    /** Whether the threat is new. */
    outcome: "created" | "known";
  }[];
};

export type CandidateMeta = {
  /** Names that were handed in. */
  received: number;
  /** Names that are no host names. */
  invalid: number;
  /** Names that imitate a protected domain. */
  matched: number;
  /** Threats that are new. */
  created: number;
};

/** Why a request was refused. */
export type Error = {
  error: {
    /** Stable, for programs. */
    code:
      "bad_request" | "unauthorized" | "forbidden" | "not_found" | "rate_limit_exceeded" | "internal_error";
    /** What to change, for people. */
    message: string;
  };
};

/** Bodies of deliveries, by event type. */
export interface Events {
  /** A new threat is on record. */
  "threat.created": {
    /** Identifier of the event: the same in every attempt. */
    id: string;
    type: "threat.created";
    /** When it happened. */
    created_at: string;
    data: {
      threat: {
        /** Identifier of the threat: a TypeID. */
        id: string;
        /** The suspicious domain, in lower case and A-label form. */
        domain: string;
        /** Kind of imitation; where several fit, the most specific one. */
        type:
          | "typosquatting"
          | "bitsquatting"
          | "homograph"
          | "combosquatting"
          | "levelsquatting"
          | "tld_squatting"
          | "doppelganger"
          | "soundsquatting"
          | "cloned_site";
        /** How urgent it is. */
        severity: "high" | "medium" | "low";
        /** How close the name is to the protected one, with at most four decimals; 1 cannot be told apart. */
        similarity: number;
      };
    };
  };
  /** A threat's status changed, from anywhere. */
  "threat.updated": {
    /** Identifier of the event: the same in every attempt. */
    id: string;
    type: "threat.updated";
    /** When it happened. */
    created_at: string;
    data: {
      threat: {
        /** Identifier of the threat: a TypeID. */
        id: string;
        /** The suspicious domain, in lower case and A-label form. */
        domain: string;
        /** The protected domain that is imitated. */
        protected_domain: string;
        /** Kind of imitation; where several fit, the most specific one. */
        type:
          | "typosquatting"
          | "bitsquatting"
          | "homograph"
          | "combosquatting"
          | "levelsquatting"
          | "tld_squatting"
          | "doppelganger"
          | "soundsquatting"
          | "cloned_site";
        /** How urgent it is. */
        severity: "high" | "medium" | "low";
        /** How close the name is to the protected one, with at most four decimals; 1 cannot be told apart. */
        similarity: number;
        /** What is thought of the threat. */
        status: "active" | "resolved" | "false_positive";
      };
      /** The status before. */
      previous_status: "active" | "resolved" | "false_positive";
    };
  };
  /** A threat was resolved; comes after its threat.updated. */
  "threat.resolved": {
    /** Identifier of the event: the same in every attempt. */
    id: string;
    type: "threat.resolved";
    /** When it happened. */
    created_at: string;
    data: {
      threat: {
        /** Identifier of the threat: a TypeID. */
        id: string;
        /** The suspicious domain, in lower case and A-label form. */
        domain: string;
        /** The protected domain that is imitated. */
        protected_domain: string;
        /** Kind of imitation; where several fit, the most specific one. */
        type:
          | "typosquatting"
          | "bitsquatting"
          | "homograph"
          | "combosquatting"
          | "levelsquatting"
          | "tld_squatting"
          | "doppelganger"
          | "soundsquatting"
          | "cloned_site";
        /** How urgent it is. */
        severity: "high" | "medium" | "low";
        /** How close the name is to the protected one, with at most four decimals; 1 cannot be told apart. */
        similarity: number;
        /** What is thought of the threat. */
        status: "active" | "resolved" | "false_positive";
      };
      /** The status before. */
      previous_status: "active" | "resolved" | "false_positive";
    };
  };
  /** A scan began. */
  "scan.started": {
    /** Identifier of the event: the same in every attempt. */
    id: string;
    type: "scan.started";
    /** When it happened. */
    created_at: string;
    data: {
      scan: {
        /** Identifier of the scan. */
        id: string;
        /** What was scanned for. */
        protected_domains: string[];
        /** What set it off. */
        trigger: "schedule" | "console" | "cli";
        /** It has just begun. */
        status: "running";
        /** When it began. */
        started_at: string;
      };
    };
  };
  /** A scan ended, in whichever way. */
  "scan.completed": {
    /** Identifier of the event: the same in every attempt. */
    id: string;
    type: "scan.completed";
    /** When it happened. */
    created_at: string;
    data: {
      scan: {
        /** Identifier of the scan. */
        id: string;
        /** What was scanned for. */
        protected_domains: string[];
        /** What set it off. */
        trigger: "schedule" | "console" | "cli";
        /** How it ended. */
        status: "completed" | "failed" | "cancelled";
        /** When it began. */
        started_at: string;
        /** When it ended. */
        completed_at: string;
        /** Names that were looked up. */
        candidates: number;
        /** Names that exist. */
        resolving: number;
        /** Names that imitate. */
        threats_found: number;
        /** Threats that are new. */
        threats_created: number;
        /** Why it failed. */
        error?: string;
      };
    };
  };
  /** A page with one of the beacons was opened elsewhere. */
  "beacon.triggered": {
    /** Identifier of the event: the same in every attempt. */
    id: string;
    type: "beacon.triggered";
    /** When it happened. */
    created_at: string;
    data: {
      beacon: {
        /** Identifier of the beacon. */
        id: string;
        /** Its name. */
        name: string;
        /** The protected domain that is imitated. */
        protected_domain: string;
      };
      hit: {
        /** The host that showed the page; empty where it had none, as a local file. */
        hostname: string;
        /** The page. */
        url: string;
        ip_address: string | null;
        user_agent: string | null;
        referrer: string | null;
        /** When it happened. */
        at: string;
      };
      threat: {
        /** Identifier of the threat: a TypeID. */
        id: string;
      } | null;
    };
  };
  /** A honeytoken was used. */
  "token.accessed": {
    /** Identifier of the event: the same in every attempt. */
    id: string;
    type: "token.accessed";
    /** When it happened. */
    created_at: string;
    data: {
      token: {
        /** Identifier of the honeytoken. */
        id: string;
        /** Its name. */
        name: string;
        /** Its kind. */
        kind: string;
      };
      access: {
        ip_address: string | null;
        user_agent: string | null;
        referrer: string | null;
        /** When it happened. */
        at: string;
      };
    };
  };
  /** An endpoint is tested. Sent once, not retried. */
  "webhook.ping": {
    /** Identifier of the event: the same in every attempt. */
    id: string;
    type: "webhook.ping";
    /** When it happened. */
    created_at: string;
    data: Record<string, never>;
  };
}

/** What can be called, by method and path. */
export interface Calls {
  /** List threats */
  "GET /v1/threats": {
    query?: {
      domain?: string;
      status?: "active" | "resolved" | "false_positive";
      severity?: "high" | "medium" | "low";
      page?: number;
      per_page?: number;
    };

    answer: {
      data: ThreatListItem[];
      meta: PageMeta;
    };
  };
  /** Get one threat */
  "GET /v1/threats/{id}": {
    params: { id: string };

    answer: {
      data: ThreatDetail;
    };
  };
  /** Change a threat's status */
  "PATCH /v1/threats/{id}": {
    params: { id: string };

    body: {
      /** The status the threat is to have. */
      status: "active" | "resolved" | "false_positive";
    };
    answer: {
      data: ThreatDetail;
    };
  };
  /** Change the status of several threats */
  "POST /v1/threats/batch": {
    body: {
      /** Identifiers of the threats to act on. One that is given twice counts once. */
      ids: string[];
      /** `resolve` marks them as resolved, `mark_false_positive` as wrongly detected, `reactivate` makes them active again. */
      action: "resolve" | "mark_false_positive" | "reactivate";
    };
    answer: {
      data: BatchItem[];
      meta: BatchMeta;
    };
  };
  /** Hand in names to be checked */
  "POST /v1/candidates": {
    body:
      | {
          /** Names to check, in U-label or A-label form. One that is no host name is counted, not refused. */
          domains: string[];
          /** When the names were seen: ISO 8601 with a time zone. Default: now. */
          observed_at?: string;
        }
      | string;
    answer: {
      data: CandidateResult[];
      meta: CandidateMeta;
    };
  };
  /** What was printed at the start: addresses and keys */
  "GET /sandbox": {
    answer: {
      data: {
        url: string;
        /** of the API; ends with /v1 */
        base_url: string;
        /** ends with /sandbox */
        control_url: string;
        keys: {
          /** everything, without limit */
          enterprise: string;
          /** everything, 600 requests a minute */
          pro: string;
          /** everything, 60 requests a minute */
          free: string;
          /** reads threats */
          read: string;
          /** changes threats */
          write: string;
          /** submits candidates */
          submit: string;
          /** reads and changes threats */
          read_write: string;
          /** reads threats, submits candidates */
          read_submit: string;
          /** changes threats, submits candidates */
          write_submit: string;
          /** everything, of example-bank.com alone */
          bound: string;
          /** expires an hour after the start */
          expiring: string;
          /** expired an hour before the start: 401 */
          expired: string;
          /** revoked: 401 */
          revoked: string;
        };
        console_password: string;
        seed: number;
        /** what the clock showed at the start */
        time: string;
        pid: number;
      };
    };
  };
  /** What time it is */
  "GET /sandbox/clock": {
    answer: {
      data: {
        /** what it shows */
        now: string;
        flows: boolean;
      };
    };
  };
  /** Moves the clock, or lets it flow */
  "POST /sandbox/clock": {
    body?: {
      /** how much time is to pass, as in 1m or 2h */
      advance?: string;
      /** an ISO 8601 time; one that is past undoes nothing that has happened */
      set?: string;
      /** true: it flows with real time from where it stands; false: it stands still */
      run?: boolean;
    };
    answer: {
      data: {
        /** what it shows */
        now: string;
        flows: boolean;
      };
    };
  };
  /** Everything is as at the start: data, clock, limits, webhooks, inboxes, faults */
  "POST /sandbox/reset": {
    answer: {
      data: Record<string, never>;
    };
  };
  /** Keeps the state of data, clock, webhooks and inboxes, to be gone back to */
  "POST /sandbox/snapshot": {
    answer: {
      data: {
        snapshot: string;
      };
    };
  };
  /** Back to a snapshot: the last one, or the one that is named */
  "POST /sandbox/restore": {
    body?: {
      snapshot?: string;
    };
    answer: {
      data: {
        snapshot: string;
      };
    };
  };
  /** A look-alike is seen: threat.created, or for a known one what seeing it again leads to */
  "POST /sandbox/threats": {
    body?: {
      /** the suspicious name; absent: new names are made */
      domain?: string;
      /** how many; only without domain */
      count?: number;
      /** the one that is imitated; absent: what the detection says, or the first */
      protected_domain?: string;
      /** absent: what the detection says */
      type?:
        | "typosquatting"
        | "bitsquatting"
        | "homograph"
        | "combosquatting"
        | "levelsquatting"
        | "tld_squatting"
        | "doppelganger"
        | "soundsquatting"
        | "cloned_site";
      similarity?: number;
      /** absent: scan */
      source?: "scan" | "certificate_transparency" | "feed" | "submission" | "beacon";
      /** an ISO 8601 time, now at the latest; absent: now */
      first_seen?: string;
    };
    answer: {
      data: {
        id: string;
        domain: string;
        protected_domain: string;
        type: string;
        severity: string;
        status: string;
        similarity: number;
        outcome: "created" | "known";
      }[];
    };
  };
  /** A scan runs to its end: scan.started, threat.created for what it finds, scan.completed */
  "POST /sandbox/scans": {
    body?: {
      /** absent: all */
      protected_domains?: string[];
      /** absent: cli */
      trigger?: "schedule" | "console" | "cli";
      /** new look-alikes that exist; absent: 3 */
      finds?: number;
      /** no resolver answers, so that the scan fails */
      fails?: boolean;
    };
    answer: {
      data: {
        id: string;
        protected_domains: string[];
        trigger: string;
        status: string;
        /** when it began */
        started_at: string;
        /** when it ended */
        completed_at: string;
        candidates: number;
        resolving: number;
        threats_found: number;
        threats_created: number;
        /** why it failed */
        error?: string;
      };
    };
  };
  /** A page with a beacon in it is opened somewhere: beacon.triggered, and a threat where it is a copy */
  "POST /sandbox/beacon-hits": {
    body?: {
      /** id or name; made where there is none of that name; absent: one of the protected domain */
      beacon?: string;
      /** absent: the first one */
      protected_domain?: string;
      /** where the page is shown; absent: copied-pages.example */
      hostname?: string;
      /** in the place of hostname: the whole address of the page */
      url?: string;
      /** the page before; absent: none */
      referrer?: string;
      /** absent: another one each time, of 2001:db8::/32 */
      ip_address?: string;
      /** absent: a browser's */
      user_agent?: string;
    };
    answer: {
      data: {
        /** of the beacon or token */
        id: string;
        name: string;
        /** what was asked for */
        url: string;
        class: string | null;
        event_id: string | null;
        threat_id: string | null;
      };
    };
  };
  /** A honeytoken is used: token.accessed */
  "POST /sandbox/token-accesses": {
    body?: {
      /** id or name; made where there is none of that name; absent: one of the kind */
      token?: string;
      /** of a token that is made; absent: url */
      kind?: "url" | "pixel" | "document";
      /** the page before; absent: none */
      referrer?: string;
      /** absent: another one each time, of 2001:db8::/32 */
      ip_address?: string;
      /** absent: a browser's */
      user_agent?: string;
    };
    answer: {
      data: {
        /** of the beacon or token */
        id: string;
        name: string;
        /** what was asked for */
        url: string;
        class: string | null;
        event_id: string | null;
        threat_id: string | null;
      };
    };
  };
  /** Registers an endpoint: an inbox of the sandbox, or a receiver of yours */
  "POST /sandbox/webhooks": {
    body?: {
      /** name of an inbox: letters, digits, . _ - */
      inbox?: string;
      /** in the place of an inbox; http:// is allowed */
      url?: string;
      name?: string;
      /** absent or none: all */
      events?: (
        | "threat.created"
        | "threat.updated"
        | "threat.resolved"
        | "scan.started"
        | "scan.completed"
        | "beacon.triggered"
        | "token.accessed"
      )[];
      /** absent: one is made */
      secret?: string;
      headers?: Record<string, string>;
      concurrency?: number;
      rate_per_second?: number;
    };
    answer: {
      data: {
        id: string;
        name: string;
        url: string;
        /** none: all */
        events: string[];
        enabled: boolean;
        secret: string;
      };
    };
  };
  /** The endpoints, with their secrets */
  "GET /sandbox/webhooks": {
    answer: {
      data: {
        id: string;
        name: string;
        url: string;
        /** none: all */
        events: string[];
        enabled: boolean;
        secret: string;
      }[];
    };
  };
  /** Removes an endpoint, by its id or name, with its deliveries */
  "DELETE /sandbox/webhooks/{id}": {
    params: { id: string };

    answer: {
      data: Record<string, never>;
    };
  };
  /** The delivery log, newest first: every delivery with its attempts and what comes next */
  "GET /sandbox/deliveries": {
    query?: { endpoint?: string; event?: string; status?: string };

    answer: {
      data: {
        id: string;
        event_id: string;
        type: string;
        /** its name */
        endpoint: string;
        status: "pending" | "succeeded" | "failed";
        next_attempt_at: string | null;
        attempts: {
          /** when it began */
          at: string;
          status: number | null;
          failure: string | null;
          error: string | null;
        }[];
      }[];
    };
  };
  /** What has arrived, oldest first; waits for it if asked to */
  "GET /sandbox/inbox/{name}": {
    params: { name: string };
    query?: { wait?: string; type?: string; count?: string };

    answer: {
      data: {
        /** 1 for the first */
        number: number;
        /** by the sandbox's clock */
        received_at: string;
        event_id: string | null;
        type: string | null;
        /** 1 for the first time that this event came */
        attempt: number;
        /** whether both signatures are right */
        signature_valid: boolean;
        signatures: {
          service: "valid" | "invalid" | "missing";
          standard: "valid" | "invalid" | "missing";
        };
        endpoint_id: string | null;
        answered: number | "reset" | "silence";
        headers: Record<string, string>;
        /** byte for byte */
        body: string;
        /** the body as JSON; null: it is none */
        event: unknown;
      }[];
      meta: {
        total: number;
        /** whether there are as many as were waited for */
        complete: boolean;
      };
    };
  };
  /** Forgets what has arrived, and what was to fail */
  "DELETE /sandbox/inbox/{name}": {
    params: { name: string };

    answer: {
      data: Record<string, never>;
    };
  };
  /** The next deliveries to an inbox fail */
  "POST /sandbox/inbox/{name}/failures": {
    params: { name: string };

    body?: {
      status?: number;
      /** how often; absent: once */
      times?: number;
      /** waits so long first, as in 500ms; real time, up to 10m */
      delay?: string;
      /** true: closes the connection without an answer */
      reset?: boolean;
      /** true: never answers */
      silence?: boolean;
      /** seconds, for the header Retry-After */
      retry_after?: number;
    };
    answer: {
      data: Record<string, never>;
    };
  };
  /** The next API requests that match answer an error, slowly or not at all */
  "POST /sandbox/faults": {
    body?: {
      /** absent: any */
      method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "HEAD" | "OPTIONS";
      /** with * for anything; absent: any */
      path?: string;
      /** answers this error */
      status?: 400 | 401 | 403 | 404 | 429 | 500;
      /** how often; absent: once */
      times?: number;
      /** waits so long first, as in 500ms; real time, up to 10m */
      delay?: string;
      /** true: closes the connection without an answer */
      reset?: boolean;
      /** true: never answers */
      silence?: boolean;
      /** seconds, for the header Retry-After */
      retry_after?: number;
    };
    answer: {
      data: Record<string, never>;
    };
  };
  /** What is still to go wrong */
  "GET /sandbox/faults": {
    answer: {
      data: {
        left: number;
        method: string | null;
        path: string | null;
        status: number | null;
        delay_ms: number;
        answer: "reset" | "silence" | null;
        retry_after: number | null;
      }[];
    };
  };
  /** Nothing goes wrong any more */
  "DELETE /sandbox/faults": {
    answer: {
      data: Record<string, never>;
    };
  };
}

type Options<Name extends keyof Calls> = Omit<Calls[Name], "answer">;

/** What the server refused, and why. */
export class CallError extends Error {
  readonly status: number;
  readonly code: string;
  /** Of a 429. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterSeconds: number | undefined) {
    super(message);
    this.name = "CallError";
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Calls the API, and a sandbox's control plane.
 * @param url of the server, without /v1
 * @throws CallError
 */
export function createClient({ url, key }: { url: string; key?: string }) {
  return async <Name extends keyof Calls>(
    name: Name,
    ...[options]: Record<string, never> extends Options<Name> ? [Options<Name>?] : [Options<Name>]
  ): Promise<Calls[Name]["answer"]> => {
    const { params, query, body } = (options ?? {}) as {
      params?: Record<string, string>;
      query?: Record<string, string | number>;
      body?: unknown;
    };
    const [method, path] = name.split(" ") as [string, string];
    const filled = path.replace(/\{(\w+)\}/g, (_, field: string) =>
      encodeURIComponent(params?.[field] ?? ""),
    );
    const asked = new URLSearchParams(
      Object.entries(query ?? {}).map(([field, value]) => [field, `${value}`]),
    );
    const isText = typeof body === "string";
    const response = await fetch(`${url}${filled}${asked.size > 0 ? `?${asked}` : ""}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "Content-Type": isText ? "text/plain" : "application/json" }),
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Calls[Name]["answer"] & {
      error?: { code: string; message: string };
    };
    if (response.ok) return answer;
    const wait = response.headers.get("Retry-After");
    const { code = "unknown", message = "no reason given" } = answer.error ?? {};
    throw new CallError(response.status, code, message, wait === null ? undefined : Number(wait));
  };
}
