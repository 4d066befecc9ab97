import { bootServer, unlimited } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import type { Random } from '../../support/random.ts';
import { provisionProject } from '../campaign-project.ts';
import { getRequest, patchRequest, WireConnection } from '../wire-connection.ts';
import type { Misuse } from './misuse.ts';

const attempts = 200;

/** Ways to write one letter that are not the letter itself. */
const spellings: readonly ((letter: string) => string)[] = [
  (letter) => letter.toUpperCase(),
  (letter) => letter.toLowerCase(),
  (letter) => percentOf(letter),
  (letter) => percentOf(letter).replace('%', '%25'),
  (letter) => encodeURIComponent(String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
  (letter) => `${letter}${encodeURIComponent('\u0301')}`,
];
const separators = ['-', '_', '.', '%20', '%00', '%C2%AD', '%E2%80%8B', '%5B%5D'];
const before = ['amp;', '%26', 'x', ';', 'amp%3B', '%EF%BB%BF'];
const after = ['%20', 's', '%5B%5D', '%3Dtrue%26x', ';'];
const values = [
  'true',
  'true',
  'true',
  'TRUE',
  '1',
  'yes',
  '',
  '%EF%BD%94rue',
  'true%20',
  'tru',
  'on',
  'false%00',
];

function percentOf(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`;
}

/** @returns a query that means a dry run, well or badly written */
function spell(random: Random): string {
  const letters = [...'dryRun'].map((letter) =>
    random.chance(0.25) ? random.pick(spellings)(letter) : letter,
  );
  const at = random.integer(1, letters.length - 1);
  const edited = random.pick([
    letters,
    letters,
    [...letters.slice(0, at), random.pick(separators), ...letters.slice(at)],
    [random.pick(before), ...letters],
    [...letters, random.pick(after)],
  ]);
  const typed = ['dyrRun', 'dryRum', 'dryRn', 'drryRun', 'dryRunn'];
  const name = random.chance(0.1) ? random.pick(typed) : edited.join('');
  const written = `${name}=${random.pick(values)}`;
  return random.pick([written, `env=production&${written}`, `x=1;${written}`, `${written}&${written}`]);
}

/** However a dry run is written, it writes nothing: it is carried out as one, or refused. */
export const spelledDryRuns: Misuse = async (t, random) => {
  const { dataDir, flags, secret } = await provisionProject(t, { flags: 1 });
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const connection = await WireConnection.open(server.port);
  t.teardown(() => connection.destroy());
  const path = `/api/v1/flags/${flags[0]}`;
  const stored = async (): Promise<string> => (await connection.ask(getRequest(path, secret))).body;
  const first = await stored();
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const query = spell(random);
    const { status, body } = await connection.ask(
      patchRequest(`${path}?${query}`, secret, { enabled: false, trafficPercentage: attempt % 100 }),
    );
    expect(status === 200 || status === 400, `?${query}: ${status} ${body}`);
    expect((await stored()) === first, `?${query} has written: ${status} ${body}`);
  }
  await server.stop();
  return attempts;
};
