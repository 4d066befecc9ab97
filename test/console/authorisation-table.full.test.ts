import t, { type Test } from 'tap';
import { hasRole } from '../../src/domain/console/console-principal.ts';
import { consoleOperations } from '../../src/operations/console-operations.ts';
import type { ConsoleOperationId } from '../../src/operations/console-routes.ts';
import { newId } from '../../src/support/random-id.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { projectOf, provision } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  type AuthorisationCase,
  authorisationCases,
  type Site,
  type Statuses,
  type Wanted,
} from './authorisation-cases.ts';
import { ConsoleClient } from './console-client.ts';
import { bootConsole, person, roles, signInAs, twoOrganisations } from './console-fixture.ts';
import { openEventStream } from './event-stream.ts';

/*
 * Every operation of the console × every role × (own organisation, other organisation, signed out), with a valid
 * request: the status must be that of authorisation-cases.ts. A request about another organisation's records gets, byte
 * for byte, the answer of a request about records that never existed.
 */
t.setTimeout(900_000);

const sparesOfEach = 40;

/** The fixture of the other tests, with an Owner who prepares requests, and spare members. */
function withSpares(): typeof twoOrganisations {
  const organisations = twoOrganisations.organisations.map((organisation) => {
    const spares = Array.from({ length: sparesOfEach }, (_, index) => ({
      name: `spare ${index}`,
      email: `spare${index}@${organisation.name}.example`,
      role: 'editor',
    }));
    const maker = { ...person('owner', organisation.name), email: `maker@${organisation.name}.example` };
    return { ...organisation, members: [...organisation.members, maker, ...spares] };
  });
  return { organisations };
}

async function openSite(t: Test, server: BootedServer, name: string, projectId: string): Promise<Site> {
  const owner = await signInAs(t, server, `maker@${name}.example`);
  const personal = await owner.send('POST', '/projects', {
    ...{ name: 'diary', isMultiEnvironment: false, isPersonal: true },
  });
  const { members } = (await owner.send('GET', '/members')).json;
  const spares: string[] = members
    .filter((member: { name: string }) => member.name.startsWith('spare'))
    .map(({ id }: { id: string }) => id);
  return {
    owner,
    projectId,
    personalProjectId: personal.json.id,
    spareMember() {
      const id = spares.pop();
      if (id === undefined) throw new Error('no spare member is left');
      return id;
    },
    signIn: (email) => signInAs(t, server, email),
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function ask(
  t: Test,
  client: ConsoleClient,
  id: ConsoleOperationId,
  projectId: string,
  { params, query, body }: Wanted,
): Promise<Answer> {
  const [method, path] = consoleOperations[id].route.split(' ') as [string, string];
  const ids: Readonly<Record<string, string>> = { projectId, ...params };
  const asked = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
  const search = new URLSearchParams(query).toString();
  const target = search === '' ? asked : `${asked}?${search}`;
  // A stream never ends, but its status comes at once.
  if (id === 'watch-project' || id === 'watch-organisation') return watch(t, client, target);
  const { status, text, headers } = await client.send(method.toUpperCase(), target, body);
  return { status, text, headers: Object.fromEntries(headers) };
}

async function watch(t: Test, client: ConsoleClient, target: string): Promise<Answer> {
  const stream = await openEventStream(t, client, target);
  if (stream.status === 200) stream.close();
  else await stream.ended;
  return { status: stream.status, text: '', headers: {} };
}

/** The parts of an answer that could reveal something. @param id the requested id, which an answer may repeat */
function learnt({ status, text, headers }: Answer, id: string): unknown {
  const { date: _, 'x-request-id': __, ...told } = headers;
  return { status, text: text.replaceAll(id, 'ID'), told };
}

/** A session of each role, renewed after an operation has ended or replaced it. */
class Askers {
  readonly #clients = new Map<string, ConsoleClient>();
  readonly #signIn: Site['signIn'];

  constructor(signIn: Site['signIn']) {
    this.#signIn = signIn;
  }

  async client(email: string): Promise<ConsoleClient> {
    const known = this.#clients.get(email);
    const member = (await known?.send('GET', '/session'))?.json.member;
    if (known !== undefined && member?.email === email) return known;
    const client = await this.#signIn(email);
    this.#clients.set(email, client);
    return client;
  }
}

interface Stage {
  readonly own: Site;
  readonly foreign: Site;
  readonly askers: Askers;
  readonly stranger: () => ConsoleClient;
}

async function openStage(t: Test): Promise<Stage> {
  const document = withSpares();
  const server = await bootConsole(t, document);
  const provisioned = await provision(server.dataDir, temporaryDirectory(t), document);
  const [own, foreign] = await Promise.all(
    ['acme', 'other'].map((name) => openSite(t, server, name, projectOf(provisioned, `shop of ${name}`).id)),
  );
  if (own === undefined || foreign === undefined) throw new Error('two organisations are provisioned');
  const stranger = (): ConsoleClient => new ConsoleClient(t, { port: server.port });
  return { own, foreign, askers: new Askers(own.signIn), stranger };
}

const noWish: Required<Pick<AuthorisationCase, 'want'>> = { want: () => ({}) };

/** Checks the own organisation, and signed-out requests. */
async function checkStatuses(t: Test, id: ConsoleOperationId, row: AuthorisationCase, stage: Stage) {
  const { own, askers } = stage;
  const { want } = { ...noWish, ...row };
  for (const [index, role] of roles.entries()) {
    const expected = row.statuses[index];
    if (expected === null || expected === undefined) continue;
    const email = `${role}@acme.example`;
    const wanted = await want(own, email);
    const client = await askers.client(email);
    const answer = await ask(t, client, id, own.projectId, wanted);
    t.equal(answer.status, expected, `${id} as ${role}: ${answer.text.slice(0, 200)}`);
  }
  const wanted = await want(own, 'owner@acme.example');
  const answer = await ask(t, stage.stranger(), id, own.projectId, wanted);
  t.equal(answer.status, row.statuses[4], `${id} signed out: ${answer.text.slice(0, 200)}`);
}

/** Requests another organisation's record and one that never existed, and expects equal answers. */
async function checkSame(
  t: Test,
  message: string,
  foreignId: string,
  about: (id: string) => Promise<Answer>,
): Promise<Answer> {
  const unknownId = newId();
  const foreign = await about(foreignId);
  t.strictSame(learnt(foreign, foreignId), learnt(await about(unknownId), unknownId), message);
  t.not(foreign.status, 500, message);
  return foreign;
}

/** Checks ids of another organisation: as the path's project, as its other ids, and in every other place for an id. */
async function checkForeign(t: Test, id: ConsoleOperationId, row: AuthorisationCase, stage: Stage) {
  const { own, foreign, askers } = stage;
  const { want } = { ...noWish, ...row };
  const theirs = await want(foreign, 'owner@other.example');
  const isInProject = consoleOperations[id].route.includes('{projectId}');
  for (const role of roles) {
    const email = `${role}@acme.example`;
    if (isInProject) {
      for (const projectId of [foreign.projectId, own.personalProjectId]) {
        const client = await askers.client(email);
        const answer = await checkSame(t, `${id} as ${role} in a project of others`, projectId, (asked) =>
          ask(t, client, id, asked, theirs),
        );
        t.equal(answer.status, 404, `${id} as ${role} in a project of others`);
      }
    }
    const { access } = consoleOperations[id];
    const isLetIn = !('role' in access) || hasRole(role, access.role);
    const ours = await want(own, isLetIn && role !== 'viewer' ? email : 'owner@acme.example');
    for (const [name, foreignId] of Object.entries(theirs.params ?? {})) {
      // Environments are numbered from 1 in each project, so their numbers belong to no organisation.
      if (name === 'number') continue;
      const client = await askers.client(email);
      const answer = await checkSame(t, `${id} as ${role} with ${name} of others`, foreignId, (asked) =>
        ask(t, client, id, own.projectId, { ...ours, params: { ...ours.params, [name]: asked } }),
      );
      t.equal(answer.status, isLetIn ? 404 : 403, `${id} as ${role} with ${name}`);
    }
    await checkMentioned(t, `${id} as ${role}`, row, stage, ours, async (wanted) =>
      ask(t, await askers.client(email), id, own.projectId, wanted),
    );
  }
}

async function checkMentioned(
  t: Test,
  who: string,
  { mentions }: AuthorisationCase,
  { foreign }: Stage,
  ours: Wanted,
  about: (wanted: Wanted) => Promise<Answer>,
): Promise<void> {
  if (mentions === undefined) return;
  const foreignId = await mentions.idOf(foreign);
  await checkSame(t, `${who}, with an id of another organisation`, foreignId, (asked) =>
    about(mentions.put(ours, asked)),
  );
}

t.test('operation × role × organisation', async (t) => {
  const stage = await openStage(t);
  for (const [id, rows] of Object.entries(authorisationCases)) {
    await t.test(id, async (t) => {
      for (const row of rows) {
        await checkStatuses(t, id as ConsoleOperationId, row, stage);
        await checkForeign(t, id as ConsoleOperationId, row, stage);
      }
    });
  }
});

t.test('every operation has its row, and some role succeeds in each', (t) => {
  t.strictSame(Object.keys(authorisationCases).sort(), Object.keys(consoleOperations).sort());
  for (const [id, rows] of Object.entries(authorisationCases)) {
    const statuses: readonly Statuses[] = rows.map((row) => row.statuses);
    const succeeds = statuses.some((row) => row.some((status) => status !== null && status < 400));
    // Without a provider this sign-in cannot start, and without a cluster there are no nodes: open-id.full.test.ts has the
    // one, and test/browser/nodes.full.test.ts the other.
    t.equal(succeeds, id !== 'start-open-id' && id !== 'list-nodes', `${id} succeeds for some role`);
    const { access } = consoleOperations[id as ConsoleOperationId];
    const isOpen = statuses.every((row) => row[4] !== 401);
    t.equal(isOpen, access.scope === 'public', `${id} is open exactly when the contract says so`);
  }
  t.end();
});
