import { join } from 'node:path';
import type { Test } from 'tap';
import { Value } from 'typebox/value';
import type { TokenActivity, TokenView } from '../../../src/contracts/console/token-views.ts';
import type { ProjectPrincipal } from '../../../src/domain/console/console-principal.ts';
import type { ConsoleProblem, ConsoleProblemCode } from '../../../src/domain/console/console-problem.ts';
import type { Role } from '../../../src/domain/member/member.ts';
import type { Organisation } from '../../../src/domain/organisation/organisation.ts';
import type { Outcome } from '../../../src/domain/outcome.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import type { RecordQueries } from '../../../src/domain/record-queries.ts';
import type { TokenWish } from '../../../src/domain/token/token-creation.ts';
import { newTokenSecret, readTokenSecret } from '../../../src/domain/token/token-secret.ts';
import { consoleOperations } from '../../../src/operations/console-operations.ts';
import type { ConsoleOperationId } from '../../../src/operations/console-routes.ts';
import { createToken } from '../../../src/operations/tokens/create-token.ts';
import { listTokens } from '../../../src/operations/tokens/list-tokens.ts';
import { readTokenActivity } from '../../../src/operations/tokens/read-token-activity.ts';
import { revokeConsoleToken } from '../../../src/operations/tokens/revoke-console-token.ts';
import { rotateToken } from '../../../src/operations/tokens/rotate-token.ts';
import { openStore, type Store } from '../../../src/storage/store.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import { newId } from '../../../src/support/random-id.ts';
import { projectWith } from '../../domain/management/domain-fixture.ts';
import { creationOf, memberOf, organisationOf } from '../../storage/support/records.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { plainSettings, requestOf } from '../run-operation.ts';

export const startedAt = 1_750_000_000_000;

export interface Made {
  readonly token: TokenView;
  readonly secret: string;
}

export interface Answer<T> {
  readonly value: T;
  readonly changes: readonly RecordChange[];
}

/** A store with an organisation and members of every role, and the token operations on it, with the test's clock. */
export class TokenFixture {
  readonly store: Store;
  readonly organisation: Organisation = organisationOf();
  readonly #members = new Map<Role, ReturnType<typeof memberOf>>();
  now = startedAt;

  constructor(store: Store) {
    this.store = store;
    this.apply([creationOf('organisation', this.organisation)]);
  }

  apply(changes: readonly RecordChange[]): void {
    this.store.write((transaction) => transaction.apply(changes));
  }

  query<T>(run: (queries: RecordQueries) => T): T {
    return this.store.write(({ queries }) => run(queries));
  }

  addProject(environments: readonly string[] | null, changed: Partial<Project> = {}): Project {
    const owned = { id: newId(), organisationId: this.organisation.id };
    const after: Project = { ...projectWith(environments), ...owned, ...changed };
    this.apply([creationOf('project', after)]);
    return after;
  }

  /** The member of a role, always the same one. */
  member(role: Role) {
    const known = this.#members.get(role);
    if (known !== undefined) return known;
    const member = memberOf({ organisationId: this.organisation.id, role, name: `The ${role}` });
    this.#members.set(role, member);
    this.apply([creationOf('member', member)]);
    return member;
  }

  principal(project: Project, role: Role = 'editor'): ProjectPrincipal {
    const member = this.member(role);
    const session = {
      ...{ id: newId(), memberId: member.id, secretHash: new Uint8Array(32), createdAt: 1, lastSeenAt: 1 },
      ...{ address: '192.0.2.1', userAgent: 'test' },
    };
    const organisation = this.query(({ organisation: find }) => find(this.organisation.id)) ?? null;
    return { session, member, organisation, project, role };
  }

  create(principal: ProjectPrincipal, body: Partial<TokenWish> = {}) {
    const { environments = null, ...rest } = body;
    const fixed = { name: 'ci', permission: 'write', expiryDays: 0 } as const;
    const whole = { ...fixed, ...rest, environments: environments === null ? null : [...environments] };
    return this.#change<Made>('create-token', (queries) =>
      createToken.run(queries, this.#request({}, whole), principal, this.context()),
    );
  }

  revoke(principal: ProjectPrincipal, tokenId: string) {
    return this.#change<TokenView>('revoke-console-token', (queries) =>
      revokeConsoleToken.run(queries, this.#request({ tokenId }, null), principal, this.context()),
    );
  }

  rotate(principal: ProjectPrincipal, tokenId: string) {
    return this.#change<Made>('rotate-token', (queries) =>
      rotateToken.run(queries, this.#request({ tokenId }, null), principal, this.context()),
    );
  }

  list(principal: ProjectPrincipal): readonly TokenView[] {
    const outcome = this.query((queries) => {
      const listed = listTokens.run(queries, this.#request({}, null), principal, this.context());
      return listed.ok ? listed.value.value : listed;
    });
    return checked<{ tokens: readonly TokenView[] }>('list-tokens', outcome).tokens;
  }

  activity(principal: ProjectPrincipal, tokenId: string): Outcome<TokenActivity, ConsoleProblem> {
    return this.query((queries) => {
      const read = readTokenActivity.run(
        queries,
        this.#request({ tokenId }, null),
        principal,
        this.context(),
      );
      if (!read.ok) return read;
      const text = [...(read.value.pieces?.text ?? [])].join('');
      return { ok: true, value: checked<TokenActivity>('read-token-activity', JSON.parse(text)) };
    });
  }

  context() {
    return {
      ...plainSettings,
      now: this.now,
      newId,
      newSecret: () =>
        readTokenSecret(newTokenSecret('x', crypto.getRandomValues(new Uint8Array(32))), ['x']) ?? '',
      hashSecret,
      baseUrl: 'https://flags.example.test',
    };
  }

  #request<Body>(params: Record<string, string>, body: Body) {
    return requestOf({ params, body });
  }

  /** Decides and stores in one transaction, as the writer does. @throws when the answer breaks its contract */
  #change<T>(
    operation: ConsoleOperationId,
    decide: (queries: RecordQueries) => ReturnType<typeof createToken.run>,
  ): Outcome<Answer<T>, ConsoleProblem> {
    return this.store.write(({ queries, apply }) => {
      const outcome = decide(queries);
      if (!outcome.ok) return outcome;
      const { changes, reply } = outcome.value;
      apply(changes);
      return { ok: true, value: { changes, value: checked<T>(operation, reply.value) } };
    });
  }
}

function checked<T>(operation: ConsoleOperationId, value: unknown): T {
  const schema = consoleOperations[operation].answer;
  if (schema === null || !Value.Check(schema, value)) {
    throw new Error(`${operation} answers against its contract: ${JSON.stringify(value)}`);
  }
  return value as T;
}

export function openTokenFixture(t: Test): TokenFixture {
  const store = openStore({ directory: join(temporaryDirectory(t), 'store'), mapBytes: 64 * 1024 * 1024 });
  t.teardown(() => store.close());
  return new TokenFixture(store);
}

/** @throws on a refusal */
export function allowed<T>(outcome: Outcome<T, ConsoleProblem>): T {
  if (!outcome.ok) throw new Error(`${outcome.problem.code}: ${outcome.problem.detail}`);
  return outcome.value;
}

export function refusedWith<T>(outcome: Outcome<T, ConsoleProblem>): ConsoleProblemCode | 'allowed' {
  return outcome.ok ? 'allowed' : outcome.problem.code;
}
