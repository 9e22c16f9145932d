import { describe, expect, test } from "bun:test";
import {
  addressClass,
  describeRefusal,
  refusal,
  type AddressClass,
} from "../../../src/platform/network/addresses.ts";
import { ownAddressRefusal } from "../../../src/platform/network/own-addresses.ts";

type Row = [
  first: string,
  last: string,
  kind: AddressClass,
  before: [string, AddressClass],
  after: [string, AddressClass],
];

// One row a registry entry: its first and last address, and what lies just outside on either side.
const ranges: Row[] = [
  ["0.0.0.0", "0.255.255.255", "unspecified", ["255.255.255.255", "multicast"], ["1.0.0.0", "global"]],
  ["10.0.0.0", "10.255.255.255", "private", ["9.255.255.255", "global"], ["11.0.0.0", "global"]],
  ["100.64.0.0", "100.127.255.255", "private", ["100.63.255.255", "global"], ["100.128.0.0", "global"]],
  [
    "100.100.100.200",
    "100.100.100.200",
    "metadata",
    ["100.100.100.199", "private"],
    ["100.100.100.201", "private"],
  ],
  ["127.0.0.0", "127.255.255.255", "loopback", ["126.255.255.255", "global"], ["128.0.0.0", "global"]],
  ["168.63.129.16", "168.63.129.16", "metadata", ["168.63.129.15", "global"], ["168.63.129.17", "global"]],
  ["169.254.0.0", "169.254.0.0", "link_local", ["169.253.255.255", "global"], ["169.254.0.1", "link_local"]],
  [
    "169.254.169.254",
    "169.254.169.254",
    "metadata",
    ["169.254.169.253", "link_local"],
    ["169.254.169.255", "link_local"],
  ],
  [
    "169.254.170.2",
    "169.254.170.2",
    "metadata",
    ["169.254.170.1", "link_local"],
    ["169.254.170.3", "link_local"],
  ],
  [
    "169.254.255.255",
    "169.254.255.255",
    "link_local",
    ["169.254.255.254", "link_local"],
    ["169.255.0.0", "global"],
  ],
  ["172.16.0.0", "172.31.255.255", "private", ["172.15.255.255", "global"], ["172.32.0.0", "global"]],
  ["192.0.0.0", "192.0.0.8", "reserved", ["191.255.255.255", "global"], ["192.0.0.9", "global"]],
  ["192.0.0.11", "192.0.0.191", "reserved", ["192.0.0.10", "global"], ["192.0.0.192", "metadata"]],
  ["192.0.0.193", "192.0.0.255", "reserved", ["192.0.0.192", "metadata"], ["192.0.1.0", "global"]],
  ["192.0.2.0", "192.0.2.255", "reserved", ["192.0.1.255", "global"], ["192.0.3.0", "global"]],
  ["192.88.99.0", "192.88.99.255", "reserved", ["192.88.98.255", "global"], ["192.88.100.0", "global"]],
  ["192.168.0.0", "192.168.255.255", "private", ["192.167.255.255", "global"], ["192.169.0.0", "global"]],
  ["198.18.0.0", "198.19.255.255", "private", ["198.17.255.255", "global"], ["198.20.0.0", "global"]],
  ["198.51.100.0", "198.51.100.255", "reserved", ["198.51.99.255", "global"], ["198.51.101.0", "global"]],
  ["203.0.113.0", "203.0.113.255", "reserved", ["203.0.112.255", "global"], ["203.0.114.0", "global"]],
  ["224.0.0.0", "239.255.255.255", "multicast", ["223.255.255.255", "global"], ["240.0.0.0", "reserved"]],
  [
    "240.0.0.0",
    "255.255.255.254",
    "reserved",
    ["239.255.255.255", "multicast"],
    ["255.255.255.255", "multicast"],
  ],
  ["::", "::", "unspecified", ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"], ["::1", "loopback"]],
  ["::1", "::1", "loopback", ["::", "unspecified"], ["::2", "reserved"]],
  [
    "::ffff:0.0.0.0",
    "::ffff:0.255.255.255",
    "unspecified",
    ["::fffe:ffff:ffff", "reserved"],
    ["::ffff:1.0.0.0", "global"],
  ],
  [
    "::ffff:240.0.0.0",
    "::ffff:255.255.255.254",
    "reserved",
    ["::ffff:239.255.255.255", "multicast"],
    ["::1:0:0:0", "reserved"],
  ],
  [
    "64:ff9b::",
    "64:ff9b::ff:ffff",
    "unspecified",
    ["64:ff9a:ffff::", "reserved"],
    ["64:ff9b::100:0", "global"],
  ],
  [
    "64:ff9b::f000:0",
    "64:ff9b::ffff:fffe",
    "reserved",
    ["64:ff9b::efff:ffff", "multicast"],
    ["64:ff9b::1:0:0", "reserved"],
  ],
  [
    "64:ff9b:1::",
    "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
    "reserved",
    ["64:ff9b:0:ffff::", "reserved"],
    ["64:ff9b:2::", "reserved"],
  ],
  ["100::", "100::ffff:ffff:ffff:ffff", "reserved", ["ff:ffff::", "reserved"], ["100:0:0:2::", "reserved"]],
  ["2000::", "2000:ffff::", "global", ["1fff:ffff::", "reserved"], ["2001::", "reserved"]],
  [
    "2001::",
    "2001:1::",
    "reserved",
    ["2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "global"],
    ["2001:1::1", "global"],
  ],
  ["2001:1::1", "2001:1::3", "global", ["2001:1::", "reserved"], ["2001:1::4", "reserved"]],
  ["2001:2::", "2001:2:0:ffff::", "private", ["2001:1:ffff::", "reserved"], ["2001:2:1::", "reserved"]],
  ["2001:3::", "2001:3:ffff:ffff::", "global", ["2001:2:ffff::", "reserved"], ["2001:4::", "reserved"]],
  [
    "2001:4:112::",
    "2001:4:112:ffff::",
    "global",
    ["2001:4:111:ffff::", "reserved"],
    ["2001:4:113::", "reserved"],
  ],
  ["2001:20::", "2001:3f:ffff::", "global", ["2001:1f:ffff::", "reserved"], ["2001:40::", "reserved"]],
  [
    "2001:100::",
    "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
    "reserved",
    ["2001:ff::", "reserved"],
    ["2001:200::", "global"],
  ],
  [
    "2001:db8::",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "reserved",
    ["2001:db7:ffff::", "global"],
    ["2001:db9::", "global"],
  ],
  [
    "2002:7f00::",
    "2002:7fff:ffff:ffff::",
    "loopback",
    ["2002:7eff:ffff::", "global"],
    ["2002:8000::", "global"],
  ],
  [
    "2002:a9fe:a9fe::",
    "2002:a9fe:a9fe:ffff::",
    "metadata",
    ["2002:a9fe:a9fd::", "link_local"],
    ["2002:a9fe:a9ff::", "link_local"],
  ],
  [
    "3fff::",
    "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
    "reserved",
    ["3ffe:ffff::", "global"],
    ["3fff:1000::", "global"],
  ],
  ["4000::", "fbff:ffff::", "reserved", ["3fff:ffff:ffff::", "global"], ["fc00::", "private"]],
  ["5f00::", "5f00:ffff::", "reserved", ["5eff:ffff::", "reserved"], ["5f01::", "reserved"]],
  [
    "fc00::",
    "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "private",
    ["fbff:ffff::", "reserved"],
    ["fe00::", "reserved"],
  ],
  ["fd00:42::42", "fd00:42::42", "metadata", ["fd00:42::41", "private"], ["fd00:42::43", "private"]],
  [
    "fd00:100::100:200",
    "fd00:100::100:200",
    "metadata",
    ["fd00:100::100:1ff", "private"],
    ["fd00:100::100:201", "private"],
  ],
  [
    "fd00:a9fe:a9fe::1",
    "fd00:a9fe:a9fe::1",
    "metadata",
    ["fd00:a9fe:a9fe::", "private"],
    ["fd00:a9fe:a9fe::2", "private"],
  ],
  [
    "fd00:c1::a9fe:a9fe",
    "fd00:c1::a9fe:a9fe",
    "metadata",
    ["fd00:c1::a9fe:a9fd", "private"],
    ["fd00:c1::a9fe:a9ff", "private"],
  ],
  [
    "fd00:ec2::",
    "fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff",
    "metadata",
    ["fd00:ec1:ffff:ffff:ffff:ffff:ffff:ffff", "private"],
    ["fd00:ec3::", "private"],
  ],
  ["fd20:ce::254", "fd20:ce::254", "metadata", ["fd20:ce::253", "private"], ["fd20:ce::255", "private"]],
  [
    "fe80::",
    "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "link_local",
    ["fe7f:ffff::", "reserved"],
    ["fec0::", "reserved"],
  ],
  [
    "fe80::a9fe:a9fe",
    "fe80::a9fe:a9fe",
    "metadata",
    ["fe80::a9fe:a9fd", "link_local"],
    ["fe80::a9fe:a9ff", "link_local"],
  ],
  [
    "ff00::",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "multicast",
    ["feff:ffff::", "reserved"],
    ["::", "unspecified"],
  ],
];

describe("the class of an address", () => {
  for (const [first, last, kind, before, after] of ranges) {
    test(`${first} to ${last} is ${kind}`, () => {
      expect([addressClass(first), addressClass(last)]).toEqual([kind, kind]);
      expect(addressClass(before[0])).toBe(before[1]);
      expect(addressClass(after[0])).toBe(after[1]);
    });
  }

  test.each([
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["0:0:0:0:0:ffff:a9fe:a9fe", "metadata"],
    ["::FFFF:10.0.0.1", "private"],
    ["64:ff9b::127.0.0.1", "loopback"],
    ["64:ff9b::8.8.8.8", "global"],
    ["::127.0.0.1", "reserved"],
    ["fe80::1%eth0", "link_local"],
    ["2606:4700:4700::1111", "global"],
    ["1.1.1.1", "global"],
  ] as [string, AddressClass][])("%s is %s", (address, kind) => {
    expect(addressClass(address)).toBe(kind);
  });

  test.each(["", "localhost", "256.1.1.1", "1.2.3", "0x7f.1", "::1::", "[::1]", "1.2.3.4 "])(
    "%p is not an address",
    (text) => {
      expect(addressClass(text)).toBeUndefined();
      expect(refusal(text, { allowPrivateNetworks: true })).toBeDefined();
    },
  );
});

describe("allowed destinations", () => {
  test.each([
    ["8.8.8.8", true, true],
    ["10.1.2.3", false, true],
    ["127.0.0.1", false, true],
    ["::1", false, true],
    ["fd12::1", false, true],
    ["169.254.169.254", false, false],
    ["::ffff:169.254.169.254", false, false],
    ["fd00:ec2::254", false, false],
    ["168.63.129.16", false, false],
    ["169.254.3.4", false, false],
    ["fe80::1", false, false],
    ["224.0.0.1", false, false],
    ["0.0.0.0", false, false],
    ["::", false, false],
    ["192.0.2.1", false, false],
  ])("%s is allowed by default: %p, and with private networks: %p", (address, without, withPrivate) => {
    expect(refusal(address, { allowPrivateNetworks: false }) === undefined).toBe(without);
    expect(refusal(address, { allowPrivateNetworks: true }) === undefined).toBe(withPrivate);
  });

  test.each([
    ["AWS: instance metadata", ["169.254.169.254", "fd00:ec2::254"]],
    ["AWS: credentials of ECS tasks", ["169.254.170.2"]],
    ["AWS: credentials of EKS pods", ["169.254.170.23", "fd00:ec2::23"]],
    ["Google Cloud", ["169.254.169.254", "fd20:ce::254"]],
    ["Azure: instance metadata", ["169.254.169.254"]],
    ["Azure: WireServer", ["168.63.129.16"]],
    ["Alibaba Cloud", ["100.100.100.200", "fd00:100::100:200"]],
    ["Oracle Cloud", ["169.254.169.254", "fd00:c1::a9fe:a9fe"]],
    ["Oracle Cloud at the customer", ["192.0.0.192"]],
    ["OpenStack", ["169.254.169.254", "fe80::a9fe:a9fe"]],
    ["Scaleway", ["169.254.42.42", "fd00:42::42"]],
    ["Akamai (Linode)", ["169.254.169.254", "fd00:a9fe:a9fe::1"]],
    ["Tencent Cloud", ["169.254.0.23"]],
  ])(
    "The metadata service of %s is never connected to, also where private networks are allowed",
    (_, addresses) => {
      for (const address of addresses)
        expect(refusal(address, { allowPrivateNetworks: true })).toMatchObject({ allowable: false });
    },
  );

  test("a blocked address is reported with its class and whether allow_private_networks would allow it", () => {
    const refused = (address: string) => refusal(address, { allowPrivateNetworks: false });
    expect(refused("10.0.0.1")).toEqual({ address: "10.0.0.1", class: "private", allowable: true });
    expect(refused("169.254.169.254")).toMatchObject({ class: "metadata", allowable: false });
    expect(refused("10.0.0")).toMatchObject({ class: "invalid", allowable: false });
    expect(describeRefusal(refused("0.0.0.0")!)).toStartWith("0.0.0.0 is an unspecified address");
    expect(describeRefusal(refused("fe80::1")!)).toBe(
      "fe80::1 is a link-local address, which is never connected to",
    );
  });

  test.each([
    ["203.0.114.7", true],
    ["203.0.114.8", false],
    ["::ffff:203.0.114.7", true],
    ["64:ff9b::203.0.114.7", true],
    ["2002:cb00:7207::1", true],
    ["2a00:1:2:3::9", true],
    ["2a00:1:2:4::9", false],
    ["2600:1::5", true],
    ["2600:1:0:1::5", false],
  ])("%s is rejected as an address of this machine or its IPv6 network: %p", (address, isOwn) => {
    const interfaces = () => ({
      outside: [
        { address: "203.0.114.7", cidr: "203.0.114.7/24" },
        { address: "2a00:1:2:3:0:ff:fe00:1", cidr: "2a00:1:2:3:0:ff:fe00:1/64" },
        { address: "2600:1::2", cidr: "2600:1::2/48" },
      ],
    });
    const refused = ownAddressRefusal(address, { allowPrivateNetworks: false }, interfaces);
    expect(refused).toEqual(isOwn ? { address, class: "own", allowable: true } : undefined);
    expect(ownAddressRefusal(address, { allowPrivateNetworks: true }, interfaces)).toBeUndefined();
  });
});
