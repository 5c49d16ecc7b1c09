/** Open ports of a unit, including the hook's own changes that are not yet committed. */
import { JujuError } from '../core/errors.ts';
import { formatPortRange, parsePortRange, rangesOverlap } from '../core/ports.ts';
import type { HookContext } from './context.ts';

/** Returns the current ranges: endpoint ('' = all) → range texts. */
export function portsNow(context: HookContext): Map<string, Set<string>> {
  const now = new Map(
    Object.entries(context.openedPorts()).map(([endpoint, ranges]) => [endpoint, new Set(ranges)]),
  );
  for (const { endpoint, range } of context.changes.closePorts) now.get(endpoint)?.delete(range);
  for (const { endpoint, range } of context.changes.openPorts) {
    if (!now.has(endpoint)) now.set(endpoint, new Set());
    now.get(endpoint)!.add(range);
  }
  return now;
}

/** Opens a range. Errors: plain JujuError when it overlaps with another range of the unit. */
export function openPort(context: HookContext, endpoint: string, range: string): void {
  checkConflict(context, 'open', range);
  const { changes } = context;
  drop(changes.closePorts, endpoint, range);
  if (!portsNow(context).get(endpoint)?.has(range)) changes.openPorts.push({ endpoint, range });
}

/** Closes a range; a range that is not open is ignored. Errors: as `openPort`. */
export function closePort(context: HookContext, endpoint: string, range: string): void {
  checkConflict(context, 'close', range);
  if (endpoint === '') {
    for (const [each, ranges] of portsNow(context)) if (ranges.has(range)) closeOne(context, each, range);
    return;
  }
  // Ranges that are open for all endpoints and closed for one stay open for each other endpoint.
  if (portsNow(context).get('')?.has(range)) {
    closeOne(context, '', range);
    for (const other of context.endpoints()) if (other !== endpoint) openPort(context, other, range);
  }
  closeOne(context, endpoint, range);
}

/**
 * Parses `--endpoints a,b` to its names, or [''] for all. Errors: plain JujuError for an endpoint that the charm does
 * not have.
 */
export function endpointList(context: HookContext, argument: string): string[] {
  if (argument.trim() === '') return [''];
  const names = argument.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !context.endpoints().includes(name));
  if (unknown !== undefined) throw new JujuError('not found', `endpoint "${unknown}" not found`);
  return names;
}

function closeOne(context: HookContext, endpoint: string, range: string): void {
  const { changes } = context;
  drop(changes.openPorts, endpoint, range);
  if (portsNow(context).get(endpoint)?.has(range)) changes.closePorts.push({ endpoint, range });
}

function drop(list: { endpoint: string; range: string }[], endpoint: string, range: string): void {
  const index = list.findIndex((each) => each.endpoint === endpoint && each.range === range);
  if (index >= 0) list.splice(index, 1);
}

function checkConflict(context: HookContext, verb: 'open' | 'close', range: string): void {
  const requested = parsePortRange(range);
  const refuse = (open: string, unit: string): never => {
    throw new JujuError(
      '',
      `cannot ${verb} ${range} (unit "${context.unit}"): port range conflicts with ${open} (unit "${unit}")`,
    );
  };
  for (const ranges of portsNow(context).values()) {
    for (const openRange of ranges) {
      if (openRange === range || !rangesOverlap(requested, parsePortRange(openRange))) continue;
      refuse(openRange, context.unit);
    }
  }
  // ICMP has no ports.
  if (verb === 'close' || requested.protocol === 'icmp') return;
  for (const { unit, range: taken } of context.neighbourPorts())
    if (rangesOverlap(requested, taken)) refuse(formatPortRange(taken), unit);
}
