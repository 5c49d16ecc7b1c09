/** Where a machine finds what its host gives it; the shell that makes it (scripts.ts) knows them too. */

/** The controller's tools, at the same place in every machine and container. */
export const toolsAt = '/run/grigri/tools';
/** The root file system that the machine lies over, read-only; absent where no containers can be made. */
export const lowerAt = '/run/grigri/lower';
/** Root file systems of other bases, one folder each, read-only. */
export const imagesAt = '/run/grigri/images';
/** Folders of the host that no machine may see, one a line. */
export const hiddenAt = '/run/grigri/hidden';
/** In a machine's data folder: the files of the containers on it. */
export const containersAt = 'containers';
