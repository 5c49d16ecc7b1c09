/** Certificate authority and a server certificate named `juju-apiserver`, for tests of the transport. */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export interface TestCa {
  readonly caCert: string;
  /** Options for https.createServer: leaf and CA, and the leaf's key. */
  readonly server: { readonly cert: string; readonly key: string };
  /** Makes another certificate of the authority, for a client or a server of the name. */
  readonly issue: (name: string) => Promise<TestCa['server']>;
}

export async function makeTestCa(name = 'juju-apiserver'): Promise<TestCa> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const caKeys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const validity = { notBefore: new Date('2020-01-01'), notAfter: new Date('2049-01-01') };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test-ca',
    keys: caKeys,
    signingAlgorithm: algorithm,
    ...validity,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const issue = async (subject: string): Promise<TestCa['server']> => {
    const leafKeys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const leaf = await x509.X509CertificateGenerator.create({
      subject: `CN=${subject}`,
      issuer: ca.subject,
      publicKey: leafKeys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: algorithm,
      ...validity,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: subject }])],
    });
    const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', leafKeys.privateKey)).toString('base64');
    return {
      cert: leaf.toString('pem') + '\n' + ca.toString('pem'),
      key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    };
  };
  return { caCert: ca.toString('pem'), server: await issue(name), issue };
}
