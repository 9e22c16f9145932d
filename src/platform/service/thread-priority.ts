import { getPriority, setPriority } from "node:os";

/** Added to the nice value of the process. The system limits the sum to 19. */
const priorityDifferences = {
  background: 10,
  /** The thread holds the write lock: with 10, work of other processes delays each write two to three times as long. */
  write: 3,
} as const;

/** Lets the thread that serves requests run before the present one when all processors are busy. */
export function yieldToOtherThreads(work: keyof typeof priorityDifferences = "background"): void {
  // Elsewhere, this would apply to the whole process.
  if (process.platform !== "linux") return;
  try {
    setPriority(getPriority() + priorityDifferences[work]);
  } catch {
    // A sandbox may forbid it; then all threads are equal.
  }
}
