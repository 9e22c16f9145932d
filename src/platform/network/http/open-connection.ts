import { hasFreeDescriptor } from "../descriptors.ts";
import { ExchangeError } from "../failure.ts";
import { allowedAddresses, type AddressAccess } from "../resolve.ts";
import { connect, type Connection, type TlsFiles } from "./connection.ts";

const addressesTriedMax = 4;

export const noDescriptor = "no file descriptor left";

interface OpenRequest extends AddressAccess {
  url: URL;
  tlsFiles?: TlsFiles | undefined;
  anyCertificate?: boolean | undefined;
  signal: AbortSignal;
  /** Called before the first connection is tried. */
  onResolved?: () => void;
}

/**
 * Connects to the host of a URL, at the first address that responds. Its addresses are resolved, and checked against
 * `rules`. `https:` and `wss:` use TLS.
 * @throws ExchangeError
 */
export async function openConnection(request: OpenRequest): Promise<Connection> {
  const { rules, resolveHost, tlsFiles = {}, anyCertificate = false, signal } = request;
  const { hostname, port, protocol } = request.url;
  const isSecure = protocol === "https:" || protocol === "wss:";
  requireDescriptor();
  const addresses = await orAbort(allowedAddresses({ hostname, rules, resolveHost }), signal);
  request.onResolved?.();
  return connectFirst(addresses, (address) => {
    requireDescriptor();
    return connect({
      address,
      port: Number(port || (isSecure ? 443 : 80)),
      serverName: hostname.replace(/^\[|\]$/g, ""),
      tlsFiles: isSecure ? tlsFiles : undefined,
      anyCertificate,
      signal,
    });
  });
}

/** Connects to the first address that responds. @throws ExchangeError of the last one that was tried */
export async function connectFirst<Connected>(
  addresses: readonly string[],
  connectTo: (address: string) => Promise<Connected>,
): Promise<Connected> {
  let failure: unknown;
  for (const address of addresses.slice(0, addressesTriedMax)) {
    try {
      return await connectTo(address);
    } catch (error) {
      failure = error;
      // Another address can help if a machine is down, but not if its certificate is invalid.
      if (!(error instanceof ExchangeError) || error.kind !== "connect") break;
    }
  }
  throw failure;
}

function requireDescriptor(): void {
  if (!hasFreeDescriptor()) throw new ExchangeError("descriptors", noDescriptor);
}

/** Settles with `promise`, or rejects as soon as `signal` aborts. */
function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new ExchangeError("aborted", "given up"));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
