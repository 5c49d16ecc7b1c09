import { hasVersion, type FacadeSpec } from '../wire/facade-spec.ts';

/** Returns the announced versions that have the method. */
export function versionsOf(spec: FacadeSpec, method: string): readonly number[] {
  return spec.versions.filter((version) => hasVersion(spec.methods[method]!, version));
}
