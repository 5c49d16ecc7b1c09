import { JujuError } from '../../core/errors.ts';
import { payloadStatuses, type PayloadStatus } from '../../core/payloads/payloads.ts';
import { readYamlValue } from '../../kit/yaml/read.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import { atMost, defineTool, type Tool } from '../tool.ts';

/** Payload tools; a new payload is checked against the charm's metadata in the caller's folder. */
export const payloadTools: readonly Tool[] = [
  defineTool({
    name: 'payload-register',
    args: '<type> <class> <id> [tags...]',
    purpose: 'Register a charm payload with Juju.',
    flags: {},
    async run({ args, context, readBytes }) {
      const [type, name, id] = required(args, ['type', 'class', 'id']);
      checkPayload(await readBytes('metadata.yaml'), { type, name });
      await context.changePayload(name, id, { kind: 'register', type, labels: args.slice(3) });
    },
  }),
  defineTool({
    name: 'payload-unregister',
    args: '<class> <id>',
    purpose: 'Stop tracking a payload.',
    flags: {},
    async run({ args, context }) {
      const [name, id] = required(args, ['class', 'id']);
      atMost(args, 2);
      await context.changePayload(name, id, { kind: 'unregister' });
    },
  }),
  defineTool({
    name: 'payload-status-set',
    args: '<class> <id> <status>',
    purpose: 'Update the status of a payload.',
    flags: {},
    async run({ args, context }) {
      const [name, id, status] = required(args, ['class', 'id', 'status']);
      atMost(args, 3);
      if (!isStatus(status)) {
        throw new JujuError(
          'not valid',
          `status ${JSON.stringify(status)} not supported; expected one of ${JSON.stringify(payloadStatuses)}`,
        );
      }
      await context.changePayload(name, id, { kind: 'set status', status });
    },
  }),
];

function isStatus(text: string): text is PayloadStatus {
  return payloadStatuses.some((status) => status === text);
}

/** Returns the required arguments. Errors: UsageError that names the first missing one. */
function required<const N extends readonly string[]>(
  args: readonly string[],
  names: N,
): { readonly [K in keyof N]: string } {
  const missing = names[args.length];
  if (missing !== undefined) throw new UsageError(`missing ${missing}`);
  return args.slice(0, names.length) as unknown as { readonly [K in keyof N]: string };
}

/** Checks a payload against the charm's metadata. Errors: `not found`, `not valid`. */
function checkPayload(
  metadata: Buffer,
  { type, name }: { readonly type: string; readonly name: string },
): void {
  const { payloads } = Object(readYamlValue(metadata.toString(), { dialect: 'juju' })) as {
    payloads?: unknown;
  };
  const known = new Map(Object.entries(Object(payloads) as Record<string, unknown>));
  if (!known.has(name))
    throw new JujuError('not found', `payload ${JSON.stringify(name)} not found in metadata.yaml`);
  const { type: expected } = Object(known.get(name)) as { type?: unknown };
  if (expected !== type)
    throw new JujuError(
      'not valid',
      `incorrect type ${JSON.stringify(type)} for payload ${JSON.stringify(name)}, expected ${JSON.stringify(expected ?? '')}`,
    );
}
