import type { Registration } from "../../../platform/vocabulary/registration.ts";

/** Returns `base` with the values that it lacks taken from `other`. Keys without a value are removed. */
export function completedBy(base: Registration, other: Registration): Registration {
  const lists = (["name_servers", "status"] as const).filter((key) => (base[key] ?? []).length === 0);
  const merged: Registration = { ...known(other), ...known(base) };
  for (const key of lists) if (other[key] !== undefined) merged[key] = other[key];
  return known(merged);
}

/** Removes keys without a value. */
export function known(registration: Registration): Registration {
  const entries = Object.entries(registration).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(entries) as Registration;
}
