import type { Metric } from "../model/metric.ts";
import { caseMetrics } from "./cases.ts";
import { deliveryMetrics } from "./deliveries.ts";
import { inspectionMetrics } from "./inspections.ts";
import { operationMetrics } from "./operation.ts";
import { processMetrics } from "./process.ts";
import { requestMetrics } from "./requests.ts";
import { sourceMetrics } from "./sources.ts";
import { storageMetrics } from "./storage.ts";
import { threatMetrics } from "./threats.ts";

/** All metrics, in the order of the exposition and of the manual. */
export const metrics = {
  ...requestMetrics,
  ...threatMetrics,
  ...caseMetrics,
  ...sourceMetrics,
  ...inspectionMetrics,
  ...deliveryMetrics,
  ...storageMetrics,
  ...operationMetrics,
  ...processMetrics,
} satisfies Record<string, Metric>;
