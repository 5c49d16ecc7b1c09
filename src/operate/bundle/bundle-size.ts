import { limits } from '../../core/limits.ts';

/** More than the controller reads: a client that takes long holds up nobody else. */
export const bundleSize = { bytes: limits.bundleBytes, marks: limits.bundleMarks };
