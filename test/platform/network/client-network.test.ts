import { expect, test } from "bun:test";
import { clientNetwork } from "../../../src/platform/network/client-network.ts";

const visitor = { ipv4Octets: 3, ipv6Groups: 3 };
const household = { ipv4Octets: 4, ipv6Groups: 4 };

test.each([
  ["192.0.2.7", "192.0.2", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1", "2001:db8:1:2"],
  ["2001:DB8:0001:0002::1", "2001:db8:1", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0", "2001:db8:0:0"],
  ["::2:3:4:5:6:7:8", "0:2:3", "0:2:3:4"],
  ["::ffff:192.0.2.7", "0:0:0", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0", "fe80:0:0:0"],
  ["::", "0:0:0", "0:0:0:0"],
  ["no address", "", ""],
])("%s belongs to %s as a visitor's network and to %s as a household's", (address, wide, narrow) => {
  expect([clientNetwork(address, visitor), clientNetwork(address, household)]).toEqual([wide, narrow]);
});

test("unknown clients belong to one network of their own", () => {
  expect(clientNetwork(null, visitor)).toBe("");
});
