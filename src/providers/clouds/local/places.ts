/** Paths at which a machine finds what its host provides; the scripts of scripts.ts use them too. */

/** Controller's tools, at the same path in every machine and container. */
export const toolsAt = '/run/grigri/tools';
/** Root file system below the machine's own, read-only; absent where no containers can be made. */
export const lowerAt = '/run/grigri/lower';
/** Root file systems of other bases, one folder each, read-only. */
export const imagesAt = '/run/grigri/images';
/** List of the host's folders that no machine may see, one per line. */
export const hiddenAt = '/run/grigri/hidden';
/** Name of the folder in a machine's data folder with the files of its containers. */
export const containersAt = 'containers';
