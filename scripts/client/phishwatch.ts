// The client of phishwatch, generated from its OpenAPI documents. Copy it into your project: it has no dependencies.

/** A threat in the list. */
export type ThreatListItem = {
  /** Threat ID: a TypeID. */
  id: string;
  /** The suspicious domain, in lowercase A-label form. */
  domain: string;
  /** The protected domain that the suspicious domain resembles. */
  protected_domain: string;
  /** Type of look-alike. If several fit, the most specific one. */
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
  /** Triage status. */
  status: "active" | "resolved" | "false_positive";
  /** Severity of the threat. */
  severity: "high" | "medium" | "low";
  /** Similarity to the protected domain, with at most four decimal places. 1 means indistinguishable. */
  similarity: number;
  /** How the threat was detected. */
  source: "scan" | "certificate_transparency" | "feed" | "submission" | "beacon";
  /** The earliest time at which any source saw the domain. */
  first_seen: string;
  /** Screenshot of the site or, if there is none, an image that states why. Opens without an API key and cannot be guessed. */
  screenshot_url: string;
};

export type PageMeta = {
  /** Exact number of threats that match the filters. */
  total: number;
  /** Number of this page. */
  page: number;
  /** Maximum number of threats on a page. */
  per_page: number;
};

/** A threat with its known facts. */
export type ThreatDetail = {
  /** Threat ID: a TypeID. */
  id: string;
  /** The suspicious domain, in lowercase A-label form. */
  domain: string;
  /** The protected domain that the suspicious domain resembles. */
  protected_domain: string;
  /** Type of look-alike. If several fit, the most specific one. */
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
  /** Triage status. */
  status: "active" | "resolved" | "false_positive";
  /** Severity of the threat. */
  severity: "high" | "medium" | "low";
  /** Similarity to the protected domain, with at most four decimal places. 1 means indistinguishable. */
  similarity: number;
  /** How the threat was detected. */
  source: "scan" | "certificate_transparency" | "feed" | "submission" | "beacon";
  /** When the record was written. */
  created_at: string;
  /** Screenshot of the site or, if there is none, an image that states why. Opens without an API key and cannot be guessed. */
  screenshot_url: string;
  /** IP address of the suspicious domain; null while unknown. */
  ip_address: string | null;
  /** Registrar of the suspicious domain; null while unknown. */
  registrar: string | null;
  /** Registration data. A key is present only if its value is known. */
  whois: {
    /** Protocol that supplied the data. */
    source?: "rdap" | "whois";
    registrar?: string;
    registrar_iana_id?: string;
    registrant_organization?: string;
    registrant_country?: string;
    /** When the domain was registered. */
    created_at?: string;
    /** When the registration was last changed. */
    updated_at?: string;
    /** When the registration expires. */
    expires_at?: string;
    name_servers?: string[];
    status?: string[];
    dnssec?: boolean;
    abuse_email?: string;
    abuse_phone?: string;
    /** When the data was fetched. */
    fetched_at?: string;
  };
};

/** The facts that were found about a threat. */
export type ThreatFacts = {
  /** Whether anything but the name is known. */
  verified: boolean;
  /** Reasons for the similarity. */
  reasons: string[];
  /** Stable code of each of these reasons. */
  reason_codes: string[];
  /** The decisive reasons for the severity in a few words, as the console and messages show them. */
  severity_summary: string;
  /** Reasons for the severity. */
  severity_reasons: string[];
  /** Stable code of each of these reasons. */
  severity_reason_codes: string[];
  /** When facts were last looked up. */
  looked_at: string | null;
  /** When they are due to be looked up again. */
  next_look_at: string | null;
  /** Facts from DNS. */
  dns: {
    /** Whether the name exists in DNS. */
    exists: "yes" | "no";
    /** IP addresses. */
    addresses: string[];
    /** Names of the mail servers. */
    mail_servers: string[];
    /** Names of the name servers. */
    name_servers: string[];
    /** Target of its CNAME. */
    canonical_name: string | null;
    /** Parking service. */
    parked: string | null;
    /** Operator of the sinkhole. */
    sinkholed: string | null;
    /** Whether every name below its parent resolves to the same. */
    wildcard: boolean;
  } | null;
  /** The page under the name. */
  page: {
    /** Address after all redirects. */
    final_url: string;
    /** Addresses before it. */
    redirects: string[];
    /** HTTP status. */
    status: number;
    /** Title of the page, chosen by its author. */
    title: string;
    asks_for_password: boolean;
    asks_for_card: boolean;
    names_brand: boolean;
    redirects_to_protected: boolean;
    /** Parking service. */
    parked: string | null;
    /** Certificate with which the page was served. */
    certificate: {
      /** Issuer. */
      issuer: string;
      /** Start of its validity. */
      not_before: string;
      /** End of its validity. */
      not_after: string;
      /** Why browsers reject it. */
      fault: string | null;
    } | null;
    /** Hash of its icon. */
    favicon_hash: string | null;
  } | null;
  /** Latest comparison of the page with the protected site. */
  inspection: {
    /** The protected domain that the suspicious domain resembles. */
    protected_domain: string;
    /** Whether the page imitates the protected site. */
    imitates: boolean;
    /** Estimated probability that the page imitates the protected site. */
    score: number;
    /** Address of your page that it resembles most. */
    original: string | null;
    /** The largest contribution first. */
    signals: {
      /** Stable code of the signal. */
      code: string;
      /** Contribution to the score, in log-odds; negative: it speaks against an imitation. */
      points: number;
      /** Text of the observation. */
      text: string;
    }[];
    /** When the page was fetched. */
    inspected_at: string | null;
  } | null;
  /** Networks that host the name. */
  networks:
    | {
        /** Addresses of the name that belong to the network. */
        addresses: string[];
        /** First address of the network. */
        first_address: string;
        /** Last address of the network. */
        last_address: string;
        /** Name of the network. */
        name: string | null;
        /** Organization that holds it. */
        organization: string | null;
        /** Its country, as ISO 3166-1 code. */
        country: string | null;
        /** Number of the autonomous system that announces it. */
        asn: number | null;
        /** Address of its abuse desk. */
        abuse_email: string | null;
        /** Phone number of its abuse desk. */
        abuse_phone: string | null;
        /** Protocol of the source. */
        source: "rdap" | "whois";
        /** URL of the response; for WHOIS, the server. */
        source_url: string;
        /** When the source was queried. */
        looked_up_at: string;
      }[]
    | null;
  /** Similarity of the screenshot with that of the protected page, 0 to 1. */
  visual_similarity: number | null;
  /** Why the last lookup of a fact failed, by fact. */
  unknown: Record<string, string>;
  /** Newest first. */
  certificates: {
    /** Distinguished name of the issuer. */
    issuer: string | null;
    /** Serial number, hexadecimal. */
    serial: string | null;
    /** Start of its validity. */
    not_before: string | null;
    /** Certificate log. */
    log: string;
    /** Index of the entry in the log. */
    index: number;
    /** Address at which the log serves the entry. */
    entry_url: string;
    /** False for a name that no signature of the log covers. */
    verified: boolean;
    /** When the log received it. */
    seen_at: string;
  }[];
  /** Newest first. */
  urls: {
    /** The address. It may be dangerous to open. */
    url: string;
    /** Source that named it. */
    source: "scan" | "certificate_transparency" | "feed" | "submission" | "beacon";
    /** When the source named it. */
    seen_at: string;
  }[];
};

/** The work on a threat. */
export type ThreatCase = {
  /** Threat ID: a TypeID. */
  threat_id: string;
  /** Account of the person who works on it; null: nobody. */
  assignee: string | null;
  /** When it is due; null: no due time, or not active. */
  due_at: string | null;
  /** State of the site, derived from the facts. */
  site_state: "unregistered" | "registered" | "parked" | "up" | "blocked" | "down" | "back" | null;
  /** Since when. */
  site_state_since: string | null;
  /** Oldest first. */
  reports: {
    /** Reference in the subject. */
    reference: string;
    /** Why the report was made. */
    purpose: "first" | "follow_up" | "escalation" | "again";
    /** Recipient, as it was known when the report was sent. */
    recipient: {
      /** Kind of recipient. */
      kind: "registrar" | "hoster" | "registry" | "certificate_authority" | "browser_list";
      /** Name of the recipient. */
      name: string;
      /** Email address. */
      email: string | null;
      /** URL of its form. */
      form_url: string | null;
      source: {
        /** Where the contact is from; `person`: somebody typed the address. */
        from: "rdap" | "whois" | "address_rdap" | "certificate" | "list" | "person";
        /** URL of the response or page that states it. */
        url: string | null;
        /** When it was looked up. */
        at: string | null;
      };
    };
    /** How it reaches the recipient. */
    method: "email" | "form" | "manual";
    /** Subject. */
    subject: string;
    /** Language of the text (BCP 47). */
    language: string;
    /** When it was made. */
    created_at: string;
    /** Account that made it. */
    created_by: string | null;
    /** Ticket of the recipient. */
    ticket: string | null;
    /** State of the email; null: not an email. */
    delivery: "queued" | "sending" | "sent" | "interrupted" | "bounced" | "failed" | null;
    /** Last response of the mail server. */
    delivery_response: string | null;
    /** When it was sent. */
    sent_at: string | null;
    /** When a follow-up is due. */
    follow_up_at: string | null;
    /** Outcome for this threat. */
    outcome?: "open" | "down" | "closed" | "deleted";
    /** When the site went down. */
    down_at?: string | null;
    /** State of the site, derived from the facts. */
    down_state?: "unregistered" | "registered" | "parked" | "up" | "blocked" | "down" | "back" | null;
  }[];
  /** The group of threats that it belongs to. */
  campaign: {
    /** Number of the campaign. It changes if its oldest threat leaves. */
    number: number;
    /** Number of threats. */
    threats: number;
    /** 0 to 100: how much its threats have in common. */
    score: number;
    reasons: {
      /** Attribute that the threats have in common. */
      reason:
        | "certificate"
        | "address"
        | "numbered_name"
        | "page"
        | "favicon"
        | "screenshot"
        | "name_servers"
        | "registration"
        | "numbered_brand";
      /** The value, text of strangers. */
      value: string;
      /** Number of threats that have it in common. */
      threats: number;
    }[];
  } | null;
};

/** A change of a threat. */
export type ThreatChange = {
  /** When it was changed or found. */
  at: string;
  /** Field that changed, such as `status`, `severity`, `site state`, `assignee`, `due` or `page title`. */
  field: string;
  /** Value before, as text; null: none or unknown. */
  before: string | null;
  /** Value after, as text; null: none or unknown. */
  after: string | null;
  /** Who changed it; null: a fact that lookups found. */
  by: {
    /** Channel. */
    via: "console" | "api" | "command_line" | "configuration" | "system";
    /** Account, API key or shell user. */
    name: string | null;
  } | null;
};

export type BatchItem = {
  /** The ID as sent. */
  id: string;
  /** Result for this threat. */
  outcome: "updated" | "unchanged" | "not_found" | "forbidden";
  /** Resulting status; absent if not found or forbidden. */
  status?: "active" | "resolved" | "false_positive";
};

export type BatchMeta = {
  /** Threats whose status changed. */
  updated: number;
  /** Threats that already had the status. */
  unchanged: number;
  /** IDs that match no threat. */
  not_found: number;
  /** Threats that this key may not change. */
  forbidden: number;
};

export type CandidateResult = {
  /** The name, in lowercase A-label form. */
  domain: string;
  /** One match for each protected domain it resembles. */
  matches: {
    /** Threat ID: a TypeID. */
    threat_id: string;
    /** The protected domain that the suspicious domain resembles. */
    protected_domain: string;
    /** Type of look-alike. If several fit, the most specific one. */
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
    /** Similarity to the protected domain, with at most four decimal places. 1 means indistinguishable. */
    similarity: number;
    /** Whether the threat is new. */
    outcome: "created" | "known";
  }[];
};

/** Result for each distinct address, except the senders of emails, whose domains seldom have a page. Only with `inspect`. */
export type CandidateInspections = {
  /** Addresses that wait to be inspected, including those that waited before. */
  queued: number;
  /** Addresses that were inspected within the last hour, and are not inspected again. */
  known: number;
  /** Addresses that are not inspected, such as your own and allowed names. */
  refused: number;
  /** The first 100 addresses that are not inspected. Absent if there are none. */
  errors?: {
    /** The URL or host name. */
    address: string;
    /** Why it is not inspected: a phrase that follows it. */
    reason: string;
  }[];
};

export type CandidateInterpretation = {
  /** Position among the submitted items, as in `errors`. */
  index: number;
  /** Form in which the name was found: `url`, `email_address`, or `host_name` (defanged, or one of several in the item); in an email `message_link`, `message_image` or `message_sender`. `ip_address`: a link to an IP address, which has no name and is not checked. */
  form:
    | "host_name"
    | "url"
    | "email_address"
    | "message_link"
    | "message_image"
    | "message_sender"
    | "ip_address";
  /** The name that was checked, in lowercase A-label form; null: none. */
  domain: string | null;
  /** The URL, without defanging, and of a link that a mail gateway has rewritten the one inside it. */
  url?: string;
};

export type CandidateMeta = {
  inspections?: CandidateInspections;
  /** Submitted names. */
  received: number;
  /** Items without a valid host name. */
  invalid: number;
  /** Distinct names that match a protected domain. */
  matched: number;
  /** New threats. */
  created: number;
  /** The first 100 invalid items. Absent if there are none. */
  errors?: {
    /** Position among the submitted items, from 0. In text, blank lines and comments do not count. */
    index: number;
    /** Why the item is invalid: a phrase that follows it. */
    reason: string;
  }[];
  /** How the first 100 names were read that were not submitted as plain host names. Absent if there are none. */
  interpreted?: CandidateInterpretation[];
};

/** An error response. */
export type Error = {
  error: {
    /** Stable code, for programs. */
    code:
      "bad_request" | "unauthorized" | "forbidden" | "not_found" | "rate_limit_exceeded" | "internal_error";
    /** States what to change, for people. */
    message: string;
  };
};

/** Bodies of deliveries, by event type. */
export interface Events {
  /** A threat was recorded. */
  "threat.created": {
    /** Event ID: the same in every attempt. */
    id: string;
    type: "threat.created";
    /** When the event occurred. */
    created_at: string;
    data: {
      threat: {
        /** Threat ID: a TypeID. */
        id: string;
        /** The suspicious domain, in lowercase A-label form. */
        domain: string;
        /** Type of look-alike. If several fit, the most specific one. */
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
        /** Severity of the threat. */
        severity: "high" | "medium" | "low";
        /** Similarity to the protected domain, with at most four decimal places. 1 means indistinguishable. */
        similarity: number;
      };
    };
  };
  /** The status of a threat changed. */
  "threat.updated": {
    /** Event ID: the same in every attempt. */
    id: string;
    type: "threat.updated";
    /** When the event occurred. */
    created_at: string;
    data: {
      threat: {
        /** Threat ID: a TypeID. */
        id: string;
        /** The suspicious domain, in lowercase A-label form. */
        domain: string;
        /** The protected domain that the suspicious domain resembles. */
        protected_domain: string;
        /** Type of look-alike. If several fit, the most specific one. */
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
        /** Severity of the threat. */
        severity: "high" | "medium" | "low";
        /** Similarity to the protected domain, with at most four decimal places. 1 means indistinguishable. */
        similarity: number;
        /** Triage status. */
        status: "active" | "resolved" | "false_positive";
      };
      /** Status before the change. */
      previous_status: "active" | "resolved" | "false_positive";
    };
  };
  /** A threat was resolved. Follows its threat.updated. */
  "threat.resolved": {
    /** Event ID: the same in every attempt. */
    id: string;
    type: "threat.resolved";
    /** When the event occurred. */
    created_at: string;
    data: {
      threat: {
        /** Threat ID: a TypeID. */
        id: string;
        /** The suspicious domain, in lowercase A-label form. */
        domain: string;
        /** The protected domain that the suspicious domain resembles. */
        protected_domain: string;
        /** Type of look-alike. If several fit, the most specific one. */
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
        /** Severity of the threat. */
        severity: "high" | "medium" | "low";
        /** Similarity to the protected domain, with at most four decimal places. 1 means indistinguishable. */
        similarity: number;
        /** Triage status. */
        status: "active" | "resolved" | "false_positive";
      };
      /** Status before the change. */
      previous_status: "active" | "resolved" | "false_positive";
    };
  };
  /** A scan started. */
  "scan.started": {
    /** Event ID: the same in every attempt. */
    id: string;
    type: "scan.started";
    /** When the event occurred. */
    created_at: string;
    data: {
      scan: {
        /** Scan ID. */
        id: string;
        /** Protected domains of the scan. */
        protected_domains: string[];
        /** Trigger of the scan. */
        trigger: "schedule" | "console" | "cli";
        /** Status of the scan. */
        status: "running";
        /** When the scan started. */
        started_at: string;
      };
    };
  };
  /** A scan ended: completed, failed or cancelled. */
  "scan.completed": {
    /** Event ID: the same in every attempt. */
    id: string;
    type: "scan.completed";
    /** When the event occurred. */
    created_at: string;
    data: {
      scan: {
        /** Scan ID. */
        id: string;
        /** Protected domains of the scan. */
        protected_domains: string[];
        /** Trigger of the scan. */
        trigger: "schedule" | "console" | "cli";
        /** Outcome of the scan. */
        status: "completed" | "failed" | "cancelled";
        /** When the scan started. */
        started_at: string;
        /** When the scan ended. */
        completed_at: string;
        /** Candidate names that were looked up. */
        candidates: number;
        /** Candidates that resolve. */
        resolving: number;
        /** Look-alikes found. */
        threats_found: number;
        /** New threats. */
        threats_created: number;
        /** Reason for the failure. */
        error?: string;
      };
    };
  };
  /** A page that contains a beacon was opened on another site. */
  "beacon.triggered": {
    /** Event ID: the same in every attempt. */
    id: string;
    type: "beacon.triggered";
    /** When the event occurred. */
    created_at: string;
    data: {
      beacon: {
        /** Beacon ID. */
        id: string;
        /** Name. */
        name: string;
        /** The protected domain that the suspicious domain resembles. */
        protected_domain: string;
      };
      hit: {
        /** Host of the page; empty for a page without a host, such as a local file. */
        hostname: string;
        /** URL of the page. */
        url: string;
        /** IP address of the visitor. */
        ip_address: string | null;
        /** User agent that the visitor sent. */
        user_agent: string | null;
        /** Referrer that the visitor sent. */
        referrer: string | null;
        /** When the visit occurred. */
        at: string;
      };
      threat: {
        /** Threat ID: a TypeID. */
        id: string;
      } | null;
    };
  };
  /** A honeytoken was opened. */
  "token.accessed": {
    /** Event ID: the same in every attempt. */
    id: string;
    type: "token.accessed";
    /** When the event occurred. */
    created_at: string;
    data: {
      token: {
        /** Honeytoken ID. */
        id: string;
        /** Name. */
        name: string;
        /** Kind of honeytoken. */
        kind: string;
      };
      access: {
        /** IP address of the visitor. */
        ip_address: string | null;
        /** User agent that the visitor sent. */
        user_agent: string | null;
        /** Referrer that the visitor sent. */
        referrer: string | null;
        /** When the visit occurred. */
        at: string;
      };
    };
  };
  /** Tests an endpoint. Sent once, without retries. */
  "webhook.ping": {
    /** Event ID: the same in every attempt. */
    id: string;
    type: "webhook.ping";
    /** When the event occurred. */
    created_at: string;
    data: Record<string, never>;
  };
}

/** Operations by method and path. */
export interface Calls {
  /** List threats */
  "GET /v1/threats": {
    query?: {
      domain?: string;
      status?: "active" | "resolved" | "false_positive";
      severity?: "high" | "medium" | "low";
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
      source?: "scan" | "certificate_transparency" | "feed" | "submission" | "beacon";
      q?: string;
      since?: string;
      min_similarity?: number;
      page?: number;
      per_page?: number;
    };

    response: {
      data: ThreatListItem[];
      meta: PageMeta;
    };
  };
  /** Get a threat */
  "GET /v1/threats/{id}": {
    params: { id: string };

    response: {
      data: ThreatDetail;
    };
  };
  /** Change the status of a threat */
  "PATCH /v1/threats/{id}": {
    params: { id: string };

    body: {
      /** New status of the threat. */
      status: "active" | "resolved" | "false_positive";
    };
    response: {
      data: ThreatDetail;
    };
  };
  /** Get the facts about a threat */
  "GET /v1/threats/{id}/facts": {
    params: { id: string };

    response: {
      data: ThreatFacts;
    };
  };
  /** Get the case of a threat */
  "GET /v1/threats/{id}/case": {
    params: { id: string };

    response: {
      data: ThreatCase;
    };
  };
  /** Get the history of a threat */
  "GET /v1/threats/{id}/history": {
    params: { id: string };

    response: {
      data: ThreatChange[];
    };
  };
  /** Change the status of several threats */
  "POST /v1/threats/batch": {
    body: {
      /** IDs of the threats to change. A repeated ID counts once. */
      ids: string[];
      /** `resolve` marks the threats as resolved, `mark_false_positive` as false positives, and `reactivate` makes them active again. */
      action: "resolve" | "mark_false_positive" | "reactivate";
    };
    response: {
      data: BatchItem[];
      meta: BatchMeta;
    };
  };
  /** Submit names to check */
  "POST /v1/candidates": {
    body:
      | {
          /** Names to check, in U-label or A-label form; in place of a name, an item may be a URL or an email address, also defanged (`hxxps://examp1e-bank[.]com/login`), several of them, or a complete email with its header, whose links and senders are checked. An invalid item is counted and explained, and does not cause the call to fail. */
          domains: string[];
          /** When the names were seen: RFC 3339 with seconds and a time zone, at most five minutes in the future. Default: now. */
          observed_at?: string;
          /** Whether the page at each address is inspected, also if its name resembles no protected domain. A page that imitates the page of a protected domain becomes a threat of the type `cloned_site`, usually within minutes; with a key that is bound to some protected domains, only of these. Default: false. */
          inspect?: boolean;
        }
      | string;
    response: {
      data: CandidateResult[];
      meta: CandidateMeta;
    };
  };
  /** Returns the ready line: URLs and keys */
  "GET /sandbox": {
    response: {
      data: {
        url: string;
        /** URL of the API; ends with /v1 */
        base_url: string;
        /** URL of the control plane; ends with /sandbox */
        control_url: string;
        keys: {
          /** everything, no rate limit */
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
          /** everything, only for example-bank.com */
          bound: string;
          /** expires one hour after the start */
          expiring: string;
          /** expired one hour before the start: 401 */
          expired: string;
          /** revoked: 401 */
          revoked: string;
        };
        console_password: string;
        seed: number;
        /** Sandbox time at the start */
        time: string;
        pid: number;
      };
    };
  };
  /** Returns the sandbox time */
  "GET /sandbox/clock": {
    response: {
      data: {
        /** Sandbox time */
        now: string;
        /** Whether the clock runs with real time */
        flows: boolean;
      };
    };
  };
  /** Advances, sets or starts the clock */
  "POST /sandbox/clock": {
    body?: {
      /** time to advance by, such as 1m or 2h */
      advance?: string;
      /** an ISO 8601 time; setting an earlier time does not undo later changes */
      set?: string;
      /** true: the clock runs with real time; false: the clock stops */
      run?: boolean;
    };
    response: {
      data: {
        /** Sandbox time */
        now: string;
        /** Whether the clock runs with real time */
        flows: boolean;
      };
    };
  };
  /** Resets everything to its initial state: data, clock, limits, webhook endpoints, inboxes, faults */
  "POST /sandbox/reset": {
    response: {
      data: Record<string, never>;
    };
  };
  /** Takes a snapshot of data, clock, webhook endpoints and inboxes */
  "POST /sandbox/snapshot": {
    response: {
      data: {
        snapshot: string;
      };
    };
  };
  /** Restores a snapshot: the latest or the given one */
  "POST /sandbox/restore": {
    body?: {
      snapshot?: string;
    };
    response: {
      data: {
        snapshot: string;
      };
    };
  };
  /** Records a look-alike: threat.created, or a repeated sighting of a known one */
  "POST /sandbox/threats": {
    body?: {
      /** the suspicious domain; default: new names are generated */
      domain?: string;
      /** number of new names; only without domain */
      count?: number;
      /** the impersonated domain; default: as detected, or the first one */
      protected_domain?: string;
      /** default: as detected */
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
      /** default: scan */
      source?: "scan" | "certificate_transparency" | "feed" | "submission" | "beacon";
      /** an ISO 8601 time, not in the future; default: now */
      first_seen?: string;
    };
    response: {
      data: {
        /** Threat ID: a TypeID. */
        id: string;
        /** The suspicious domain, in lowercase A-label form. */
        domain: string;
        /** The protected domain that the suspicious domain resembles. */
        protected_domain: string;
        /** Type of look-alike. If several fit, the most specific one. */
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
        /** Severity of the threat. */
        severity: "high" | "medium" | "low";
        /** Triage status. */
        status: "active" | "resolved" | "false_positive";
        /** Similarity to the protected domain, with at most four decimal places. 1 means indistinguishable. */
        similarity: number;
        /** Whether the threat is new */
        outcome: "created" | "known";
      }[];
    };
  };
  /** Runs a scan to completion: scan.started, threat.created for each new threat, scan.completed */
  "POST /sandbox/scans": {
    body?: {
      /** default: all */
      protected_domains?: string[];
      /** default: cli */
      trigger?: "schedule" | "console" | "cli";
      /** number of new look-alikes that resolve; default: 3 */
      finds?: number;
      /** true: no resolver responds, so the scan fails */
      fails?: boolean;
    };
    response: {
      data: {
        /** Scan ID. */
        id: string;
        /** Protected domains of the scan. */
        protected_domains: string[];
        /** Trigger of the scan. */
        trigger: "schedule" | "console" | "cli";
        /** Outcome of the scan. */
        status: "completed" | "failed" | "cancelled";
        /** When the scan started. */
        started_at: string;
        /** When the scan ended. */
        completed_at: string;
        /** Candidate names that were looked up. */
        candidates: number;
        /** Candidates that resolve. */
        resolving: number;
        /** Look-alikes found. */
        threats_found: number;
        /** New threats. */
        threats_created: number;
        /** Reason for the failure. */
        error?: string;
      };
    };
  };
  /** Opens a page that contains a beacon: beacon.triggered, and a threat if the page is a copy */
  "POST /sandbox/beacon-hits": {
    body?: {
      /** ID or name; created if no beacon has this name; default: one of the protected domain */
      beacon?: string;
      /** default: the first one */
      protected_domain?: string;
      /** host of the page; default: copied-pages.example */
      hostname?: string;
      /** URL of the page, instead of hostname */
      url?: string;
      /** URL of the referring page; default: none */
      referrer?: string;
      /** default: a different address of 2001:db8::/32 for each call */
      ip_address?: string;
      /** default: that of a browser */
      user_agent?: string;
    };
    response: {
      data: {
        /** ID of the beacon or honeytoken */
        id: string;
        name: string;
        /** Requested URL */
        url: string;
        /** Class of the visit; null if it was only counted */
        class: string | null;
        event_id: string | null;
        threat_id: string | null;
      };
    };
  };
  /** Opens a honeytoken: token.accessed */
  "POST /sandbox/token-accesses": {
    body?: {
      /** ID or name; created if no honeytoken has this name; default: one of the kind */
      token?: string;
      /** kind of a honeytoken that is created; default: url */
      kind?: "url" | "pixel" | "document";
      /** URL of the referring page; default: none */
      referrer?: string;
      /** default: a different address of 2001:db8::/32 for each call */
      ip_address?: string;
      /** default: that of a browser */
      user_agent?: string;
    };
    response: {
      data: {
        /** ID of the beacon or honeytoken */
        id: string;
        name: string;
        /** Requested URL */
        url: string;
        /** Class of the visit; null if it was only counted */
        class: string | null;
        event_id: string | null;
        threat_id: string | null;
      };
    };
  };
  /** Puts the site of a threat into a state, as lookups would find it */
  "POST /sandbox/sites": {
    body?: {
      /** ID of the threat; default: the one that was recorded last */
      threat?: string;
      /** state of the site from now on; default: up */
      state?: "unregistered" | "registered" | "parked" | "up" | "blocked" | "down" | "back";
    };
    response: {
      data: {
        threat: string;
        /** null: not determined */
        site_state: "unregistered" | "registered" | "parked" | "up" | "blocked" | "down" | "back" | null;
      };
    };
  };
  /** Sets what the page of a host shows, for inspections */
  "POST /sandbox/pages": {
    body?: {
      /** host name of the page; default: cheap-shoes.example */
      host?: string;
      /** the imitated domain; default: the first one */
      protected_domain?: string;
      /** default: true */
      imitates?: boolean;
      /** default: Sign in */
      title?: string;
    };
    response: {
      data: {
        host: string;
        protected_domain: string;
        imitates: boolean;
      };
    };
  };
  /** Logs a certificate: threat.created for each look-alike among its names */
  "POST /sandbox/certificates": {
    body?: {
      /** DNS names, also with a wildcard; default: a new look-alike */
      names?: string[];
      /** common name; default: Sandbox CA */
      issuer?: string;
      /** an ISO 8601 time; default: the time of the request */
      not_before?: string;
      /** time until the log gets it, such as 10m; default: none */
      delay?: string;
    };
    response: {
      data: {
        names: string[];
        /** Common name of the issuer */
        issuer: string;
        /** Hexadecimal */
        serial: string;
        /** Start of its validity */
        not_before: string;
        /** When the log gets it */
        logged_at: string;
        /** Index of the entry; null before the log gets it */
        index: number | null;
        /** Threats that have this certificate */
        threats: {
          /** Threat ID: a TypeID. */
          id: string;
          /** The suspicious domain, in lowercase A-label form. */
          domain: string;
          /** The protected domain that the suspicious domain resembles. */
          protected_domain: string;
          /** Type of look-alike. If several fit, the most specific one. */
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
          /** Severity of the threat. */
          severity: "high" | "medium" | "low";
          /** Triage status. */
          status: "active" | "resolved" | "false_positive";
          /** Similarity to the protected domain, with at most four decimal places. 1 means indistinguishable. */
          similarity: number;
        }[];
      };
    };
  };
  /** Adds a webhook endpoint: an inbox of the sandbox, or your own receiver */
  "POST /sandbox/webhooks": {
    body?: {
      /** name of an inbox: letters, digits, . _ - */
      inbox?: string;
      /** instead of an inbox; http:// is allowed */
      url?: string;
      name?: string;
      /** default: all */
      events?: (
        | "threat.created"
        | "threat.updated"
        | "threat.resolved"
        | "scan.started"
        | "scan.completed"
        | "beacon.triggered"
        | "token.accessed"
      )[];
      /** default: generated */
      secret?: string;
      /** true: signs deliveries to this URL with the real time, which libraries compare with their own clock; default: with the sandbox time */
      real_timestamps?: boolean;
      headers?: Record<string, string>;
      concurrency?: number;
      rate_per_second?: number;
    };
    response: {
      data: {
        id: string;
        name: string;
        url: string;
        /** Empty: all event types */
        events: string[];
        enabled: boolean;
        /** Whether its deliveries are signed with the real time */
        real_timestamps: boolean;
        secret: string;
        /** Secret before the rotation, which also signs; null: none */
        previous_secret: string | null;
        /** Sandbox time at which the previous secret stops signing */
        previous_secret_until: string | null;
      };
    };
  };
  /** Lists the webhook endpoints with their secrets */
  "GET /sandbox/webhooks": {
    response: {
      data: {
        id: string;
        name: string;
        url: string;
        /** Empty: all event types */
        events: string[];
        enabled: boolean;
        /** Whether its deliveries are signed with the real time */
        real_timestamps: boolean;
        secret: string;
        /** Secret before the rotation, which also signs; null: none */
        previous_secret: string | null;
        /** Sandbox time at which the previous secret stops signing */
        previous_secret_until: string | null;
      }[];
    };
  };
  /** Deletes a webhook endpoint, by its ID or name, with its deliveries */
  "DELETE /sandbox/webhooks/{id}": {
    params: { id: string };

    response: {
      data: Record<string, never>;
    };
  };
  /** Replaces the secret of an endpoint; the previous one also signs for 24 hours */
  "POST /sandbox/webhooks/{id}/rotate": {
    params: { id: string };

    body?: {
      /** the new secret; default: generated */
      secret?: string;
      /** sandbox time for which both sign, such as 1h or 0s; default: 24h */
      overlap?: string;
    };
    response: {
      data: {
        id: string;
        name: string;
        url: string;
        /** Empty: all event types */
        events: string[];
        enabled: boolean;
        /** Whether its deliveries are signed with the real time */
        real_timestamps: boolean;
        secret: string;
        /** Secret before the rotation, which also signs; null: none */
        previous_secret: string | null;
        /** Sandbox time at which the previous secret stops signing */
        previous_secret_until: string | null;
      };
    };
  };
  /** Sends failed, missed or all events to an endpoint again, since a time */
  "POST /sandbox/webhooks/{id}/replay": {
    params: { id: string };

    body?: {
      /** failed deliveries, events that were never sent to it, or all; default: all */
      which?: "failed" | "missed" | "all";
      /** an ISO 8601 time: only events from then on; default: all */
      since?: string;
    };
    response: {
      data: {
        /** Number of deliveries that are sent */
        deliveries: number;
      };
    };
  };
  /** Lists the deliveries, newest first, each with its attempts and the time of the next one */
  "GET /sandbox/deliveries": {
    query?: { endpoint?: string; event?: string; status?: "pending" | "succeeded" | "failed" };

    response: {
      data: {
        id: string;
        event_id: string;
        type: string;
        /** Name of the endpoint */
        endpoint: string;
        /** Status of the delivery */
        status: "pending" | "succeeded" | "failed";
        /** Null: no further attempt */
        next_attempt_at: string | null;
        attempts: {
          /** When the attempt started */
          at: string;
          /** HTTP status; null: no response */
          status: number | null;
          failure: string | null;
          error: string | null;
          /** Real time from connecting to the end of the response */
          duration_ms: number;
          /** Start of the response, with escapes for characters that are not printable */
          response: string;
        }[];
      }[];
    };
  };
  /** Sends a delivery again, with all its retries */
  "POST /sandbox/deliveries/{id}/redeliver": {
    params: { id: string };

    response: {
      data: {
        id: string;
        event_id: string;
        type: string;
        /** Name of the endpoint */
        endpoint: string;
        /** Status of the delivery */
        status: "pending" | "succeeded" | "failed";
        /** Null: no further attempt */
        next_attempt_at: string | null;
        attempts: {
          /** When the attempt started */
          at: string;
          /** HTTP status; null: no response */
          status: number | null;
          failure: string | null;
          error: string | null;
          /** Real time from connecting to the end of the response */
          duration_ms: number;
          /** Start of the response, with escapes for characters that are not printable */
          response: string;
        }[];
      };
    };
  };
  /** Lists the received messages, oldest first; can wait for them */
  "GET /sandbox/inbox/{name}": {
    params: { name: string };
    query?: {
      wait?: string;
      type?:
        | "threat.created"
        | "threat.updated"
        | "threat.resolved"
        | "scan.started"
        | "scan.completed"
        | "beacon.triggered"
        | "token.accessed"
        | "webhook.ping";
      count?: number;
    };

    response: {
      data: {
        /** 1 for the first message */
        number: number;
        /** Sandbox time of arrival */
        received_at: string;
        event_id: string | null;
        type: string | null;
        /** 1 for the first delivery of this event to this inbox */
        attempt: number;
        /** Whether both signatures are valid */
        signature_valid: boolean;
        signatures: {
          service: "valid" | "invalid" | "missing";
          standard: "valid" | "invalid" | "missing";
        };
        /** Endpoint whose secret signed the message */
        endpoint_id: string | null;
        /** Response of the inbox */
        answered: number | "reset" | "silence";
        headers: Record<string, string>;
        /** Byte for byte */
        body: string;
        /** The body as JSON; null if it is not valid JSON */
        event: unknown;
      }[];
      meta: {
        total: number;
        /** Whether at least count messages arrived */
        complete: boolean;
      };
    };
  };
  /** Deletes the received messages and the pending failures */
  "DELETE /sandbox/inbox/{name}": {
    params: { name: string };

    response: {
      data: Record<string, never>;
    };
  };
  /** Makes the next deliveries to an inbox fail */
  "POST /sandbox/inbox/{name}/failures": {
    params: { name: string };

    body?: {
      status?: number;
      /** number of requests; default: 1 */
      times?: number;
      /** real time to wait before the response, such as 500ms; at most 10m */
      delay?: string;
      /** true: closes the connection without a response */
      reset?: boolean;
      /** true: never responds */
      silence?: boolean;
      /** seconds, for the Retry-After header */
      retry_after?: number;
    };
    response: {
      data: Record<string, never>;
    };
  };
  /** Makes the next matching API requests fail, respond late or never respond */
  "POST /sandbox/faults": {
    body?: {
      /** default: any */
      method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "HEAD" | "OPTIONS";
      /** * matches any characters; default: any path */
      path?: string;
      /** status of the error response */
      status?: 400 | 401 | 403 | 404 | 429 | 500;
      /** number of requests; default: 1 */
      times?: number;
      /** real time to wait before the response, such as 500ms; at most 10m */
      delay?: string;
      /** true: closes the connection without a response */
      reset?: boolean;
      /** true: never responds */
      silence?: boolean;
      /** seconds, for the Retry-After header */
      retry_after?: number;
    };
    response: {
      data: Record<string, never>;
    };
  };
  /** Lists the pending faults */
  "GET /sandbox/faults": {
    response: {
      data: {
        /** Remaining requests */
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
  /** Deletes all faults */
  "DELETE /sandbox/faults": {
    response: {
      data: Record<string, never>;
    };
  };
}

type Options<Name extends keyof Calls> = Omit<Calls[Name], "response">;

/** An error response. */
export class CallError extends Error {
  readonly status: number;
  readonly code: string;
  /** Only for status 429. */
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
 * Returns a function that calls the API or a sandbox's control plane.
 * @param url URL of the server, without /v1
 * @throws CallError
 */
export function createClient({ url, key }: { url: string; key?: string }) {
  return async <Name extends keyof Calls>(
    name: Name,
    ...[options]: Record<string, never> extends Options<Name> ? [Options<Name>?] : [Options<Name>]
  ): Promise<Calls[Name]["response"]> => {
    const { params, query, body } = (options ?? {}) as {
      params?: Record<string, string>;
      query?: Record<string, string | number>;
      body?: unknown;
    };
    const [method, path] = name.split(" ") as [string, string];
    const filledPath = path.replace(/\{(\w+)\}/g, (_, field: string) =>
      encodeURIComponent(params?.[field] ?? ""),
    );
    const search = new URLSearchParams(
      Object.entries(query ?? {}).map(([field, value]) => [field, `${value}`]),
    );
    const isText = typeof body === "string";
    const response = await fetch(`${url}${filledPath}${search.size > 0 ? `?${search}` : ""}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "Content-Type": isText ? "text/plain" : "application/json" }),
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const result = (await response.json()) as Calls[Name]["response"] & {
      error?: { code: string; message: string };
    };
    if (response.ok) return result;
    const retryAfter = response.headers.get("Retry-After");
    const { code = "unknown", message = "no error message" } = result.error ?? {};
    throw new CallError(response.status, code, message, retryAfter === null ? undefined : Number(retryAfter));
  };
}
