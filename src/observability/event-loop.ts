import { performance } from 'node:perf_hooks';
import { Lookout } from '../support/lookout.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { counter, durationBounds, histogram, type Metric, type MetricShape } from './metric.ts';
import { type MetricCells, observe } from './metric-cells.ts';

/** Sums the threads of the same name. */
export function eventLoopActive(...threads: readonly string[]): MetricShape {
  return counter(
    'burgee_event_loop_active_seconds_total',
    'Seconds for which event loops were busy, by thread; workers are summed. The rate is the busy share of the thread.',
    threads.map((thread) => ({ thread })),
  );
}

/** One series for each thread with an event loop. */
export function eventLoopDelay(thread: string): MetricShape {
  return histogram(
    'burgee_event_loop_delay_seconds',
    'How late a timer fired, by thread: the longest time that other work held the event loop. It is due every 100 ms, and every second in an idle thread.',
    durationBounds,
    [{ thread }],
  );
}

const pace = { busyMs: 100, idleMs: 1000 };
/** A thread whose event loop is busy for less than this fraction of the time is idle. */
const busyShare = 0.01;

/** Measures the event loop of this thread until it is closed. */
export function watchEventLoop(cells: MetricCells, metric: Metric): Lookout {
  let lookedAt = monotonicMs();
  let use = performance.eventLoopUtilization();
  return new Lookout((waitedMs) => {
    const now = monotonicMs();
    observe(cells, metric, 0, Math.max(0, now - lookedAt - waitedMs) / 1000);
    lookedAt = now;
    const before = use;
    use = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(use, before).utilization > busyShare;
  }, pace);
}
