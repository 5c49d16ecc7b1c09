import { hasCode } from '../core/errors.ts';
import { formatPortRange, parsePortRange } from '../core/ports.ts';
import { UsageError } from '../kit/gnuflag.ts';
import type { HookContext } from './context.ts';
import { endpointList } from './ports.ts';
import { atMost, defineTool, type Tool } from './tool.ts';

/** Defines open-port and close-port: `change` gets each endpoint ('' = all) and the range as it is stored. */
export function portTool(
  name: string,
  purpose: string,
  change: (context: HookContext, endpoint: string, range: string) => void,
): Tool {
  return defineTool({
    name,
    args: '<port>[/<protocol>] | <from>-<to>[/<protocol>] | icmp',
    purpose,
    flags: {
      endpoints: { kind: 'string', help: 'Comma-separated endpoints that the port is for; default: all' },
      format: { kind: 'string', help: 'Deprecated, does nothing' },
    },
    run({ args, flags, context }) {
      if (args[0] === undefined) throw new UsageError('no port or range specified');
      atMost(args, 1);
      const range = rangeText(args[0]);
      for (const endpoint of endpointList(context, flags.endpoints)) change(context, endpoint, range);
    },
  });
}

function rangeText(argument: string): string {
  try {
    return formatPortRange(parsePortRange(argument));
  } catch (error) {
    if (!hasCode(error, 'not valid')) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
