/**
 * From now on what runs often is compiled as usual: the executable starts with a JIT that is slow to begin
 * (`--compile-jit-policy` in `scripts/build`), for the start is code that runs once.
 */
export function startIsOver(): void {
  Bun.unsafe.setJITPolicy(1);
}
