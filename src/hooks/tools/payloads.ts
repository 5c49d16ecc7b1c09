import { JujuError } from '../../core/errors.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import { atMost, defineTool, type Tool } from '../tool.ts';

const statuses = ['starting', 'running', 'stopping', 'stopped'];

/**
 * Payload tools. Payloads are only shown to operators, and Juju 4 has none: the arguments are checked and logged, so
 * that charms which use them run.
 */
export const payloadTools: readonly Tool[] = [
  payloadTool(
    'payload-register',
    ['type', 'class', 'id'],
    '[tags...]',
    'Register a charm payload with Juju.',
  ),
  payloadTool('payload-unregister', ['class', 'id'], '', 'Stop tracking a payload.'),
  payloadTool('payload-status-set', ['class', 'id', 'status'], '', 'Update the status of a payload.'),
];

function payloadTool(name: string, required: readonly string[], optional: string, purpose: string): Tool {
  return defineTool({
    name,
    args: [...required.map((word) => `<${word}>`), optional].filter(Boolean).join(' '),
    purpose,
    flags: {},
    run({ args, context }) {
      const missing = required.slice(args.length);
      if (missing.length > 0) throw new UsageError(`missing ${missing[0]}`);
      if (optional === '') atMost(args, required.length);
      const status = args[required.indexOf('status')];
      if (status !== undefined && !statuses.includes(status)) {
        throw new JujuError(
          'not valid',
          `status ${JSON.stringify(status)} not supported; expected one of ${JSON.stringify(statuses)}`,
        );
      }
      context.log('DEBUG', [name, ...args].join(' '));
    },
  });
}
