import { probeFreshness } from '../changes/probe-freshness.ts';
import { clientPeers, compareLibraries, libraryTargets } from '../client/compare-libraries.ts';
import { browsersOfProbe, probeBrowser } from '../client/probe-browser.ts';
import { probeVisible } from '../client/probe-visible.ts';
import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { installPeers } from '../peers/peer-packages.ts';
import type { Bench, ContenderPlan, Scenario } from '../scenario.ts';
import type { ProvisionedPart } from '../servers/provision-file.ts';
import { type BurgeeProcess, startBurgee } from '../servers/start-burgee.ts';

const scenario = 'client';
const tokenName = 'bench-write';
const visibleId = 'change-visible';
const streaming = 'burgee-client';
const browser = 'a browser by OFREP';
const evaluationApi = 'Evaluation API';

const visibleTargets: readonly Target[] = [
  {
    what: 'until an acknowledged change is in a connected client, p99 ms',
    comparison: visibleId,
    metric: 'p99Ms',
    contender: streaming,
    of: 'value',
    bound: { atMost: 1000 },
  },
];

/** An environment for each browser. */
const browsed: ProvisionedPart = {
  name: 'browsed',
  environments: Array.from({ length: browsersOfProbe }, (_, index) => `env-${index}`),
  tokens: [{ name: tokenName, permission: 'write' }],
  flags: [{ name: 'browsed' }],
};

async function compareVisible(bench: Bench): Promise<Comparison> {
  const project: ProvisionedPart = {
    name: 'client',
    tokens: [{ name: tokenName, permission: 'write' }],
    flags: ['streamed', 'asked'].map((name) => ({ name, enabled: true, trafficPercentage: 100 })),
  };
  const burgee = await startBurgee([project, browsed], { args: ['--management-rate-limit', '1000000000'] });
  try {
    return await bench.compare({
      id: visibleId,
      title:
        'From the acknowledgement of a change to the first answer that reflects it, one change after another.',
      driver: 'one connection for changes, another one for answers, in a process of their own',
      settings: { 'seconds a round': bench.settings.seconds },
      base: evaluationApi,
      metrics: [
        { key: 'p50Ms', label: 'p50, ms', better: 'less', digits: 3 },
        { key: 'p99Ms', label: 'p99, ms', better: 'less', digits: 3 },
      ],
      contenders: contendersOf(burgee),
    });
  } finally {
    await burgee.stop();
  }
}

function contendersOf({ origin, provisioned }: BurgeeProcess): readonly ContenderPlan[] {
  const project = provisioned.projects['client'];
  const writeToken = project?.tokens[tokenName]?.secret ?? '';
  const flagOf = (name: string) => ({ id: project?.flags[name] ?? '', environment: null, writeToken });
  const contender = (
    name: string,
    what: string,
    probe: (
      seconds: number,
    ) => Promise<{ readonly p50Us: number; readonly p99Us: number; readonly histogram: string }>,
  ): ContenderPlan => ({
    name,
    what,
    isWarmedUp: true,
    measure: async (seconds) => {
      const { p50Us, p99Us, histogram } = await probe(seconds);
      return { figures: { p50Ms: p50Us / 1000, p99Ms: p99Us / 1000 }, histogram };
    },
  });
  return [
    contender(evaluationApi, 'GET /v1/flags/ID: the first answer is fresh, always', (seconds) =>
      probeFreshness({ origin, flag: flagOf('asked'), seconds }),
    ),
    contender(streaming, 'burgee-client, which follows the stream', (seconds) =>
      probeVisible({ origin, flag: flagOf('streamed'), projectId: project?.id ?? '', seconds }),
    ),
    contender(
      browser,
      'A page that follows events of change: an event, and then the request for all flags that shows the change',
      (seconds) => {
        const { id = '', flags, tokens } = provisioned.projects[browsed.name] ?? {};
        const flag = { id: flags?.['browsed'] ?? '', writeToken: tokens?.[tokenName]?.secret ?? '' };
        return probeBrowser({
          origin,
          projectId: id,
          flag,
          environments: browsed.environments ?? [],
          seconds,
        });
      },
    ),
  ];
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const visible = await compareVisible(bench);
  try {
    await installPeers((text) => bench.note(text));
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault);
    const missing = clientPeers.map((name) => ({ name, why }));
    return { scenario, comparisons: [visible], targets: visibleTargets, missing };
  }
  const libraries = await compareLibraries(bench);
  return {
    scenario,
    comparisons: [libraries, visible],
    targets: [...libraryTargets, ...visibleTargets],
    missing: [],
  };
}

export const clientScenario: Scenario = {
  name: scenario,
  summary: 'burgee-client in process, against other libraries; from a change to its visibility there',
  runsElsewhere: false,
  run,
};
