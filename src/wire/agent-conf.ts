/** agent.conf of a machine agent, in Juju's format 2.0 (machine-environment.md#agent-conf). */
import { z } from 'zod';
import { JujuError } from '../core/errors.ts';
import { readYamlValue } from '../kit/yaml/read.ts';
import { defined } from '../core/defined.ts';

export interface AgentConf {
  /** Tag of the agent, such as `machine-3`. */
  readonly tag: string;
  /** UUID of the controller. */
  readonly controller: string;
  /** UUID of the model. */
  readonly model: string;
  /** Addresses of the controller as `host:port`, the most useful first. */
  readonly apiAddresses: readonly string[];
  /** CA certificate as PEM. */
  readonly caCert: string;
  readonly apiPassword: string;
  /**
   * First password, tried when the controller does not know `apiPassword` yet; absent once it does. Both are equal at
   * first: the agent then chooses its own.
   */
  readonly oldPassword?: string;
  readonly nonce: string;
  /** Version of the agent that was delivered with the file. */
  readonly upgradedToVersion: string;
  /** Type of the provider that created the machine: `local`, `lxd`, `manual`… */
  readonly providerType: string;
}

const header = '# format 2.0\n';
const schema = z.object({
  tag: z.string().startsWith('machine-'),
  controller: z.string().startsWith('controller-'),
  model: z.string().startsWith('model-'),
  apiaddresses: z.array(z.string()).min(1),
  cacert: z.string().min(1),
  apipassword: z.string().min(1),
  oldpassword: z.string().default(''),
  nonce: z.string(),
  upgradedToVersion: z.string(),
  // Files written before this key existed belong to local machines.
  values: z.object({ PROVIDER_TYPE: z.string() }).default({ PROVIDER_TYPE: 'local' }),
});

type Value = string | string[] | Record<string, string>;

/**
 * Renders the file as YAML, without the library, which takes as long as the rest of a start. The result holds a
 * password: only the owner may read the file.
 */
export function renderAgentConf(conf: AgentConf): string {
  const wire = {
    tag: conf.tag,
    upgradedToVersion: conf.upgradedToVersion,
    nonce: conf.nonce,
    controller: `controller-${conf.controller}`,
    model: `model-${conf.model}`,
    apiaddresses: [...conf.apiAddresses],
    cacert: conf.caCert,
    apipassword: conf.apiPassword,
    ...defined({ oldpassword: conf.oldPassword }),
    values: { PROVIDER_TYPE: conf.providerType },
  } satisfies z.input<typeof schema>;
  return header + Object.entries<Value>(wire).map(lines).join('');
}

function lines([key, value]: [string, Value]): string {
  if (typeof value === 'string') return `${key}: ${scalar(value)}\n`;
  const items = Array.isArray(value)
    ? value.map((item) => `- ${scalar(item)}`)
    : Object.entries(value).map(([name, text]) => `${name}: ${scalar(text)}`);
  return `${key}:\n${items.map((item) => `  ${item}\n`).join('')}`;
}

/** Scalar of YAML: tags as they are, other values in JSON's quotes, which YAML reads. */
function scalar(value: string): string {
  return /^[a-z]+-[a-z0-9-]+$/.test(value) ? value : JSON.stringify(value);
}

/** Parses an agent.conf. Errors: JujuError `not valid`. */
export function parseAgentConf(text: string): AgentConf {
  if (!text.startsWith(header))
    throw new JujuError('not valid', 'agent.conf does not begin with "# format 2.0"');
  let raw: unknown;
  try {
    raw = readYamlValue(text);
  } catch (cause) {
    throw new JujuError('not valid', `agent.conf is not valid YAML: ${(cause as Error).message}`, { cause });
  }
  const { success, data, error } = schema.safeParse(raw);
  if (!success) {
    const problems = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    throw new JujuError('not valid', `agent.conf: ${problems}`);
  }
  return {
    tag: data.tag,
    controller: data.controller.slice('controller-'.length),
    model: data.model.slice('model-'.length),
    apiAddresses: data.apiaddresses,
    caCert: data.cacert,
    apiPassword: data.apipassword,
    nonce: data.nonce,
    upgradedToVersion: data.upgradedToVersion,
    providerType: data.values.PROVIDER_TYPE,
    ...defined({ oldPassword: data.oldpassword || undefined }),
  };
}
