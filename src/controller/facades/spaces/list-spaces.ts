import type { spaces as spec } from '../../../wire/facades/spaces.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { describeSpace, spacesOf } from '../shared/spaces.ts';

export function listSpaces(call: Call): ResultOf<typeof spec, 'ListSpaces'> {
  const view = call.read();
  return { results: spacesOf(view).map((space) => describeSpace(view, space)) };
}
