import type { CliIo } from '../cli/io.ts';

/** Effects of the CLI on controllers; each is loaded when a command uses it. */
export const networkEffects: Pick<
  CliIo,
  | 'authorityAt'
  | 'connect'
  | 'discharge'
  | 'downloadBackup'
  | 'downloadCharm'
  | 'downloadResource'
  | 'receivedBackup'
  | 'register'
  | 'uploadCharm'
  | 'uploadImage'
  | 'uploadProgram'
  | 'uploadResource'
> = {
  authorityAt: async (...args) => (await import('../client/authority-at.ts')).authorityAt(...args),
  connect: async (options) => (await import('../client/connect.ts')).connect(options),
  discharge: async (options) => (await import('../client/discharge.ts')).discharge(options),
  downloadBackup: async (download) => (await import('../client/backups.ts')).downloadBackup(download),
  downloadCharm: async (download) => (await import('../client/http.ts')).downloadCharm(download),
  downloadResource: async (download) => (await import('../client/resources.ts')).downloadResource(download),
  receivedBackup: async (received) => (await import('../client/backups.ts')).receivedBackup(received),
  register: async (...args) => (await import('../client/register.ts')).register(...args),
  uploadCharm: async (upload) => (await import('../client/http.ts')).uploadCharm(upload),
  uploadImage: async (upload) => (await import('../client/http.ts')).uploadImage(upload),
  uploadProgram: async (upload) => (await import('../client/http.ts')).uploadProgram(upload),
  uploadResource: async (upload) => (await import('../client/resources.ts')).uploadResource(upload),
};
