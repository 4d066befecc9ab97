import type { Test } from 'tap';
import { Value } from 'typebox/value';
import {
  type ConsolePrincipal,
  type ProjectPrincipal,
  roleIn,
} from '../../../src/domain/console/console-principal.ts';
import type { ConsoleProblemCode } from '../../../src/domain/console/console-problem.ts';
import type { Audience } from '../../../src/domain/evaluation/audience.ts';
import type { Flag } from '../../../src/domain/flag/flag.ts';
import type { Member } from '../../../src/domain/member/member.ts';
import type { Organisation } from '../../../src/domain/organisation/organisation.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import type { RecordQueries } from '../../../src/domain/record-queries.ts';
import type { Token } from '../../../src/domain/token/token.ts';
import type { ConsoleContext } from '../../../src/operations/operation.ts';
import type { Store } from '../../../src/storage/store.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import { newId } from '../../../src/support/random-id.ts';
import {
  audienceOf,
  flagChangeOf,
  flagOf,
  memberOf,
  organisationOf,
  projectOf,
  tokenOf,
} from '../../storage/support/records.ts';
import { newStore } from '../../storage/support/sample-store.ts';
import {
  plainSettings,
  type ReadId,
  requestOf,
  runRead,
  runWrite,
  shapesOf,
  type WriteId,
} from '../run-operation.ts';

export const startedAt = 1_750_000_000_000;

/** The answer, and the records stored with it. */
export interface Outcome {
  readonly code: ConsoleProblemCode | 'ok';
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape
  readonly value: any;
  readonly detail: string;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly changes: readonly RecordChange[];
}

export interface Asked {
  readonly project?: Project;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The requesting member; the Owner unless given. */
  readonly member?: Member;
}

/** A store with one organisation and its Owner, and the console's changes and reads on it, with the test's clock. */
export class ConsoleFixture {
  readonly directory: string;
  readonly store: Store;
  organisation: Organisation = organisationOf({ createdAt: startedAt });
  readonly owner: Member = memberOf({ organisationId: this.organisation.id });
  now = startedAt;

  constructor(directory: string, store: Store) {
    this.directory = directory;
    this.store = store;
    this.apply([
      { kind: 'organisation', before: null, after: this.organisation },
      { kind: 'member', before: null, after: this.owner },
    ]);
  }

  apply(changes: readonly RecordChange[]): void {
    this.store.write((transaction) => transaction.apply(changes));
  }

  query<T>(run: (queries: RecordQueries) => T): T {
    return this.store.write(({ queries }) => run(queries));
  }

  project(id: string): Project {
    const project = this.query((queries) => queries.project(id));
    if (project === undefined) throw new Error('the project is gone');
    return project;
  }

  flag(id: string): Flag | undefined {
    return this.query((queries) => queries.flag(id));
  }

  setOrganisation(changed: Partial<Organisation>): void {
    const before = this.organisation;
    this.organisation = { ...before, ...changed };
    this.apply([{ kind: 'organisation', before, after: this.organisation }]);
  }

  addMember(changed: Partial<Member>): Member {
    const after = memberOf({ organisationId: this.organisation.id, ...changed });
    this.apply([{ kind: 'member', before: null, after }]);
    return after;
  }

  /** @param environments null makes a single-environment project; they are numbered from 1. */
  addProject(environments: readonly string[] | null, changed: Partial<Project> = {}): Project {
    const after = projectOf(this.organisation.id, {
      isMultiEnvironment: environments !== null,
      environments: (environments ?? []).map((name, index) => ({
        number: index + 1,
        name,
        isProtected: false,
      })),
      nextEnvironmentNumber: (environments?.length ?? 0) + 1,
      ...changed,
    });
    this.apply([{ kind: 'project', before: null, after }]);
    return after;
  }

  addFlag(project: Project, changed: Partial<Flag> = {}): Flag {
    const after = flagOf(project.id, { states: new Map(), ...changed });
    this.apply([flagChangeOf(null, after)]);
    return after;
  }

  addAudience(project: Project, changed: Partial<Audience> = {}): Audience {
    const after = audienceOf(project.id, changed);
    this.apply([{ kind: 'audience', before: null, after }]);
    return after;
  }

  addToken(project: Project, changed: Partial<Token> = {}): Token {
    const after = tokenOf(project.id, changed);
    this.apply([{ kind: 'token', before: null, after }]);
    return after;
  }

  /** Decides and stores, in one transaction, as the writer does. */
  write(id: WriteId, asked: Asked): Outcome {
    return this.store.write(({ queries, apply }): Outcome => {
      const principal = this.#principal(queries, asked);
      checkBody(id, asked);
      const decided = runWrite(id, queries, requestOf(asked), principal, this.#context());
      if (!decided.ok) return refusalOf(decided.problem);
      apply(decided.value.changes);
      const { status = 200, value } = decided.value.reply;
      checkAnswer(id, value);
      return { code: 'ok', status, value, detail: '', extra: {}, changes: decided.value.changes };
    });
  }

  read(id: ReadId, asked: Asked): Outcome {
    return this.query((queries): Outcome => {
      const principal = this.#principal(queries, asked);
      checkBody(id, asked);
      const answered = runRead(id, queries, requestOf(asked), principal, this.#context());
      if (!answered.ok) return refusalOf(answered.problem);
      const { status = 200, pieces } = answered.value;
      const value = pieces === undefined ? answered.value.value : JSON.parse([...pieces.text].join(''));
      checkAnswer(id, value);
      return { code: 'ok', status, value, detail: '', extra: {}, changes: [] };
    });
  }

  /** The project as the guard finds it. */
  #principal(queries: RecordQueries, { project, member = this.owner }: Asked): ProjectPrincipal {
    const { organisationId } = member;
    const organisation = organisationId === null ? null : (queries.organisation(organisationId) ?? null);
    const session = {
      ...{ id: newId(), memberId: member.id, secretHash: new Uint8Array(32), address: '', userAgent: '' },
      ...{ createdAt: this.now, lastSeenAt: this.now },
    };
    const asker: ConsolePrincipal = { session, member, organisation };
    if (project === undefined) return asker as ProjectPrincipal;
    const stored = queries.project(project.id) ?? project;
    return { ...asker, project: stored, role: roleIn(stored, member) ?? 'viewer' };
  }

  #context(): ConsoleContext {
    return { ...plainSettings, now: this.now, newId, newSecret: () => 'x'.repeat(49), hashSecret };
  }
}

export function openConsole(t: Test): ConsoleFixture {
  const { directory, store } = newStore(t);
  return new ConsoleFixture(directory, store);
}

function checkBody(id: WriteId | ReadId, { body }: Asked): void {
  const schema = shapesOf(id).body;
  if (schema !== null && !Value.Check(schema, body)) throw new Error(`${id} takes no such body`);
}

function refusalOf(problem: {
  readonly code: ConsoleProblemCode;
  readonly detail: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}): Outcome {
  const { code, detail, extra = {} } = problem;
  return { code, status: 0, value: null, detail, extra, changes: [] };
}

/** @throws when the answer does not fit the operation's contract */
function checkAnswer(id: WriteId | ReadId, value: unknown): void {
  const schema = shapesOf(id).answer;
  const shown = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  const isRight = schema === null ? shown === undefined : Value.Check(schema, shown);
  if (!isRight) throw new Error(`${id} answers against its contract: ${JSON.stringify(value)}`);
}
