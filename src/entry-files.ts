/**
 * The entry file of every thread and child process, in one place. Compiled and bundled code lie in different folders,
 * but each file named here has the same path below both (scripts/build-server.mjs reads this list).
 */
export const threadEntries = {
  worker: new URL('./worker/connection-worker.js', import.meta.url),
  writer: new URL('./writer/thread/writer-worker.js', import.meta.url),
  cluster: new URL('./cluster/thread/cluster-worker.js', import.meta.url),
  notifier: new URL('./notifier/notifier-worker.js', import.meta.url),
  flagd: new URL('./flagd/flagd-worker.js', import.meta.url),
  passwords: new URL('./passwords/password-worker.js', import.meta.url),
  operator: new URL('./operator/operator-worker.js', import.meta.url),
} as const;

export const processEntries = {
  checkWalk: new URL('./cli/check-walk.js', import.meta.url),
  backupCopy: new URL('./cli/backup-copy.js', import.meta.url),
} as const;
