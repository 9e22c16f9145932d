import { expect, test } from "bun:test";
import { refusal } from "../../../src/platform/network/addresses.ts";
import { classifyExchange } from "../../../src/messaging/channels/webhook/webhook-channel.ts";

test.each([
  ["10.0.0.1", "refused; webhooks.allow_private_networks = true would allow it"],
  ["169.254.169.254", "refused"],
])("the error of a delivery to %s names the setting only where it would help", (address, error) => {
  const result = classifyExchange(
    {
      failure: "refused_address",
      reason: "refused",
      refused: refusal(address, { allowPrivateNetworks: false }),
      partial: undefined,
      phases: {},
      durationMs: 1,
      address: undefined,
      certificate: undefined,
    },
    0,
    1,
  );
  expect(result).toMatchObject({ failure: "refused_address", error });
});
