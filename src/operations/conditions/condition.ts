import type { ConditionPage } from "../../messaging/content/texts/system-texts.ts";
import type { SystemEventType } from "../../platform/vocabulary/events.ts";

/** A state of the appliance that people may want to know about, such as a feed that stopped. */
export interface Condition {
  type: SystemEventType;
  /** Names its subject: the same as long as the subject exists, also after a restart. */
  key: string;
  /** `unknown`: nothing can be said at present, such as shortly after the start. */
  state: "holds" | "clear" | "unknown";
  /** Sent once when it begins, and once when it ends. */
  began: ConditionText;
  ended: ConditionText;
  /** How long it has to hold before anything is sent, because it may pass. */
  graceMs: number;
  /** Where its subject is shown; absent: on the system page. */
  page?: ConditionPage;
  /** `seq` of the recipient that it is about, which cannot be sent anything. */
  exceptRecipient?: number;
}

export interface ConditionText {
  /** One line, without a period. */
  title: string;
  /** Sentences: what happened, and what to do. */
  text: string;
}

/** Something that is replaced from time to time. Each new version is sent once; the first one is not. */
export interface News extends ConditionText {
  type: SystemEventType;
  key: string;
  /** Identifies the version. */
  version: string;
  page?: ConditionPage;
}
