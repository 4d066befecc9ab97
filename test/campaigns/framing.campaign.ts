import { type BootedServer, bootServer } from '../support/booted-server.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { expect } from '../support/expectations.ts';
import { withLifetime } from '../support/lifetime.ts';
import type { Campaign, CampaignContext } from './campaign.ts';
import { provisionProject } from './campaign-project.ts';
import { BurgeeReader, type BurgeeReading } from './framing/burgee-reading.ts';
import { createFramingCase, type FramingCase, type FramingTargets } from './framing/framing-case.ts';
import { type FramingFault, framingFaults, knownExceptions } from './framing/known-exceptions.ts';
import { type StrictParser, startHaproxyParser, startNodeParser } from './framing/strict-parsers.ts';
import { getRequest } from './wire-connection.ts';

const atOnce = 25;
const sentinelPath = '/sentinel';
/** Statuses of refusals: the bytes were read as a request, which was not carried out. */
const refusals = [400, 401, 404, 405, 431, 505];

interface Installation {
  readonly server: BootedServer;
  readonly targets: FramingTargets;
  readonly burgee: BurgeeReader;
}

/** What each strict parser saw, in order. */
interface StrictReading {
  readonly count: number;
  /** Whether all saw the same number of requests, and the valid one at the end. */
  readonly isSound: boolean;
  readonly shown: string;
}

async function readStrictly(parsers: readonly StrictParser[], bytes: string): Promise<StrictReading> {
  const readings = await Promise.all(
    parsers.map((parser) => parser.read(bytes + getRequest(sentinelPath), sentinelPath)),
  );
  const counts = readings.map(({ paths }) => paths.filter((path) => path !== sentinelPath).length);
  const hasSentinel = readings.every(({ paths }) => paths.at(-1) === sentinelPath);
  return {
    count: Math.min(...counts),
    isSound: hasSentinel && new Set(counts).size === 1,
    shown: parsers.map(({ name }, index) => `${name} ${readings[index]?.paths.join(' ') ?? ''}`).join('; '),
  };
}

/**
 * @returns the problem; null if Burgee saw no request that a strict parser did not see, or ended the connection there
 */
function findFault(strict: StrictReading, burgee: BurgeeReading): FramingFault | null {
  const extra = burgee.answers.length - strict.count;
  if (extra > 1) return 'many';
  if (extra === 1 && !burgee.isEnded) return 'open';
  if (burgee.isSentinelAnswered && (!strict.isSound || extra !== 0)) return 'goesOn';
  const isRefused = refusals.includes(burgee.answers.at(-1)?.status ?? 0);
  return extra === 1 && !isRefused ? 'carriedOut' : null;
}

function describe(
  { bytes, cut }: Pick<FramingCase, 'bytes' | 'cut'>,
  strict: StrictReading,
  burgee: BurgeeReading,
) {
  const answers = burgee.answers.map(({ status }) => status).join(' ');
  return `${JSON.stringify(bytes)}, cut ${cut}\nstrict: ${strict.shown}\nBurgee: ${answers}, ended ${burgee.isEnded}, sentinel ${burgee.isSentinelAnswered}`;
}

interface Tally {
  /** Cases in which all parsers saw the same requests to the end. */
  sound: number;
  /**
   * Cases in which Burgee and a strict parser saw different numbers of requests, or a strict parser refused to
   * continue.
   */
  disagreements: number;
  known: number;
}

interface NumberedCase extends FramingCase {
  readonly number: number;
}

async function tryCases(
  parsers: readonly StrictParser[],
  installation: Installation,
  cases: readonly NumberedCase[],
  tally: Tally,
): Promise<void> {
  const strict = await Promise.all(cases.map(({ bytes }) => readStrictly(parsers, bytes)));
  const burgee = await withLifetime(({ teardown }) =>
    installation.burgee.read({ teardown }, cases.map(partsOf)),
  );
  for (const [index, framing] of cases.entries()) {
    const [own, first] = [burgee[index], strict[index]];
    if (own === undefined || first === undefined) throw new Error('each case is read');
    // HAProxy waits for 300 ms at most: on a machine that stalls for longer it reads too little, so it reads again.
    const others = isUnexpected(framing, first, own) ? await readStrictly(parsers, framing.bytes) : first;
    if (own.answers.length !== others.count || !others.isSound) tally.disagreements += 1;
    else tally.sound += 1;
    const fault = findFault(others, own);
    if (fault === null) continue;
    expect(
      !isUnexpected(framing, others, own),
      `case ${framing.number}: ${framingFaults[fault]}: ${describe(framing, others, own)}`,
    );
    tally.known += 1;
  }
}

/** Whether Burgee reads a case otherwise than strict parsers, and no known exception says why. */
function isUnexpected({ touches }: FramingCase, strict: StrictReading, burgee: BurgeeReading): boolean {
  const fault = findFault(strict, burgee);
  if (fault === null) return false;
  // Strict parsers carry out the messages before it.
  const first = touches[strict.count] ?? [];
  return !knownExceptions.some(
    ({ name, faults, isOfOneMessage }) =>
      faults.includes(fault) && (isOfOneMessage ? first : touches.flat()).includes(name),
  );
}

function partsOf({ bytes, cut }: FramingCase): readonly string[] {
  return cut === null ? [bytes] : [bytes.slice(0, cut), bytes.slice(cut)];
}

/** An exception that no longer holds must be removed from the list and from the documentation. */
async function tryExceptions(parsers: readonly StrictParser[], installation: Installation): Promise<void> {
  for (const { name, reason, example } of knownExceptions) {
    const bytes = example(installation.targets);
    const strict = await readStrictly(parsers, bytes);
    const [burgee] = await withLifetime(({ teardown }) => installation.burgee.read({ teardown }, [[bytes]]));
    if (burgee === undefined) throw new Error('the example is read');
    const shown = describe({ bytes, cut: null }, strict, burgee);
    expect(
      findFault(strict, burgee) !== null,
      `the exception ${name} no longer exists (${reason}): ${shown}`,
    );
  }
}

async function install(context: CampaignContext): Promise<Installation> {
  const project = await provisionProject(context, { flags: 2 });
  const settings = {
    BURGEE_WORKERS: '1',
    BURGEE_MANAGEMENT_RATE_LIMIT: '100000000',
    BURGEE_CONSOLE_RATE_LIMIT: '100000000',
    BURGEE_FAILED_AUTHENTICATION_LIMIT: '100000000',
  };
  const server = await bootServer(context, { dataDir: project.dataDir, settings });
  const burgee = await BurgeeReader.open(server, project);
  context.teardown(() => burgee.destroy());
  const { flags, projectId, secret } = project;
  return { server, targets: { flag: flags[0] ?? '', projectId, secret }, burgee };
}

async function runFraming(context: CampaignContext): Promise<Tally> {
  const programs = debianPrograms('haproxy');
  const installation = await install(context);
  const parsers = [
    await startNodeParser(context),
    await startHaproxyParser(context, pathOf(programs, 'haproxy')),
  ];
  await tryExceptions(parsers, installation);
  const tally = { sound: 0, disagreements: 0, known: 0 };
  let batch: NumberedCase[] = [];
  for (const { number, random } of context.cases()) {
    batch.push({ ...createFramingCase(random, installation.targets), number });
    if (batch.length < atOnce) continue;
    await tryCases(parsers, installation, batch, tally);
    batch = [];
  }
  if (batch.length > 0) await tryCases(parsers, installation, batch, tally);
  const { server } = installation;
  await server.stop();
  const grave = server.lines.filter((line) => /"level":(50|60)\b/.test(line));
  expect(grave.length === 0, `the log has errors:\n${grave.slice(0, 3).join('\n')}`);
  return tally;
}

/** Sends valid, nearly valid and invalid HTTP/1.1, and compares Burgee with two strict parsers. */
export const framing: Campaign = {
  name: 'framing',
  summary:
    'where strict parsers see fewer requests in the same bytes, Burgee refuses, and ends the connection',
  sampleCount: 600,
  fullCount: 50_000,
  tools: ['haproxy'],
  async run(context) {
    const { sound, disagreements, known } = await runFraming(context);
    expect(context.count < 100 || sound > 0, 'no case was valid: valid requests must be tried too');
    return { sound, disagreements, 'known exceptions': known };
  },
};
