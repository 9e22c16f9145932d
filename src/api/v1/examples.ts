/** Sample values for the examples of the OpenAPI document. */

export const exampleId = "thr_01h455vb4pex5vsknk084sn02q";

export const exampleListItem = {
  id: exampleId,
  domain: "examp1e-bank.com",
  protected_domain: "example-bank.com",
  type: "homograph",
  status: "active",
  severity: "high",
  similarity: 0.9688,
  source: "certificate_transparency",
  first_seen: "2026-01-15T12:00:01.000Z",
  screenshot_url: `https://phishwatch.example/screenshots/${exampleId}/kJm3Rk0vS2a9Qw1xZb5T7A`,
};

const { first_seen: _, ...common } = exampleListItem;

export const exampleDetail = {
  ...common,
  created_at: "2026-01-15T12:00:02.417Z",
  ip_address: "192.0.2.10",
  registrar: "Example Registrar, Inc.",
  whois: { source: "rdap", registrar: "Example Registrar, Inc.", created_at: "2026-01-14T09:00:00.000Z" },
};
