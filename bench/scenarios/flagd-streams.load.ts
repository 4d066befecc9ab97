import { freePort } from '../../test/support/free-port.ts';
import { canMeterProcesses, meterProcess } from '../load/process-meter.ts';
import { openMeasured } from '../measure/measured-streams.ts';
import { changesOfRound, type HeldStreams } from '../measure/sync-streams.ts';
import type { Bench, ContenderPlan, Measurement, Scenario } from '../scenario.ts';
import type { ProvisionedPart } from '../servers/provision-file.ts';
import { startBurgee } from '../servers/start-burgee.ts';
import { withServers } from '../servers/with-servers.ts';

const scenario = 'flagd-streams';
const ofSync = 'streams of sync';
const ofFlagd = "streams of flagd's providers";
const flagCount = 100;
const project: ProvisionedPart = {
  name: 'synced',
  tokens: [{ name: 'write', permission: 'write' }],
  flags: Array.from({ length: flagCount }, (_, index) => ({
    name: `flag-${index}`,
    enabled: true,
    trafficPercentage: 50,
  })),
};
const cpuMetric = {
  key: 'cpuUs',
  label: 'server CPU for each stream and change, µs',
  better: 'less',
  digits: 1,
} as const;
/** Measures a fresh server. */
function measure(count: number, isOfFlagd: boolean): Promise<Measurement> {
  return withServers(async (keep) => {
    const port = await freePort();
    const args = ['--management-rate-limit', '1000000000', '--flagd-sync-port', String(port)];
    const server = await keep(startBurgee([project], { args }));
    const made = server.provisioned.projects[project.name];
    const [token, flag] = [made?.tokens['write']?.secret, made?.flags['flag-0']];
    if (made === undefined || token === undefined || flag === undefined) {
      throw new Error('nothing was provisioned');
    }
    const { origin, pid } = server;
    const held: HeldStreams = {
      ...{ origin, count, token, flag, project: made.id, flagdPort: isOfFlagd ? port : null },
    };
    const { streams, bytes } = await openMeasured(pid, held);
    try {
      const used = canMeterProcesses() ? meterProcess(pid) : null;
      const { p50Ms, p99Ms, allMs } = await streams.change();
      const cpu = used === null ? {} : { cpuUs: used().processUs / (count * changesOfRound) };
      return { bytes, ...cpu, p50Ms, p99Ms, allMs };
    } finally {
      await streams.end();
    }
  });
}

function contender(name: string, what: string, count: number): ContenderPlan {
  return {
    ...{ name, what, isWarmedUp: false },
    measure: async () => ({ figures: await measure(count, name === ofFlagd) }),
  };
}

async function run(bench: Bench) {
  const count = bench.settings.isQuick ? 20 : 1000;
  const comparison = await bench.compare({
    id: 'memory',
    title: `Memory of ${count.toLocaleString('en-GB')} open streams, and a change's way to them`,
    driver: 'a process that holds the streams, each over its connection, and makes the changes',
    settings: { streams: count, 'flags of the configuration': flagCount },
    rounds: Math.min(3, bench.settings.rounds),
    base: ofSync,
    metrics: [
      { key: 'bytes', label: 'memory of the server for each stream, bytes', better: 'less', digits: 0 },
      ...(canMeterProcesses() ? [cpuMetric] : []),
      { key: 'p50Ms', label: 'acknowledged change at a stream, p50, ms', better: 'less', digits: 1 },
      { key: 'p99Ms', label: 'p99, ms', better: 'less', digits: 1 },
      { key: 'allMs', label: 'at all streams, p99 of the changes, ms', better: 'less', digits: 1 },
    ],
    contenders: [
      contender(ofSync, 'Events: a change sends the flag that changed', count),
      contender(ofFlagd, 'gRPC: a change sends the whole configuration', count),
    ],
  });
  return { scenario, comparisons: [comparison], targets: [], missing: [] };
}

export const flagdStreamsScenario: Scenario = {
  name: scenario,
  summary:
    "1,000 streams of flagd's providers, and as many of sync: memory, and how soon a change reaches all",
  runsElsewhere: false,
  run,
};
