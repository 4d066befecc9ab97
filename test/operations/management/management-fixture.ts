import { join } from 'node:path';
import type { Test } from 'tap';
import { Value } from 'typebox/value';
import { errorEnvelopeSchema } from '../../../src/contracts/error-envelope-schema.ts';
import type { Audience } from '../../../src/domain/evaluation/audience.ts';
import type { Flag } from '../../../src/domain/flag/flag.ts';
import type { Organisation } from '../../../src/domain/organisation/organisation.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import type { RecordQueries } from '../../../src/domain/record-queries.ts';
import type { Token } from '../../../src/domain/token/token.ts';
import { newTokenSecret } from '../../../src/domain/token/token-secret.ts';
import type { ApiAnswer, ApiCall } from '../../../src/operations/call.ts';
import { answerRead, authorize, decideWrite } from '../../../src/operations/dispatch.ts';
import type { ManagementOperation } from '../../../src/operations/management-operation.ts';
import { managementOperations } from '../../../src/operations/management-operations.ts';
import { createOperationContext, type OperationContext } from '../../../src/operations/operation-context.ts';
import { writeOperation } from '../../../src/operations/write-operations.ts';
import { openStore, type Store } from '../../../src/storage/store.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import { newId } from '../../../src/support/random-id.ts';
import { joinPieces } from '../../../src/support/text-pieces.ts';
import { flagWith, projectWith } from '../../domain/management/domain-fixture.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { plainSettings } from '../run-operation.ts';

export const docsUrl = 'http://localhost/docs';
export const startedAt = 1_750_000_000_000;

const encoder = new TextEncoder();

type ManagementRoute = keyof typeof managementOperations;

/** An answer as a client sees it, and the records stored with it. */
export interface Exchange {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape
  readonly body: any;
  readonly text: string;
  readonly isFailedAuthentication: boolean;
  readonly tokenId: string | null;
  readonly denial: unknown;
  readonly entityTag: string | null;
  /** In seconds; absent if it follows from the status. */
  readonly retryAfter?: number | undefined;
  readonly changes: readonly RecordChange[];
}

export interface Request {
  readonly authorization?: string | null;
  readonly flagId?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly ifNoneMatch?: string;
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
}

/** A store with one organisation, and the commands and reads of the Management API on it, with the test's clock. */
export class ManagementFixture {
  readonly organisation: Organisation = {
    id: newId(),
    name: 'Acme',
    plan: 'enterprise',
    trialEndsAt: null,
    subscription: 'active',
    createdAt: startedAt,
    revision: 1,
  };
  readonly #store: Store;
  now = startedAt;

  constructor(store: Store) {
    this.#store = store;
    this.apply([{ kind: 'organisation', before: null, after: this.organisation }]);
  }

  apply(changes: readonly RecordChange[]): void {
    this.#store.write((transaction) => transaction.apply(changes));
  }

  /** The change log's sequence; it stays when only a token changes. */
  sequence(): number {
    return this.#store.sequence();
  }

  query<T>(run: (queries: RecordQueries) => T): T {
    return this.#store.write(({ queries }) => run(queries));
  }

  /** @param environments null makes a single-environment project. */
  addProject(environments: readonly string[] | null, changed: Partial<Project> = {}): Project {
    const owned = { id: newId(), organisationId: this.organisation.id };
    const after: Project = { ...projectWith(environments), ...owned, ...changed };
    this.apply([{ kind: 'project', before: null, after }]);
    return after;
  }

  addFlag(project: Project, flag: Partial<Flag> = {}): Flag {
    const after: Flag = { ...flagWith({}), id: newId(), projectId: project.id, ...flag };
    this.apply([{ kind: 'flag', before: null, after, environment: null }]);
    return after;
  }

  addAudience(project: Project): Audience {
    const rules = [{ attribute: 'plan', values: ['pro'] }];
    const times = { createdAt: startedAt, updatedAt: startedAt };
    const after: Audience = { id: newId(), projectId: project.id, name: 'Pro', rules, ...times, revision: 1 };
    this.apply([{ kind: 'audience', before: null, after }]);
    return after;
  }

  /** @returns the token and its Authorization header */
  addToken(project: Project, changed: Partial<Token> = {}): { token: Token; authorization: string } {
    const text = newTokenSecret('burgee', crypto.getRandomValues(new Uint8Array(32)));
    const after: Token = {
      id: newId(),
      projectId: project.id,
      name: 'ci',
      permission: 'write',
      environments: null,
      expiresAt: 0,
      createdBy: null,
      createdAt: startedAt,
      revokedAt: null,
      secretHash: hashSecret(text.slice('burgee_'.length)),
      denialEmailedAt: 0,
      revision: 1,
      ...changed,
    };
    this.apply([{ kind: 'token', before: null, after }]);
    return { token: after, authorization: `Bearer ${text}` };
  }

  /** Decides and stores, in one transaction, as the writer does. */
  write(route: ManagementRoute, request: Request): Exchange {
    return this.#store.write(({ queries, apply }) => {
      const call = callOf(route, request);
      const { answer, changes } = decideWrite(queries, writeOperation(route), call, this.#context());
      apply(changes);
      return exchangeOf(route, answer, changes);
    });
  }

  read(route: ManagementRoute | null, request: Request): Exchange {
    return this.query((queries) => exchangeOf(route, this.#read(queries, route, request), []));
  }

  #read(queries: RecordQueries, route: ManagementRoute | null, request: Request): ApiAnswer {
    const operation: ManagementOperation | null = route === null ? null : managementOperations[route];
    const call = callOf(route, request);
    const authorized = authorize(queries, operation, call, this.#context());
    if (!authorized.ok) return authorized.problem;
    if (operation?.actor !== 'read') throw new Error(`${route} is no read`);
    return answerRead(queries, operation, call, authorized.value, this.#context());
  }

  #context(): OperationContext {
    const settings = { ...plainSettings, docsUrl, acceptedPrefixes: ['burgee'] };
    return Object.assign(createOperationContext(settings), { now: this.now });
  }
}

export function openFixture(t: Test): ManagementFixture {
  const directory = join(temporaryDirectory(t), 'store');
  const store = openStore({ directory, mapBytes: 64 * 1024 * 1024 });
  t.teardown(() => store.close());
  return new ManagementFixture(store);
}

function callOf(route: ManagementRoute | null, request: Request): ApiCall {
  const { authorization = null, flagId = null, query = '', body } = request;
  const text = request.bodyText ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    api: 'management',
    requestId: 'request-1',
    operation: route,
    params: flagId === null ? {} : { id: flagId },
    query,
    credential: authorization,
    address: '192.0.2.1',
    userAgent: '',
    body: text === undefined ? null : encoder.encode(text),
    header: request.ifNoneMatch ?? request.ifMatch ?? request.idempotencyKey ?? null,
  };
}

/** @throws when the body does not fit the contract of its route */
function exchangeOf(
  route: ManagementRoute | null,
  answer: ApiAnswer,
  changes: readonly RecordChange[],
): Exchange {
  const text = joinPieces(answer.body);
  const body = answer.status === 304 ? null : JSON.parse(text);
  const operation: ManagementOperation | null = route === null ? null : managementOperations[route];
  const success = operation?.described.answers.find(({ status }) => status === answer.status);
  const schema = success === undefined ? errorEnvelopeSchema : success.schema;
  if (schema !== null && !Value.Check(schema, body))
    throw new Error(`${route} answers against its contract: ${text}`);
  return { ...answer, tokenId: answer.callerId, body, text, changes };
}
