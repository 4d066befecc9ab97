import type { Comparison, ScenarioReport } from '../comparison.ts';
import type { BenchRequest } from '../load/request-list.ts';
import { askElsewhere } from '../measure/ask-elsewhere.ts';
import { compareThroughput } from '../measure/compare-throughput.ts';
import type { Bench, Scenario, ServerElsewhere } from '../scenario.ts';
import { projectOfSize, userName } from '../servers/flag-fixtures.ts';
import { listFlags } from '../servers/flags-elsewhere.ts';
import { ensureMixElsewhere, flagsElsewhere } from '../servers/mixed-elsewhere.ts';
import { checkSameAnswers } from '../servers/same-answers.ts';
import { type BurgeeProcess, startBurgee } from '../servers/start-burgee.ts';
import { startBareServer } from '../servers/start-limits.ts';
import { findTypicalAnswer } from '../servers/typical-answer.ts';
import { withServers } from '../servers/with-servers.ts';

const scenario = 'evaluate-project';
const sizes = [10, 100, 1000, 10_000] as const;
const quickSizes = [10, 100] as const;
const targetingKeys = 1000;
const answersSampled = 20;
/** A worker builds all requested lists concurrently, in slices. With more flags under way, some would miss the deadline. */
const flagsUnderWayMax = 160_000;
const framed = 'Long answers come in chunks, the bare ones with a Content-Length; everything else is alike.';

function connectionsFor(size: number, { settings }: Bench): number {
  return Math.max(1, Math.min(settings.connections, Math.floor(flagsUnderWayMax / size)));
}

function requestsFor(projectId: string): BenchRequest[] {
  return Array.from({ length: targetingKeys }, (_unused, number) => ({
    path: `/v1/flags/project/${projectId}?targetingKey=${userName(number)}`,
    status: 200,
  }));
}

function compareSize(bench: Bench, burgee: BurgeeProcess, size: number): Promise<Comparison[]> {
  const { origin, pid, provisioned } = burgee;
  const projectId = provisioned.projects[projectName(size)]?.id ?? '';
  return withServers(async (keep) => {
    const requests = requestsFor(projectId);
    const typical = await findTypicalAnswer(origin, requests, answersSampled);
    const bare = await keep(startBareServer(typical.body));
    await checkSameAnswers(typical.path, { burgee: origin, bare: bare.origin }, true);
    return await compareThroughput(bench, {
      title: `All flags of a project of ${size.toLocaleString('en-GB')}`,
      base: 'bare',
      connections: connectionsFor(size, bench),
      idSuffix: `-${size}`,
      flagsOfAnswer: size,
      settings: { flags: size, 'targeting keys': targetingKeys, 'bytes of an answer': typical.body.length },
      remarks: [framed],
      contenders: [
        {
          name: 'burgee',
          what: 'Burgee, started with its default settings',
          pid,
          list: { origin, requests },
        },
        {
          name: 'bare',
          what: 'The limit: a constant answer of uWebSockets.js with as many bytes',
          pid: bare.pid,
          list: { origin: bare.origin, requests },
        },
      ],
    });
  });
}

function projectName(size: number): string {
  return `project-of-${size}`;
}

function runHere(bench: Bench): Promise<ScenarioReport> {
  const measured = bench.settings.isQuick ? quickSizes : sizes;
  return withServers(async (keep) => {
    bench.note('applying the projects');
    const burgee = await keep(startBurgee(measured.map((size) => projectOfSize(projectName(size), size))));
    const comparisons: Comparison[] = [];
    for (const size of measured) comparisons.push(...(await compareSize(bench, burgee, size)));
    return { scenario, comparisons, targets: [], missing: [] };
  });
}

/** The token's project may have other flags; the flags of the mix are added to it. */
async function runElsewhere(bench: Bench, server: ServerElsewhere): Promise<ScenarioReport> {
  bench.note('looking for the flags of the mix, and creating those that are not there');
  await ensureMixElsewhere(server, bench.settings.isQuick ? quickSizes[0] : flagsElsewhere);
  const { length: size } = await listFlags(server);
  return await askElsewhere(bench, server, {
    scenario,
    title: `All ${size} flags of the token's project`,
    what: 'All flags of the project, evaluated',
    requests: requestsFor(server.projectId),
    connections: connectionsFor(size, bench),
    flagsOfAnswer: size,
    settings: { flags: size, 'targeting keys': targetingKeys },
    remarks: ['The answer of /health is short: the ratio says little where the list is long.'],
  });
}

export const evaluateProjectScenario: Scenario = {
  name: scenario,
  summary: 'the whole list of projects of 10 to 10,000 flags: against a bare answer of as many bytes',
  runsElsewhere: true,
  run: (bench) => {
    const { elsewhere } = bench.settings;
    return elsewhere === null ? runHere(bench) : runElsewhere(bench, elsewhere);
  },
};
