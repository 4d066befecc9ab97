import type { ConsoleProblem } from '../../src/domain/console/console-problem.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import type { RecordQueries } from '../../src/domain/record-queries.ts';
import { consoleOperations, consoleSteps } from '../../src/operations/console-operations.ts';
import type { ConsoleSettings } from '../../src/operations/console-settings.ts';
import type {
  ConsoleContext,
  ConsoleDecision,
  ConsoleRequest,
  Shown,
} from '../../src/operations/operation.ts';

const operations = { ...consoleOperations, ...consoleSteps };
type Operations = typeof operations;
type IdOf<Actor> = {
  [Id in keyof Operations]: Operations[Id]['actor'] extends Actor ? Id : never;
}[keyof Operations];
export type ReadId = IdOf<'read'>;
export type WriteId = IdOf<'write'>;

/** Settings of a service with neither mail nor an OpenID provider. */
export const plainSettings: ConsoleSettings = {
  tokenPrefix: 'burgee',
  baseUrl: 'http://localhost',
  shown: {},
  docsUrl: 'http://localhost/docs',
  openIdName: null,
  isMailConfigured: false,
  isCluster: false,
  firstOwnerOffer: { id: 'offer', secretHash: new Uint8Array(32), createdAt: 0, expiresAt: 0 },
};

export interface SentToOperation<Body = unknown> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

/** @returns a request as the guard passes it on */
export function requestOf<Body>({
  params = {},
  query = {},
  body,
}: SentToOperation<Body>): ConsoleRequest<Body> {
  const from = { requestId: 'request-1', address: '192.0.2.1', userAgent: 'test' };
  return { ...from, params, query, body: (body ?? null) as Body };
}

type Sent = readonly [RecordQueries, ConsoleRequest, principal: unknown, ConsoleContext];

export function runRead(id: ReadId, ...sent: Sent): Outcome<Shown, ConsoleProblem> {
  return (operations[id].run as (...sent: readonly unknown[]) => Outcome<Shown, ConsoleProblem>)(...sent);
}

export function runWrite(id: WriteId, ...sent: Sent): Outcome<ConsoleDecision, ConsoleProblem> {
  const run = operations[id].run as (...sent: readonly unknown[]) => Outcome<ConsoleDecision, ConsoleProblem>;
  return run(...sent);
}

/** @returns the schemas of the operation's input and answer; a step has none */
export function shapesOf(id: ReadId | WriteId) {
  const { body, answer, route } = operations[id];
  return { body, answer, isStep: route === null };
}
