import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { findSocketPlace } from '../../src/operator/socket-place.ts';
import { ConsoleClient } from '../console/console-client.ts';
import { password, secretIn, twoOrganisations } from '../console/console-fixture.ts';
import { PreparedStore } from '../console/prepared-store.ts';
import { bootServer, listeningPort, unlimited } from '../support/booted-server.ts';
import { runBurgee, spawnBurgee } from '../support/burgee-command.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { expect } from '../support/expectations.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import type { Random } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Campaign } from './campaign.ts';
import { provisionProject } from './campaign-project.ts';
import { storedBytes } from './resources.ts';
import { getRequest, patchRequest, postRequest, WireConnection } from './wire-connection.ts';

/** One case of a kind of misuse. @returns how many attempts it made. @throws on a violation */
type Misuse = (t: Lifetime, random: Random) => Promise<number>;

const dryRuns = 200;

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
const writtenBefore = ['amp;', '%26', 'x', ';', 'amp%3B', '%EF%BB%BF'];
const writtenAfter = ['%20', 's', '%5B%5D', '%3Dtrue%26x', ';'];
const spelledValues = [
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
    [random.pick(writtenBefore), ...letters],
    [...letters, random.pick(writtenAfter)],
  ]);
  const typed = ['dyrRun', 'dryRum', 'dryRn', 'drryRun', 'dryRunn'];
  const name = random.chance(0.1) ? random.pick(typed) : edited.join('');
  const written = `${name}=${random.pick(spelledValues)}`;
  return random.pick([written, `env=production&${written}`, `x=1;${written}`, `${written}&${written}`]);
}

/** However a dry run is written, it writes nothing: it is carried out as one, or refused. */
const spelledDryRuns: Misuse = async (t, random) => {
  const { dataDir, flags, secret } = await provisionProject(t, { flags: 1 });
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const connection = await WireConnection.open(server.port);
  t.teardown(() => connection.destroy());
  const path = `/api/v1/flags/${flags[0]}`;
  const stored = async (): Promise<string> => (await connection.ask(getRequest(path, secret))).body;
  const first = await stored();
  for (let attempt = 0; attempt < dryRuns; attempt += 1) {
    const query = spell(random);
    const { status, body } = await connection.ask(
      patchRequest(`${path}?${query}`, secret, { enabled: false, trafficPercentage: attempt % 100 }),
    );
    expect(status === 200 || status === 400, `?${query}: ${status} ${body}`);
    expect((await stored()) === first, `?${query} has written: ${status} ${body}`);
  }
  await server.stop();
  return dryRuns;
};

const namesTried = 120;
const allowedParts = [
  'checkout',
  'Größe',
  '漢字',
  'תשלום',
  'دفع',
  '👩‍💻',
  '🇩🇪',
  'e\u0301',
  '=?utf-8?Q?x?=',
  '\u200d',
  '%0A',
  '&amp;',
];
/** Line and paragraph separators, and all controls of the direction of text (Unicode Standard Annex 9, 2). */
const refusedParts = [
  ...['\u2028', '\u2029', '\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e'],
  ...['\u2066', '\u2067', '\u2068', '\u2069', '\n', '\r', '\0', '\u0085', '\u001b'],
];

/** A name that breaks its line or turns text is refused, also in a change; every other one is stored as it was sent. */
const turningNames: Misuse = async (t, random) => {
  const { dataDir, secret } = await provisionProject(t, { flags: 1 });
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const connection = await WireConnection.open(server.port);
  t.teardown(() => connection.destroy());
  for (let attempt = 0; attempt < namesTried; attempt += 1) {
    const isBad = random.chance(0.5);
    const parts = [
      `${attempt} `,
      ...Array.from({ length: random.integer(1, 4) }, () => random.pick(allowedParts)),
      'z',
    ];
    if (isBad) parts.splice(random.integer(1, parts.length - 1), 0, random.pick(refusedParts));
    const name = parts.join('');
    const { status, body } = await connection.ask(postRequest('/api/v1/flags', { name }, secret));
    expect(status === (isBad ? 400 : 201), `${JSON.stringify(name)}: ${status} ${body}`);
    if (isBad) continue;
    const { id } = JSON.parse(body) as { readonly id: string };
    const read = await connection.ask(getRequest(`/api/v1/flags/${id}`, secret));
    const shown = JSON.parse(Buffer.from(read.body, 'latin1').toString()) as { readonly name: string };
    expect(shown.name === name, `${JSON.stringify(name)} is stored as ${JSON.stringify(shown.name)}`);
    const patched = await connection.ask(patchRequest(`/api/v1/flags/${id}`, secret, { enabled: true }));
    expect(
      patched.status === 200,
      `${JSON.stringify(name)} cannot be patched: ${patched.status} ${patched.body}`,
    );
  }
  await server.stop();
  return namesTried;
};

const makers = 3;
const linkTurns = 30;

interface Invitation {
  readonly secret: string;
  readonly maker: number;
  /** Until the maker was no Admin for a moment. */
  isValid: boolean;
}

/** An invitation works as long as its maker has been an Admin without a break: a later promotion revives none. */
const revivedLinks: Misuse = async (t, random) => {
  const prepared = new PreparedStore();
  const ownerId = prepared.addMember('owner');
  const admins = Array.from({ length: makers }, () => ({
    id: prepared.addMember('admin'),
    role: 'admin',
    revision: 1,
  }));
  const dataDir = temporaryDirectory(t);
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  const owner = prepared.client(t, server.port, ownerId);
  const invitations: Invitation[] = [];
  for (let turn = 0; turn < linkTurns; turn += 1) {
    const maker = random.integer(0, makers - 1);
    const admin = admins[maker];
    if (admin === undefined) continue;
    if (random.chance(0.5)) {
      const asked = { email: `guest-${turn}@example.test`, role: 'viewer' };
      const made = await prepared.client(t, server.port, admin.id).send('POST', '/invitations', asked);
      expect(made.status === (admin.role === 'admin' ? 201 : 403), `${admin.role} invites: ${made.text}`);
      if (made.status === 201) invitations.push({ secret: secretIn(made.json.url), maker, isValid: true });
    } else {
      admin.role = random.pick(['admin', 'editor', 'viewer'].filter((role) => role !== admin.role));
      const change = { revision: admin.revision, role: admin.role };
      const edited = await owner.send('PATCH', `/members/${admin.id}`, change);
      expect(edited.status === 200, `the role is changed: ${edited.text}`);
      admin.revision += 1;
      if (admin.role === 'admin') continue;
      for (const invitation of invitations) if (invitation.maker === maker) invitation.isValid = false;
    }
  }
  for (const [index, { secret, isValid }] of random.shuffle(invitations).entries()) {
    const client = new ConsoleClient(t, { port: server.port });
    const seen = await client.send('POST', '/link', { secret });
    expect(
      seen.status === (isValid ? 200 : 410),
      `invitation ${index}, ${isValid ? 'valid' : 'ended'}: ${seen.text}`,
    );
  }
  await server.stop();
  return invitations.length;
};

const networkAttempts = 400;
const networkLimit = 3;
/** Networks around an address that are counted, by the hexadecimal digits that their addresses share. */
const networks = [
  { digits: 16, failuresMax: networkLimit },
  { digits: 14, failuresMax: 4 * networkLimit },
  { digits: 12, failuresMax: 16 * networkLimit },
];

/** @returns 32 hexadecimal digits of an address in one of two /48 networks */
function addressOf(random: Random): string {
  const site = random.pick(['20010db80000', '20010db8ffff']);
  const subnet = random.integer(0, random.pick([3, 0xff, 0xffff]));
  return `${site}${subnet.toString(16).padStart(4, '0')}${random.integer(0, 0xffff).toString(16).padStart(16, '0')}`;
}

/** A client with a whole IPv6 network does not escape the limit of failed authentications. */
const networksOfOneClient: Misuse = async (t, random) => {
  const server = await bootServer(t, {
    dataDir: temporaryDirectory(t),
    settings: {
      BURGEE_TRUSTED_PROXIES: '127.0.0.1',
      BURGEE_FAILED_AUTHENTICATION_LIMIT: String(networkLimit),
    },
  });
  const connection = await WireConnection.open(server.port);
  t.teardown(() => connection.destroy());
  const failures = new Map<string, number>();
  for (let attempt = 0; attempt < networkAttempts; attempt += 1) {
    const address = addressOf(random);
    const counted = networks.map(({ digits, failuresMax }) => ({
      key: address.slice(0, digits),
      failuresMax,
    }));
    const isFull = counted.some(({ key, failuresMax }) => (failures.get(key) ?? 0) >= failuresMax);
    const written = address.replaceAll(/(.{4})(?!$)/g, '$1:');
    const { status } = await connection.ask(
      `GET /api/v1/token HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${written}\r\n\r\n`,
    );
    expect(status === (isFull ? 429 : 401), `attempt ${attempt}, ${written}: ${status}, full ${isFull}`);
    if (!isFull) for (const { key } of counted) failures.set(key, (failures.get(key) ?? 0) + 1);
  }
  await server.stop();
  return networkAttempts;
};

const email = 'owner@acme.example';
/** Wrong passwords for one account that an address may try in a window, before and after it had a hundred from all. */
const wrongMax = 10;
const wrongMaxThen = 2;
const wrongOfAccountMax = 100;

/**
 * Clients that guess passwords lock themselves out, and never the member, who is at another address. In some cases they
 * use all attempts of the account: then each address has fewer, but still some.
 */
const passwordGuessers: Misuse = async (t, random) => {
  const dataDir = temporaryDirectory(t);
  await provision(dataDir, temporaryDirectory(t), twoOrganisations);
  const server = await bootServer(t, { dataDir });
  let wrongOfAccount = 0;
  /** Tries wrong passwords, and at last the right one. */
  const attempt = async (localAddress: string, wrong: number): Promise<void> => {
    const client = new ConsoleClient(t, { port: server.port, localAddress });
    let own = 0;
    const isAllowed = (): boolean => own < (wrongOfAccount < wrongOfAccountMax ? wrongMax : wrongMaxThen);
    for (let turn = 0; turn < wrong; turn += 1) {
      const written = random.pick([email, email.toUpperCase(), `O${email.slice(1)}`]);
      const expected = isAllowed() ? 401 : 429;
      const asked = { email: written, password: `guess ${turn}` };
      const { status } = await client.send('POST', '/session', asked);
      expect(status === expected, `guess ${turn} of ${localAddress}: ${status}, not ${expected}`);
      if (status === 401) [own, wrongOfAccount] = [own + 1, wrongOfAccount + 1];
    }
    const expected = isAllowed() ? 200 : 429;
    const { status } = await client.send('POST', '/session', { email, password });
    expect(status === expected, `after ${own} guesses of ${localAddress}: ${status}, not ${expected}`);
  };
  const guessers = random.pick([1, 2, 4, 12]);
  for (let index = 1; index <= guessers; index += 1) {
    await attempt(`127.0.3.${index}`, guessers > 4 ? wrongMax : random.integer(1, wrongMax + 3));
  }
  await attempt('127.0.4.1', 1);
  await attempt('127.0.4.2', 0);
  await server.stop();
  return wrongOfAccount;
};

const commands = 3;
/** Most of it is the command's own start. After 15 s it gives up. */
const commandMsMax = 10_000;
/** Holders that do not stop at all would measure this test alone. */
const reopenMs = 5;
const beginnings = ['', 'P', 'POST /apply HTTP/1.1\r\n', 'POST /apply HTTP/1.1\r\nX: ', 'nonsense\r\n\r\n'];

/** Connections that say nothing, or not all, keep no command of the operator from the service. */
const heldOperatorSocket: Misuse = async (t, random) => {
  const dataDir = temporaryDirectory(t);
  await provision(dataDir, temporaryDirectory(t), twoOrganisations);
  const server = await bootServer(t, { dataDir });
  const path = findSocketPlace(dataDir);
  let isOver = false;
  let opened = 0;
  const sockets = new Set<Socket>();
  const hold = (): void => {
    if (isOver) return;
    const socket = connect(path).on('error', () => undefined);
    opened += 1;
    sockets.add(socket);
    socket.write(random.pick(beginnings));
    socket.resume().once('close', () => {
      sockets.delete(socket);
      void setTimeout(reopenMs).then(hold);
    });
  };
  t.teardown(() => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  });
  for (let index = random.integer(8, 64); index > 0; index -= 1) hold();
  for (let turn = 0; turn < commands; turn += 1) {
    const since = performance.now();
    const { code, stderr } = await runBurgee([
      'member',
      'sign-in-link',
      'owner@acme.example',
      '--data-dir',
      dataDir,
    ]);
    const tookMs = performance.now() - since;
    expect(code === 0, `a command during ${sockets.size} held connections ended with ${code}: ${stderr}`);
    expect(tookMs < commandMsMax, `a command during ${sockets.size} held connections took ${tookMs} ms`);
  }
  isOver = true;
  for (const socket of sockets) socket.destroy();
  await server.stop();
  return opened;
};

const starts = 3;
const gibibyte = 2 ** 30;
/** The start and the end of a service, on a slow machine. */
const limitedEndMsMax = 60_000;

/** Any limit of address space lets the service serve, or ends it in order with a message that names the limit. */
const limitedAddressSpace: Misuse = async (t, random) => {
  const prlimit = pathOf(debianPrograms('prlimit'), 'prlimit');
  const dataDir = temporaryDirectory(t);
  for (let start = 0; start < starts; start += 1) {
    const bytes = Math.round(2 ** (random.next() * 7 + 1) * gibibyte);
    const arguments_ = ['serve', '--data-dir', dataDir, '--port', '0', '--host', '127.0.0.1'];
    const child = spawnBurgee(arguments_, {}, [prlimit, `--as=${bytes}`]);
    t.teardown(() => child.kill('SIGKILL'));
    let output = '';
    let isAsked = false;
    const read = (text: string): void => {
      output += text;
      const isListening = output.split('\n').some((line) => listeningPort(line) !== null);
      // A second signal would end it at once.
      if (isListening && !isAsked) isAsked = child.kill('SIGTERM');
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    const given = `${(bytes / gibibyte).toFixed(1)} GiB of address space`;
    const ended = once(child, 'close', { signal: AbortSignal.timeout(limitedEndMsMax) });
    const [code, signal] = (await ended.catch(() => {
      throw new Error(`${given}: it neither serves nor ends: ${output.slice(-500)}`);
    })) as [number | null, NodeJS.Signals | null];
    const shown = `${given}: ${signal ?? code}: ${output.slice(-500)}`;
    expect(code === 1 || (code === 0 && isAsked), shown);
    expect(code === 0 || /address space.*ulimit -v/s.test(output), shown);
  }
  return starts;
};

/** The default of the drain time and what the process needs beyond it, on a busy machine. */
const unreadEndMsMax = 40_000;

/** A log that no process reads any more delays no answer, and SIGTERM still ends the process with 0. */
const unreadLog: Misuse = async (t, random) => {
  const { dataDir, flags, secret } = await provisionProject(t, { flags: 1 });
  const settings = { BURGEE_MANAGEMENT_RATE_LIMIT: '100000000' };
  const child = spawnBurgee(['serve', '--data-dir', dataDir, '--port', '0', '--host', '127.0.0.1'], settings);
  t.teardown(() => child.kill('SIGKILL'));
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout });
  let port = 0;
  for await (const line of lines) {
    port = listeningPort(line) ?? 0;
    if (port !== 0) break;
  }
  expect(port !== 0, 'the service listens');
  child.stdout.pause();
  const connection = await WireConnection.open(port);
  t.teardown(() => connection.destroy());
  // From less than what a pipe holds to several times as much; each request is a line.
  const requests = random.pick([50, 300, 1000, 4000]);
  for (let turn = 0; turn < requests; turn += 1) {
    const { status } = await connection.ask(getRequest(`/api/v1/flags/${flags[0]}`, secret));
    expect(status === 200, `request ${turn} with a log that is not read: ${status}`);
  }
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(unreadEndMsMax) });
  child.kill('SIGTERM');
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  expect(code === 0, `after ${requests} unread lines it ended with ${signal ?? code}`);
  return requests;
};

/** The longest list of a change, some 100 KB, which its record and its audit entry may hold twice. */
const itemsMax = 4000;
const largestChangeBytes = 400 * 1024;
/** Of what a server stores by itself, with pages that are split. */
const baseBytes = 512 * 1024;
/** Between changes of the other organisation, which take less than a page each. */
const quietPauseMs = 20;
const quietChangeBytes = 4096;
/** More changes than any quota of a case allows: each counts for some hundred bytes at least. */
const changesMax = 20_000;

interface Writer {
  readonly secret: string;
  readonly flagId: string;
}

interface Change {
  readonly request: string;
  /** Bytes that count at least: those of a new list, in the record and in the audit entry. */
  readonly leastBytes: number;
}

/** A change of any size, some of which change nothing. @param prefix of another list than all others */
function changeOf(random: Random, { secret, flagId }: Writer, prefix: string): Change {
  const path = `/api/v1/flags/${flagId}`;
  const kind = random.pick(['percentage', 'flag', 'list', 'list']);
  if (kind === 'percentage') {
    const request = patchRequest(path, secret, { trafficPercentage: random.integer(0, 100) });
    return { request, leastBytes: 0 };
  }
  if (kind === 'flag') {
    const name = `flag ${random.integer(0, 1e9)}`;
    return { request: postRequest('/api/v1/flags', { name }, secret), leastBytes: 0 };
  }
  const items = random.pick([1, 30, itemsMax / 10, itemsMax]);
  const cohorts = Array.from({ length: items }, (_, at) => `${prefix} ${String(at).padStart(16, '0')}`);
  return { request: patchRequest(path, secret, { cohorts }), leastBytes: 2 * cohorts.join('').length };
}

/**
 * Tokens of an organisation write until its quota of a day is used, on several connections at once. The store has not
 * grown by more than the quota allows, another organisation is never refused, and `kill -9` does not reset the count.
 */
const usedQuotas: Misuse = async (t, random) => {
  const dataDir = temporaryDirectory(t);
  const project = (name: string): object => ({
    name,
    flags: [{ name: 'flag' }],
    tokens: [{ name: 'ci', permission: 'write' }],
  });
  const organisation = (name: string, ...projects: readonly string[]): object => ({
    name,
    plan: 'enterprise',
    projects: projects.map(project),
  });
  const document = { organisations: [organisation('Hostile', 'one', 'two'), organisation('Quiet', 'quiet')] };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const [one, two, quiet] = ['one', 'two', 'quiet'].map((name): Writer => {
    const found = projectOf(provisioned, name);
    return { secret: tokenOf(found, 'ci').secret, flagId: idOf(found.flags, 'flag') };
  }) as [Writer, Writer, Writer];
  const quotaBytes = random.pick([20, 200, 2000, 8000]) * 1024;
  const settings = { ...unlimited, BURGEE_WRITTEN_BYTES_PER_DAY_MAX: String(quotaBytes) };
  const storedBefore = storedBytes(dataDir);
  let server = await bootServer(t, { dataDir, settings });
  let changes = 0;
  let writtenBytes = 0;

  const askQuiet = async (connection: WireConnection, turn: number): Promise<void> => {
    const { status, body } = await connection.ask(
      patchRequest(`/api/v1/flags/${quiet.flagId}`, quiet.secret, { trafficPercentage: turn % 100 }),
    );
    expect(status === 200, `the other organisation's change ${turn}: ${status} ${body}`);
  };
  /** Until the quota is used. */
  const write = async (writer: Writer, index: number): Promise<void> => {
    const connection = await WireConnection.open(server.port);
    t.teardown(() => connection.destroy());
    for (let turn = 0; turn < changesMax; turn += 1) {
      const { request, leastBytes } = changeOf(random, writer, `${index} ${turn}`);
      const { status, body } = await connection.ask(request);
      changes += 1;
      if (status === 429) {
        expect(body.includes('Write quota reached'), `change ${turn}: ${body}`);
        return;
      }
      expect(status === 200 || status === 201, `change ${turn}: ${status} ${body}`);
      writtenBytes += leastBytes;
    }
    throw new Error(`${changesMax} changes were within a quota of ${quotaBytes} bytes`);
  };

  const writers = Array.from({ length: random.integer(1, 6) }, () => random.pick([one, two]));
  let isOver = false;
  const beside = (async () => {
    const connection = await WireConnection.open(server.port);
    t.teardown(() => connection.destroy());
    let turn = 0;
    for (; !isOver || turn === 0; turn += 1) {
      await askQuiet(connection, turn);
      await setTimeout(quietPauseMs);
    }
    return turn;
  })();
  beside.catch(() => undefined);
  await Promise.all(writers.map(write));
  isOver = true;
  const quietChanges = await beside;

  const isKilled = random.chance(0.5);
  if (isKilled) {
    server.signal('SIGKILL');
    await server.ended;
    server = await bootServer(t, { dataDir, settings });
  }
  const connection = await WireConnection.open(server.port);
  t.teardown(() => connection.destroy());
  for (const { secret, flagId } of [one, two]) {
    const path = `/api/v1/flags/${flagId}`;
    const refused = await connection.ask(patchRequest(path, secret, { cohorts: ['of no change'] }));
    expect(refused.status === 429, `${isKilled ? 'after kill -9' : 'afterwards'}: ${refused.status}`);
    const read = await connection.ask(getRequest(path, secret));
    expect(read.status === 200, `a flag is read: ${read.status}`);
  }
  await askQuiet(connection, quietChanges);
  await server.stop();
  const text = `with a quota of ${quotaBytes} bytes, ${changes} changes`;
  expect(writtenBytes <= quotaBytes + largestChangeBytes, `${text} had lists of ${writtenBytes} bytes`);
  const allowed = quotaBytes + largestChangeBytes + quietChanges * quietChangeBytes + baseBytes;
  const grown = storedBytes(dataDir) - storedBefore;
  expect(grown <= allowed, `${text} stored ${grown} bytes`);
  return changes;
};

const kinds: Readonly<Record<string, Misuse>> = {
  'spelled dry runs': spelledDryRuns,
  'turning names': turningNames,
  'revived links': revivedLinks,
  'networks of one client': networksOfOneClient,
  'guessed passwords': passwordGuessers,
  'held operator socket': heldOperatorSocket,
  'unread log': unreadLog,
  'limited address space': limitedAddressSpace,
  'used quotas': usedQuotas,
};
const names = Object.keys(kinds);

/** What is written, tried or left undone so that something gives way which should not. Each kind one after another. */
export const misuse: Campaign = {
  name: 'misuse',
  summary:
    'misspelt dry runs, names that turn text, ended links, guessed passwords, many networks, an occupied operator’s socket, an unread log, little address space and used quotas: nothing gives way',
  sampleCount: names.length,
  fullCount: 10 * names.length,
  tools: ['prlimit'],
  async run(context) {
    const attempts = Object.fromEntries(names.map((name) => [name, 0]));
    for (const { number, random } of context.cases()) {
      const name = names[(number - 1) % names.length] ?? '';
      const made = await withLifetime(async (t) => kinds[name]?.(t, random) ?? 0);
      attempts[name] = (attempts[name] ?? 0) + made;
    }
    return attempts;
  },
};
