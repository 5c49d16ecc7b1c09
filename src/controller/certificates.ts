/** Certificate authority of the controller and the server certificate that it serves with. */
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { hostname } from 'node:os';
import * as x509 from '@peculiar/x509';

/** Certificate and private key as PEM. `certificate` may hold a chain, leaf first. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Names that clients ask for whatever address they dialled; Go clients with a private CA verify `juju-apiserver`. */
const standardNames = ['localhost', 'juju-apiserver', 'juju-mongodb', 'anything'];
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;
const authorityDays = 3650;
/** Lifetime of the server certificate in days: short, so that a stolen key expires; renewal is automatic. */
const serverDays = 365;
/** Clock skew in milliseconds: a new certificate is already valid on hosts whose clocks are behind. */
const skewMs = dayMs;

/** Creates a self-signed authority that is valid for ten years. `now`: milliseconds since 1970. */
export async function createAuthority({ now, uuid }: { now: number; uuid: string }): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `O=grigri, CN=grigri-generated CA for controller ${uuid}`,
    notBefore: new Date(now - skewMs),
    notAfter: new Date(now + authorityDays * dayMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pem(certificate), key: await keyPem(keys) };
}

/**
 * Creates a server certificate signed by the authority, for the standard names, this host's name and `addresses` (IPs
 * or host names). It is valid for a year, but never longer than the authority. The authority follows it in
 * `certificate`: `juju login` wants it in the chain.
 */
export async function createServerCertificate({
  authority,
  addresses,
  now,
}: {
  authority: KeyPair;
  addresses: readonly string[];
  now: number;
}): Promise<KeyPair> {
  const issuer = new x509.X509Certificate(authority.certificate);
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(authority.key),
    algorithm,
    false,
    ['sign'],
  );
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: 'O=grigri, CN=*',
    issuer: issuer.subject,
    notBefore: new Date(now - skewMs),
    notAfter: new Date(Math.min(now + serverDays * dayMs, issuer.notAfter.getTime())),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternativeNames(addresses)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: pem(certificate) + authority.certificate, key: await keyPem(keys) };
}

function alternativeNames(addresses: readonly string[]): x509.JsonGeneralName[] {
  const names = new Set([...standardNames, hostname()].filter((name) => /^[a-zA-Z0-9.-]+$/.test(name)));
  const ips = new Set(['127.0.0.1', '::1']);
  for (const address of addresses) (isIp(address) ? ips : names).add(address);
  return [
    ...[...names].map((value) => ({ type: 'dns', value }) as const),
    ...[...ips].map((value) => ({ type: 'ip', value }) as const),
  ];
}

const isIp = (text: string): boolean => /^\d+\.\d+\.\d+\.\d+$/.test(text) || text.includes(':');

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

const pem = (certificate: x509.X509Certificate): string => `${certificate.toString('pem')}\n`;

async function keyPem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')}\n`;
}

/** Random serial number; its first bit is clear, so it is positive. */
function serial(): string {
  const bytes = randomBytes(16);
  bytes[0]! &= 0x7f;
  return bytes.toString('hex');
}
