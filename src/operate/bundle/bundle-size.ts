import { limits } from '../../core/limits.ts';

/** Limits of a bundle. They exceed the controller's own, because a slow parse on the client delays nobody else. */
export const bundleSize = { bytes: limits.bundleBytes, marks: limits.bundleMarks };
