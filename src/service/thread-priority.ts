import { getPriority, setPriority } from "node:os";

/** Added to the nice value of the process. The system limits the sum to 19. */
const priorityDifference = 10;

/** Lets the thread that serves requests run before the present one when all processors are busy. */
export function yieldToOtherThreads(): void {
  // Elsewhere, this would apply to the whole process.
  if (process.platform !== "linux") return;
  try {
    setPriority(getPriority() + priorityDifference);
  } catch {
    // A sandbox may forbid it; then all threads are equal.
  }
}
