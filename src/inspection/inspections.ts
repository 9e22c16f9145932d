import type { Inspection } from "./model/inspection.ts";
import type {
  InspectionFilter,
  InspectNowOptions,
  NowOutcome,
  RequestOptions,
  RequestOutcome,
} from "./model/request.ts";
import type { InspectionStatus } from "./model/status.ts";

export type { Inspection, InspectionFilter, InspectionStatus, RequestOptions, RequestOutcome };

/** Inspects the pages at addresses: those that imitate a protected brand become threats. */
export interface Inspections {
  /**
   * Queues addresses, in a transaction. An address that was inspected within the last hour is not inspected again: its
   * result is returned. One whose host was inspected within the last hour, at another address, waits until the hour is over.
   * Returns one outcome for each address, in their order.
   */
  request(addresses: readonly string[], options: RequestOptions): Promise<RequestOutcome[]>;
  /** Does the same within the present transaction, for a source that stores its position with the requests. */
  enqueue(addresses: readonly string[], options: RequestOptions): RequestOutcome[];
  /** Inspects an address now, in this process, whatever waits, and records the result. For commands. */
  inspectNow(address: string, options: InspectNowOptions): Promise<NowOutcome>;
  /** Returns one page, the newest request first. `total` is counted up to `listedMax`. */
  list(
    filter: InspectionFilter,
    page: { page: number; perPage: number },
  ): { inspections: Inspection[]; total: number };
  get(id: string): Inspection | undefined;
  /** Returns the latest inspections of a host, newest first. @param host A-label form */
  of(host: string): Inspection[];
  status(): InspectionStatus;
  /** Starts what is queued, also by an earlier run. */
  start(): void;
  /** Aborts what is running, which stays queued. */
  stop(): Promise<void>;
  /** Resolves when nothing is running and nothing is due. */
  idle(): Promise<void>;
}
