import { closePort as close, endpointList, portRangeText } from '../ports.ts';
import { atMost, defineTool, UsageError } from '../tool.ts';

export const closePort = defineTool({
  name: 'close-port',
  args: '<port>[/<protocol>] | <from>-<to>[/<protocol>] | icmp',
  purpose: 'Register a request to close a port or port range.',
  flags: {
    endpoints: { kind: 'string', help: 'Comma-separated endpoints that the port is for; default: all' },
    format: { kind: 'string', help: 'Deprecated, does nothing' },
  },
  run({ args, flags, context }) {
    if (args[0] === undefined) throw new UsageError('no port or range specified');
    atMost(args, 1);
    const range = portRangeText(args[0]);
    for (const endpoint of endpointList(context, flags.endpoints)) close(context, endpoint, range);
  },
});
