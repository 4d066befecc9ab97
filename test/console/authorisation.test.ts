import t from 'tap';
import { consoleConversations } from '../../src/api/console/console-conversations.ts';
import type { ConsoleOperation } from '../../src/contracts/console/console-operation.ts';
import {
  type ConsoleOperationId,
  consoleOperations,
} from '../../src/contracts/console/console-operations.ts';
import { consoleProblemTable } from '../../src/contracts/console/console-problem-table.ts';
import { hasRole } from '../../src/domain/console/console-principal.ts';
import type { Role } from '../../src/domain/member/member.ts';
import { consoleReads } from '../../src/evaluator/reads/console/console-reads.ts';
import { newId } from '../../src/support/random-id.ts';
import { consoleCommands } from '../../src/writer/commands/console/console-commands.ts';
import { projectOf, provision } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ConsoleClient, type ConsoleResponse } from './console-client.ts';
import { bootConsole, roles, signInAs, twoOrganisations } from './console-fixture.ts';

/*
 * Every operation of the console × every role × (own organisation, other organisation, signed out). The expected answer
 * follows from the table of operations: what the guard refuses is told apart from what a handler then makes of a request
 * that names nothing real, so that no operation needs a body of its own here.
 */
t.setTimeout(600_000);

type Asker = { readonly organisation: string; readonly role: Role; readonly client: ConsoleClient };

const operations = Object.entries(consoleOperations) as [ConsoleOperationId, ConsoleOperation][];
/** Streams are never over: they have tests of their own. */
const elsewhere: ReadonlySet<ConsoleOperationId> = new Set(['watch-project', 'watch-organisation']);

function hasHandler(id: ConsoleOperationId): boolean {
  return (
    consoleReads[id] !== undefined ||
    consoleCommands[id] !== undefined ||
    consoleConversations[id] !== undefined
  );
}

const answered = operations.filter(([id]) => hasHandler(id) && !elsewhere.has(id));

/** A path with the project, and otherwise ids that nothing has. */
function pathOf({ path }: ConsoleOperation, projectId: string, unknownId: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'projectId' ? projectId : unknownId));
}

/** With a body that has no operation's shape: a handler never sees it, and a guard has already refused. */
function ask(client: ConsoleClient, operation: ConsoleOperation, path: string): Promise<ConsoleResponse> {
  const body = operation.body === null ? undefined : { noSuchField: true };
  return client.send(operation.method.toUpperCase(), path, body);
}

function isRefusedBy(code: keyof typeof consoleProblemTable, answer: ConsoleResponse): boolean {
  return (
    answer.status === consoleProblemTable[code].status &&
    answer.json.error === consoleProblemTable[code].title
  );
}

t.test('operation × role × organisation, as the table of operations says', async (t) => {
  const server = await bootConsole(t);
  const provisioned = await provision(server.dataDir, temporaryDirectory(t), twoOrganisations);
  const projectIds = ['acme', 'other'].map((name) => projectOf(provisioned, `shop of ${name}`).id);
  const [ownId = '', foreignId = ''] = projectIds;
  const stranger = new ConsoleClient(t, { port: server.port });
  for (const role of roles) {
    // One that ends its own session goes last; so each operation has a session of its own.
    for (const [id, operation] of answered) {
      const client = await freshClient(t, server, role);
      await checkOperation(t, id, operation, { organisation: 'acme', role, client }, ownId, foreignId);
    }
  }
  for (const [id, operation] of answered) {
    const answer = await ask(stranger, operation, pathOf(operation, ownId, newId()));
    const isOpen = operation.access.scope === 'public';
    t.equal(isRefusedBy('not-signed-in', answer), !isOpen, `${id} signed out: ${answer.status}`);
  }
});

const sessions = new Map<string, ConsoleClient>();

/** Signing in costs a hash: a session is used again unless it was ended. */
async function freshClient(
  t: Parameters<typeof signInAs>[0],
  server: Parameters<typeof signInAs>[1],
  role: Role,
): Promise<ConsoleClient> {
  const known = sessions.get(role);
  if (known !== undefined && (await known.send('GET', '/session')).json.isSignedIn) return known;
  const client = await signInAs(t, server, `${role}@acme.example`);
  sessions.set(role, client);
  return client;
}

async function checkOperation(
  t: Parameters<typeof signInAs>[0],
  id: ConsoleOperationId,
  operation: ConsoleOperation,
  { role, client }: Asker,
  ownId: string,
  foreignId: string,
): Promise<void> {
  const { access } = operation;
  const own = await ask(client, operation, pathOf(operation, ownId, newId()));
  const isAllowed = 'role' in access ? hasRole(role, access.role) : true;
  const name = `${id} as ${role}`;
  t.notOk(isRefusedBy('not-signed-in', own), `${name} is signed in`);
  t.not(own.status, 500, `${name}: ${own.text}`);
  if ('role' in access) {
    t.equal(own.status === 403 && own.json.error === 'Not permitted', !isAllowed, `${name}: ${own.status}`);
  }
  if (isAllowed && operation.body !== null) t.equal(own.status, 400, `${name} gets as far as its body`);
  if (access.scope !== 'project') return;
  const nowhere = await ask(client, operation, pathOf(operation, newId(), newId()));
  const foreign = await ask(client, operation, pathOf(operation, foreignId, newId()));
  t.equal(foreign.status, 404, `${name} of the other organisation`);
  t.equal(foreign.text, nowhere.text, `${name}: the bytes of what does not exist`);
}

t.test('every operation has a handler of its actor, and no other', async (t) => {
  const missing = operations.filter(([id]) => !hasHandler(id)).map(([id]) => id);
  t.strictSame(missing, []);
  for (const [id, { actor }] of operations) {
    // What is a conversation may read, under the same name.
    if (actor === 'writer') t.equal(consoleReads[id], undefined, `${id} is no read`);
    if (actor !== 'writer') t.equal(consoleCommands[id], undefined, `${id} is not the writer's`);
    if (actor !== 'conversation') t.equal(consoleConversations[id], undefined, `${id} is no conversation`);
  }
});
