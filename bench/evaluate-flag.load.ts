/**
 * `evaluate-flag`: one flag at 50 %, many targeting keys, against a bare uWebSockets.js server that gives a constant
 * answer with the same headers and as many bytes. Rounds alternate, so that a noisy machine blurs both alike.
 */
import { parseArgs } from 'node:util';
import { chooseDriver, generateLoad, type LoadDriver } from './load/load-generator.ts';
import { readCpuTime } from './load/process-cpu.ts';
import { type ServerProcess, startBareServer, startBurgee } from './load/server-process.ts';
import { median, spread } from './load/statistics.ts';

interface Round {
  readonly requestsPerSecond: number;
  readonly cpuUs: number;
  readonly mainThreadUs: number;
}

interface RunSettings {
  readonly driver: LoadDriver;
  readonly seconds: number;
  readonly connections: number;
  readonly flagId: string;
}

const provision = {
  organisations: [
    {
      name: 'Bench',
      plan: 'enterprise',
      projects: [{ name: 'bench', flags: [{ name: 'half', enabled: true, trafficPercentage: 50 }] }],
    },
  ],
};
const targetingKeys = 100_000;

async function measure(server: ServerProcess, settings: RunSettings): Promise<Round> {
  const { driver, seconds, connections, flagId } = settings;
  const before = readCpuTime(server.pid);
  const url = `${server.origin}/v1/flags/${flagId}`;
  const result = await generateLoad(driver, { url, connections, seconds, targetingKeys });
  const after = readCpuTime(server.pid);
  if (result.failures > 0)
    throw new Error(`${result.failures} requests to ${url} were not answered with 200`);
  return {
    requestsPerSecond: result.requestsPerSecond,
    cpuUs: (after.processUs - before.processUs) / result.requests,
    mainThreadUs: (after.mainThreadUs - before.mainThreadUs) / result.requests,
  };
}

function report(name: string, burgee: readonly number[], bare: readonly number[], digits: number): void {
  const ratios = burgee.map((value, index) => value / (bare[index] ?? Number.NaN));
  const noise = spread(ratios) > 0.2 ? '  (spread over 20 %: noise)' : '';
  const figures = [median(burgee), median(bare)].map((value) => value.toFixed(digits).padStart(10)).join('');
  console.log(
    `${name.padEnd(34)}${figures}${median(ratios).toFixed(3).padStart(10)}${`${(spread(ratios) * 100).toFixed(1)} %`.padStart(10)}${noise}`,
  );
}

const { values } = parseArgs({
  options: {
    duration: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '5' },
  },
});
const burgee = await startBurgee(provision);
const { flags } = (burgee.provisioned as { projects: { bench: { flags: { half: string } } } }).projects.bench;
const bare = await startBareServer(JSON.stringify({ id: flags.half, name: 'half', enabled: true }));
const settings: RunSettings = {
  driver: chooseDriver(),
  seconds: Number(values.duration),
  connections: Number(values.connections),
  flagId: flags.half,
};
try {
  const rounds = Number(values.rounds);
  const burgeeRounds: Round[] = [];
  const bareRounds: Round[] = [];
  await measure(burgee, { ...settings, seconds: 1 });
  await measure(bare, { ...settings, seconds: 1 });
  for (let round = 1; round <= rounds; round += 1) {
    console.error(`round ${round} of ${rounds}`);
    burgeeRounds.push(await measure(burgee, settings));
    bareRounds.push(await measure(bare, settings));
  }
  console.log(
    `evaluate-flag: ${settings.connections} connections, ${rounds} rounds of ${settings.seconds} s, driven by ${settings.driver}`,
  );
  console.log(
    `${''.padEnd(34)}${'burgee'.padStart(10)}${'bare'.padStart(10)}${'ratio'.padStart(10)}${'spread'.padStart(10)}`,
  );
  const pick = (key: keyof Round): [number[], number[]] => [
    burgeeRounds.map((round) => round[key]),
    bareRounds.map((round) => round[key]),
  ];
  report('requests a second', ...pick('requestsPerSecond'), 0);
  report('server CPU per request, µs', ...pick('cpuUs'), 2);
  report('main thread CPU per request, µs', ...pick('mainThreadUs'), 2);
} finally {
  await Promise.all([burgee.stop(), bare.stop()]);
}
