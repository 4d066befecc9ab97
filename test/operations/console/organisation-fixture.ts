import type { Test } from 'tap';
import { Value } from 'typebox/value';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import { changesFromText } from '../../../src/domain/audit/recorded-changes.ts';
import type { ConsoleProblem } from '../../../src/domain/console/console-problem.ts';
import type { Member } from '../../../src/domain/member/member.ts';
import type { Organisation } from '../../../src/domain/organisation/organisation.ts';
import type { Outcome } from '../../../src/domain/outcome.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import type { RecordQueries } from '../../../src/domain/record-queries.ts';
import type { Session } from '../../../src/domain/session/session.ts';
import type { ConsoleContext, Shown } from '../../../src/operations/operation.ts';
import { checkStore } from '../../../src/storage/check.ts';
import { openStore, type Store } from '../../../src/storage/store.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import { newId } from '../../../src/support/random-id.ts';
import { joinPieces, type TextPieces } from '../../../src/support/text-pieces.ts';
import { creationOf, memberOf, organisationOf, projectOf, sessionOf } from '../../storage/support/records.ts';
import { mapBytes } from '../../storage/support/sample-store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import {
  plainSettings,
  type ReadId,
  requestOf,
  runRead,
  runWrite,
  type SentToOperation,
  shapesOf,
  type WriteId,
} from '../run-operation.ts';

export const startedAt = 1_750_000_000_000;
export const baseUrl = 'https://flags.example.test';

export type Sent = SentToOperation;

/** A refusal, or the answer and the stored records. */
export interface Result {
  readonly problem: ConsoleProblem | null;
  readonly status: number;
  /** The answer as parsed from JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape
  readonly value: any;
  readonly text: string;
  readonly fileName: string | null;
  readonly changes: readonly RecordChange[];
}

/**
 * A store with one organisation, and the console's commands and reads of it behind the guard, with the test's clock.
 */
export class OrganisationFixture {
  readonly directory: string;
  readonly organisation: Organisation = organisationOf({ createdAt: startedAt });
  readonly owner: Member;
  readonly #store: Store;
  now = startedAt;

  constructor(store: Store, directory: string) {
    this.#store = store;
    this.directory = directory;
    this.apply([creationOf('organisation', this.organisation)]);
    this.owner = this.addMember({ name: 'Olga', email: 'olga@example.test', role: 'owner' });
  }

  apply(changes: readonly RecordChange[]): void {
    this.#store.write((transaction) => transaction.apply(changes));
  }

  query<T>(run: (queries: RecordQueries) => T): T {
    return this.#store.write(({ queries }) => run(queries));
  }

  addMember(change: Partial<Member> = {}): Member {
    const member = memberOf({
      organisationId: this.organisation.id,
      email: `${newId()}@example.test`,
      ...change,
    });
    this.apply([creationOf('member', member)]);
    return member;
  }

  addSession(member: Member): Session {
    const session = sessionOf(member.id, { createdAt: this.now, lastSeenAt: this.now });
    this.apply([creationOf('session', session)]);
    return session;
  }

  addProject(change: Partial<Project> = {}): Project {
    const project = projectOf(this.organisation.id, change);
    this.apply([creationOf('project', project)]);
    return project;
  }

  /** Decides and stores in one transaction, as the writer does. */
  change(operation: WriteId, by: Member, sent: Sent = {}): Result {
    return this.#store.write(({ queries, apply }) => {
      const asked = requestOf(sent);
      const outcome = runWrite(operation, queries, asked, this.#principal(queries, by), this.#context());
      if (!outcome.ok) return refusal(outcome);
      apply(outcome.value.changes);
      return resultOf(operation, outcome.value.reply, outcome.value.changes);
    });
  }

  read(operation: ReadId, by: Member, sent: Sent = {}): Result {
    return this.query((queries) => {
      const outcome = this.#run(operation, queries, by, sent);
      return outcome.ok ? resultOf(operation, outcome.value, []) : refusal(outcome);
    });
  }

  /** The pieces of an answer that reads from `queries`. */
  pieces(operation: ReadId, queries: RecordQueries, sent: Sent): TextPieces {
    const outcome = this.#run(operation, queries, this.owner, sent);
    if (!outcome.ok || outcome.value.pieces === undefined) throw new Error('It has no pieces');
    return outcome.value.pieces.text;
  }

  #run(operation: ReadId, queries: RecordQueries, by: Member, sent: Sent) {
    const principal = this.#principal(queries, by);
    const project = queries.project(sent.params?.['projectId'] ?? '');
    const asker = { ...principal, project, role: by.role };
    return runRead(operation, queries, requestOf(sent), asker, this.#context());
  }

  /** The organisation's audit log, oldest entry first. */
  audit(): readonly AuditEntry[] {
    return this.query((queries) =>
      Array.from(queries.auditOf(this.organisation.id), ({ entry, changesJson }) => ({
        ...entry,
        changes: changesFromText(changesJson),
      })).toReversed(),
    );
  }

  #principal(queries: RecordQueries, { id }: Member) {
    const member = queries.member(id);
    if (member === undefined) throw new Error('This member has been removed');
    const organisation = queries.organisation(member.organisationId ?? '') ?? null;
    return { session: sessionOf(id), member, organisation };
  }

  #context(): ConsoleContext {
    const newSecret = () => newId() + newId() + newId();
    return { ...plainSettings, now: this.now, newId, newSecret, hashSecret, baseUrl };
  }
}

/** At the end of the test the store must be sound. */
export function openOrganisation(t: Test): OrganisationFixture {
  const directory = temporaryDirectory(t);
  const store = openStore({ directory, mapBytes });
  t.teardown(async () => {
    await store.close();
    const [finding] = checkStore(directory);
    if (finding !== undefined) throw new Error(`${finding.where} ${finding.what}`);
  });
  return new OrganisationFixture(store, directory);
}

function refusal({ problem }: Extract<Outcome<never, ConsoleProblem>, { ok: false }>): Result {
  return { problem, status: 0, value: undefined, text: '', fileName: null, changes: [] };
}

/** @throws when the answer does not fit the contract */
function resultOf(operation: WriteId | ReadId, reply: Shown, changes: readonly RecordChange[]): Result {
  const { answer, isStep } = shapesOf(operation);
  const { value, pieces, status = 200 } = reply;
  const text = pieces === undefined ? (JSON.stringify(value) ?? '') : joinPieces(pieces.text);
  const shown = answer === null && !isStep ? null : JSON.parse(text);
  if (answer !== null && !Value.Check(answer, shown)) {
    throw new Error(`${operation} answers against its contract: ${text}`);
  }
  return { problem: null, status, value: shown, text, fileName: pieces?.fileName ?? null, changes };
}
