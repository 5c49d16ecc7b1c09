/**
 * Types of clouds that Juju has, with their authentication types and the attributes of these. A controller keeps clouds
 * of all of them; it makes models only on those that it has a provider for (provider-rules.md#clouds-of-other-types).
 */

/** Attribute of a credential. */
interface JujuAttribute {
  readonly type: 'string';
  readonly description: string;
  readonly secret?: boolean;
  readonly optional?: boolean;
  /** Whether the path of a file may stand for the attribute's value. */
  readonly file?: boolean;
}

type Schema = Readonly<Record<string, JujuAttribute>>;

const shown = (description: string): JujuAttribute => ({ type: 'string', description });
const optional = (description: string): JujuAttribute => ({ ...shown(description), optional: true });
const secret = (description: string): JujuAttribute => ({ ...shown(description), secret: true });
const file = (description: string): JujuAttribute => ({ ...secret(description), file: true });

const keys: Schema = { 'access-key': shown('Access key'), 'secret-key': secret('Secret key') };
const tenant: Schema = {
  'tenant-name': optional('Name of the project'),
  'tenant-id': optional('Id of the project'),
  version: optional('Version of the identity API'),
};

const types: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  azure: {
    interactive: {
      'subscription-id': optional('Subscription'),
      'resource-group': optional('Resource group'),
    },
    'service-principal-secret': {
      'application-id': shown('Application'),
      'application-object-id': optional('Object of the application'),
      'subscription-id': shown('Subscription'),
      'managed-subscription-id': optional('Subscription whose resources are managed'),
      'application-password': secret('Password of the application'),
    },
    'managed-identity': {
      'subscription-id': shown('Subscription'),
      'managed-identity-path': shown('Path of the managed identity'),
    },
  },
  ec2: {
    'access-key': keys,
    'instance-role': { 'instance-profile-name': shown('Instance profile') },
  },
  equinix: { 'access-key': { 'project-id': shown('Project'), 'api-token': secret('Token of the API') } },
  gce: {
    oauth2: {
      'client-id': shown('Client'),
      'client-email': shown('Email address of the client'),
      'private-key': secret('Private key of the client'),
      'project-id': shown('Project'),
    },
    jsonfile: { file: file('Key file of a service account') },
    'service-account': { 'service-account': shown('Email address of the service account') },
  },
  kubernetes: {
    userpass: { username: shown('User'), password: secret('Password') },
    oauth2: { Token: secret('Token'), 'rbac-id': optional('Id of the rules for access') },
    clientcertificate: {
      ClientCertificateData: shown('Certificate of the client'),
      ClientKeyData: secret('Key of the client'),
      'rbac-id': optional('Id of the rules for access'),
    },
  },
  lxd: {
    certificate: {
      'server-cert': file('Certificate of the server'),
      'client-cert': file('Certificate of the client'),
      'client-key': file('Key of the client'),
    },
    interactive: { 'trust-password': secret('Trust password') },
  },
  maas: { oauth1: { 'maas-oauth': secret('API key') } },
  manual: { empty: {} },
  oci: {
    httpsig: {
      user: shown('User'),
      tenancy: shown('Tenancy'),
      key: file('Private key of the user'),
      'pass-phrase': { ...secret('Passphrase of the key'), optional: true },
      fingerprint: shown('Fingerprint of the key'),
      region: optional('Region'),
    },
  },
  openstack: {
    'access-key': { ...keys, ...tenant },
    userpass: {
      username: shown('User'),
      password: secret('Password'),
      ...tenant,
      'domain-name': optional('Domain'),
      'project-domain-name': optional('Domain of the project'),
      'user-domain-name': optional('Domain of the user'),
    },
  },
  vsphere: {
    userpass: {
      user: shown('User'),
      password: secret('Password'),
      vmfolder: optional('Folder of the machines'),
    },
  },
};

/** Authentication types of a type of cloud that Juju has; undefined for any other type. */
export function authTypesOfJuju(type: string): readonly string[] | undefined {
  return Object.hasOwn(types, type) ? Object.keys(types[type]!) : undefined;
}

/** Attributes of credentials of a type that Juju has; undefined for any other. */
export function credentialSchemaOfJuju(type: string, authType: string): Schema | undefined {
  const ofType = Object.hasOwn(types, type) ? types[type]! : {};
  return Object.hasOwn(ofType, authType) ? ofType[authType] : undefined;
}
