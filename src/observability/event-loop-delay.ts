import { monotonicMs } from '../support/monotonic-clock.ts';
import { durationBounds } from './duration-bounds.ts';
import { histogram, type Metric, type MetricShape } from './metric.ts';
import { type MetricCells, observe } from './metric-cells.ts';

/** Each thread with an event loop has one series. */
export function eventLoopDelay(thread: string): MetricShape {
  return histogram(
    'burgee_event_loop_delay_seconds',
    'How late a timer came that is due every 100 ms, by thread: the longest that anything else in its event loop took.',
    durationBounds,
    [{ thread }],
  );
}

/** Each look wakes a thread that is idle. */
const intervalMs = 100;

/** Watches the event loop of this thread until the timer is cleared. It does not keep the thread alive. */
export function watchEventLoop(cells: MetricCells, metric: Metric): NodeJS.Timeout {
  let lookedAt = monotonicMs();
  const timer = setInterval(() => {
    const now = monotonicMs();
    observe(cells, metric, 0, Math.max(0, now - lookedAt - intervalMs) / 1000);
    lookedAt = now;
  }, intervalMs);
  return timer.unref();
}
