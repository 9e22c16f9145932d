/** A certificate authority with the address for certificate problem reports (CA/Browser Forum, baseline requirements §4.9.3). */
export interface CertificateAuthority {
  name: string;
  /** Organizations that its issuing certificates name. */
  organizations: readonly string[];
  email?: string;
  formUrl?: string;
  /** Page that states the contact. */
  source: string;
  example: string;
}

export const certificateAuthorities: readonly CertificateAuthority[] = [
  {
    name: "Let's Encrypt",
    organizations: ["Let's Encrypt"],
    email: "cert-prob-reports@letsencrypt.org",
    source: "https://letsencrypt.org/repository/",
    example: "Let's Encrypt, R11",
  },
  {
    name: "Sectigo",
    organizations: ["Sectigo Limited", "ZeroSSL", "COMODO CA Limited"],
    email: "sslabuse@sectigo.com",
    source: "https://sectigo.com/support/revocation",
    example: "ZeroSSL, ZeroSSL ECC Domain Secure Site CA",
  },
  {
    name: "DigiCert",
    organizations: ["DigiCert Inc", "DigiCert, Inc."],
    email: "revoke@digicert.com",
    formUrl: "https://problemreport.digicert.com/",
    source: "https://www.digicert.com/faq/certificate-revocation.htm",
    example: "DigiCert Inc, DigiCert Global G2 TLS RSA SHA256 2020 CA1",
  },
  {
    name: "GlobalSign",
    organizations: ["GlobalSign nv-sa"],
    email: "report-abuse@globalsign.com",
    source: "https://www.globalsign.com/en/repository",
    example: "GlobalSign nv-sa, GlobalSign RSA OV SSL CA 2018",
  },
  {
    name: "Google Trust Services",
    organizations: ["Google Trust Services", "Google Trust Services LLC"],
    formUrl: "https://pki.goog/faq/",
    source: "https://pki.goog/faq/",
    example: "Google Trust Services, WE1",
  },
  {
    name: "Amazon Trust Services",
    organizations: ["Amazon"],
    formUrl: "https://www.amazontrust.com/repository/",
    source: "https://www.amazontrust.com/repository/",
    example: "Amazon, Amazon RSA 2048 M02",
  },
];

/**
 * Returns the authority of an issuer. Accepts `organization, common name` and distinguished names such as
 * `CN=R11, O=Let's Encrypt, C=US`.
 */
export function authorityOf(issuer: string): CertificateAuthority | undefined {
  return certificateAuthorities.find(({ organizations }) =>
    organizations.some(
      (name) => issuer === name || issuer.startsWith(`${name}, `) || `, ${issuer},`.includes(`, O=${name},`),
    ),
  );
}
