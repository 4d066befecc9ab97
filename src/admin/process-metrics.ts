import { performance } from 'node:perf_hooks';
import { eventLoopActive } from '../observability/event-loop.ts';
import { counter, gauge, layOut, type MetricShape } from '../observability/metric.ts';
import { createMetricMemory, put } from '../observability/metric-cells.ts';
import { packageVersion } from '../support/package-root.ts';
import { isReady, type Readiness } from './admin-server.ts';
import type { MetricSource } from './prometheus-text.ts';

/** Always 1; its labels are the value, as Prometheus' users expect of such a metric. */
const build: MetricShape = {
  ...gauge('burgee_build_info', 'The version of Burgee, and of the Node that runs it.'),
  series: [{ version: packageVersion(), node: process.versions.node }],
};

const block = layOut({
  build,
  ready: gauge('burgee_ready', '1 while /ready answers 200, otherwise 0.'),
  active: eventLoopActive('front', 'writer'),
  cpu: counter('process_cpu_seconds_total', 'Processor time, user and system, of all threads.'),
  memory: gauge('process_resident_memory_bytes', 'Resident memory; pages of the store are part of it.'),
  heap: gauge('burgee_front_heap_bytes', "Memory of the main thread's JavaScript heap that is in use."),
  startedAt: gauge('process_start_time_seconds', 'When the process started, in Unix seconds.'),
});

export interface ProcessState {
  readiness(): Readiness;
  /** Seconds for which the writer's event loop was busy. */
  writerActiveSeconds(): number;
}

/** Metrics of the process itself, read when the metrics are requested. */
export function processMetrics(state: ProcessState): MetricSource {
  const cells = new Float64Array(createMetricMemory(block));
  const { metrics } = block;
  return {
    block,
    read: () => {
      const { user, system } = process.cpuUsage();
      put(cells, metrics.build, 1);
      put(cells, metrics.ready, isReady(state.readiness()) ? 1 : 0);
      put(cells, metrics.active, performance.eventLoopUtilization().active / 1000);
      put(cells, metrics.active, state.writerActiveSeconds(), 1);
      put(cells, metrics.cpu, (user + system) / 1e6);
      put(cells, metrics.memory, process.memoryUsage.rss());
      put(cells, metrics.heap, process.memoryUsage().heapUsed);
      put(cells, metrics.startedAt, performance.timeOrigin / 1000);
      return cells;
    },
  };
}
