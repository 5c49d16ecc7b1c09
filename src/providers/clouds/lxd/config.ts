import { notValid } from '../../../core/errors.ts';
import type { AttributeSchema, Environ, ProviderConfig } from '../../contract/provider.ts';
import { validateConfig as validateAgainst } from '../../toolkit/validate-config.ts';

export const configSchema: AttributeSchema = {
  project: {
    type: 'string',
    description: 'The LXD project with the resources of the model; it must exist',
    default: 'default',
    immutable: true,
  },
  'image-metadata-url': {
    type: 'string',
    description:
      'An https server with simplestreams of images for LXD, asked before the usual ones (cloud-images.ubuntu.com, images.lxd.canonical.com)',
  },
  'image-stream': {
    type: 'string',
    description: "Which of Ubuntu's images: released (usual) or daily",
    values: ['released', 'daily'],
  },
  'storage-default-filesystem-source': {
    type: 'string',
    description: 'The pool of file systems that are asked for without one (usual: lxd)',
    default: 'lxd',
  },
};

export const authTypes: Readonly<Record<string, AttributeSchema>> = {
  certificate: {
    'client-cert': {
      type: 'string',
      description: "The client's certificate (PEM), known to the server",
      file: true,
    },
    'client-key': { type: 'string', description: 'Its key (PEM)', secret: true, file: true },
    'server-cert': {
      type: 'string',
      description: "The server's certificate (PEM); no other is accepted",
      file: true,
      optional: true,
    },
  },
  interactive: {
    'trust-token': {
      type: 'string',
      description: "What 'lxc config trust add' printed on the server",
      secret: true,
      optional: true,
    },
    'trust-password': {
      type: 'string',
      description: "The server's trust password, on servers that support one",
      secret: true,
      optional: true,
    },
  },
  /** Unix sockets need no credential: anyone who can open the socket has full access. */
  empty: {},
};

export const boilerplate = `# LXD on this host needs none of this: run grigri bootstrap localhost.
# One on another host (there: lxc config set core.https_address :8443, then lxc config trust add):
clouds:
  my-lxd:
    type: lxd
    # certificate: a client certificate that the server knows; interactive: a trust token is asked for, and
    # becomes such a certificate.
    auth-types: [certificate, interactive]
    endpoint: https://192.0.2.10:8443
    # Members of a cluster are availability zones; a region is only a name.
    regions: {default: {}}
    # project: LXD's project that machines, profiles and volumes are made in.
    # image-metadata-url: a simplestreams server of your own, asked before the usual ones.
    # image-stream: released | daily, of Ubuntu.
    # storage-default-filesystem-source: the pool of file systems that are asked for without one.
    # config: {project: default}
`;

/** Validates the provider's settings. Errors: JujuError `not valid`. */
export function validateConfig(config: ProviderConfig, previous?: ProviderConfig): ProviderConfig {
  const full = validateAgainst(configSchema, config, previous);
  const project = projectOf(full);
  if (!/^[^\s/'"?#&]+$/.test(project) || project === '*' || /^\.\.?$/.test(project))
    throw notValid(`project: "${project}" is not a valid name of an LXD project`);
  const url = full['image-metadata-url'];
  if (typeof url === 'string' && url !== '' && !/^https:\/\/[^\s/]+/.test(url))
    throw notValid(`image-metadata-url: expected an https URL, which LXD requires, got "${url}"`);
  return full;
}

export function projectOf(config: ProviderConfig): string {
  const { project } = config;
  return typeof project === 'string' && project !== '' ? project : 'default';
}

export const containerTypes: readonly string[] = ['lxd'];

/** Juju's names of architectures by LXD's. */
const architectures: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  aarch64: 'arm64',
  ppc64le: 'ppc64el',
  s390x: 's390x',
  riscv64: 'riscv64',
};

export const knownArchitectures: readonly string[] = Object.values(architectures);

/** Converts LXD's name of an architecture, `x86_64` → `amd64`. */
export function archOf(lxdName: string): string {
  return architectures[lxdName] ?? lxdName;
}

export const constraints: Environ['constraints'] = {
  unsupported: ['cpu-power', 'tags', 'allocate-public-ip', 'image-id'],
  conflicts: [],
  vocabulary: {
    // The server's architectures are only known after a request to it: see precheck.
    arch: knownArchitectures,
    container: ['none', ...containerTypes],
    'virt-type': ['container', 'virtual-machine'],
  },
};
