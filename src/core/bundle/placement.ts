/** Placements of a bundle's units, and their text. */
import { notValid } from '../errors.ts';
import { isApplicationName, isUnitName, unitApplication } from '../names.ts';
import { isContainerType } from '../placement.ts';
import type { BundlePlacement } from './bundle.ts';
import { defined } from '../defined.ts';

/**
 * Parses a placement: `new`, a machine of the bundle (`3`), an application (`mysql`), a unit (`mysql/0`), each also in
 * a container (`lxd:3`; `lxd` alone is `lxd:new`), or a directive for the provider (`zone=z1`). Errors: `not valid`.
 */
export function parseBundlePlacement(text: string): BundlePlacement {
  const colon = text.indexOf(':');
  if (isContainerType(text)) return { container: text, on: { kind: 'new' } };
  const container = colon < 0 ? undefined : text.slice(0, colon);
  const target = text.slice(colon + 1);
  if (container !== undefined && !isContainerType(container))
    throw notValid(`invalid placement "${text}": "${container}" is not a container type: use lxd or kvm`);
  const on = parseTarget(target);
  if (!on || (on.kind === 'directive' && container !== undefined))
    throw notValid(
      `invalid placement "${text}": expected new, a machine of the file, an application or one of its units, or one of these in a container, such as lxd:0`,
    );
  return { ...defined({ container }), on };
}

/** The text that parses to the placement. */
export function formatBundlePlacement({ container, on }: BundlePlacement): string {
  const target = formatTarget(on);
  if (container === undefined) return target;
  return on.kind === 'new' ? container : `${container}:${target}`;
}

/** Whether the text is a number of a bundle's machine; containers have none. */
export function isBundleMachine(text: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(text);
}

function parseTarget(text: string): BundlePlacement['on'] | undefined {
  if (text === 'new') return { kind: 'new' };
  if (isBundleMachine(text)) return { kind: 'machine', machine: text };
  if (isUnitName(text)) {
    const application = unitApplication(text);
    return { kind: 'unit', application, unit: Number(text.slice(application.length + 1)) };
  }
  if (isApplicationName(text)) return { kind: 'unit', application: text };
  return /^[^\s=]+=/.test(text) ? { kind: 'directive', directive: text } : undefined;
}

function formatTarget(on: BundlePlacement['on']): string {
  switch (on.kind) {
    case 'new':
      return 'new';
    case 'machine':
      return on.machine;
    case 'unit':
      return on.unit === undefined ? on.application : `${on.application}/${on.unit}`;
    case 'directive':
      return on.directive;
  }
}
