/**
 * Every thread's and every child process' entry, in one place. Compiled and bundled code lie in different folders; what
 * is named here lies at the same place below both (scripts/build-server.mjs reads it from here).
 */
export const threadEntries = {
  worker: new URL('./worker/connection-worker.js', import.meta.url),
  writer: new URL('./writer/thread/writer-worker.js', import.meta.url),
  notifier: new URL('./notifier/notifier-worker.js', import.meta.url),
  operator: new URL('./operator/operator-worker.js', import.meta.url),
} as const;

export const processEntries = {
  checkWalk: new URL('./cli/check-walk.js', import.meta.url),
  backupCopy: new URL('./cli/backup-copy.js', import.meta.url),
} as const;
