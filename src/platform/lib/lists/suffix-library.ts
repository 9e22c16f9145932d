// Load it with `publicSuffixes()`: its list takes 3 ms to unpack.
export { getDomain, getDomainWithoutSuffix, getPublicSuffix, parse } from "tldts";
