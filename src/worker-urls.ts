/** Every thread's entry, in one place. */
export const workerUrls = {
  evaluator: new URL('./evaluator/evaluator-worker.js', import.meta.url),
  writer: new URL('./writer/writer-worker.js', import.meta.url),
  notifier: new URL('./notifier/notifier-worker.js', import.meta.url),
  operator: new URL('./operator/operator-worker.js', import.meta.url),
} as const;
