import { counter, type MetricShape } from './metric.ts';

/** Of threads that are named so, all together. */
export function eventLoopActive(...threads: readonly string[]): MetricShape {
  return counter(
    'burgee_event_loop_active_seconds_total',
    'Seconds that event loops have worked, by thread, those of all workers together: its rate is the busy share of the thread.',
    threads.map((thread) => ({ thread })),
  );
}
