import { portsNow } from '../ports.ts';
import { atMost, defineTool } from '../tool.ts';

export const openedPorts = defineTool({
  name: 'opened-ports',
  args: '',
  purpose: 'List all ports or port ranges opened by the unit.',
  output: 'smart',
  flags: { endpoints: { kind: 'bool', help: 'Display the list of target endpoints for each port range' } },
  run({ args, flags, context }) {
    atMost(args, 0);
    const endpoints = new Map<string, string[]>();
    for (const [endpoint, ranges] of portsNow(context)) {
      for (const range of ranges) endpoints.set(range, [...(endpoints.get(range) ?? []), endpoint || '*']);
    }
    return [...endpoints]
      .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
      .map(([range, names]) => (flags.endpoints ? `${range} (${names.sort().join(', ')})` : range));
  },
});
