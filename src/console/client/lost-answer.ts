import type { AuditEntryView, AuditPage } from '../../contracts/console/audit-views.ts';
import type { ConsoleOperationId } from '../../operations/console-routes.ts';
import { SharedValue } from '../parts/shared-value.ts';
import type { ParamsOf } from './address-of.ts';
import { type AnswerOf, ask, unreachable } from './ask.ts';
import { ConsoleError, isUndecided } from './console-error.ts';

/*
 * A change whose answer does not come was saved or not: the connection may have broken on the way there or on the way
 * back. The audit log knows, because a change and its entry are one transaction, and the entry has the request's name.
 */

/** How many changes wait for the truth: a page says so. */
export const changesInDoubt = new SharedValue(0);

/** Pauses between two readings: the change may still wait for its turn. */
const firstMs = 1_000;
const againMsMax = 5_000;
/** After this the page gives up, and says that it does not know. */
const patienceMs = 180_000;
/** Beyond the time in which a change ends at the latest, for its way to the service. */
const wayMs = 1_000;
/** Times of entries may differ by so much from the order of their commits, after a clock was set back. */
const clockSlackMs = 60 * 60 * 1000;
/** The service looks through 10,000 entries for each page. */
const pagesMax = 40;

type Params = Readonly<Record<string, string | number>>;

/** A change that was sent, and has no answer. */
interface LostChange {
  readonly params: Params;
  /** Of the request: see `request-name.ts`. */
  readonly name: string;
  /** When it was sent, as `Date.now()`: a computer that sleeps meanwhile counts it. */
  readonly sentAt: number;
  /** What came instead of an answer. */
  readonly error: ConsoleError;
}

interface SentChange<Id extends ConsoleOperationId> extends LostChange {
  readonly id: Id;
  readonly params: ParamsOf<Id> & Params;
}

/** Reads what a change has left, as its answer would have said it. */
type ReadAnswer = (params: never, entry: AuditEntryView) => Promise<unknown>;

const answers: Partial<Record<ConsoleOperationId, ReadAnswer>> = {
  'edit-flag': async (params: ParamsOf<'edit-flag'>) => ({
    changed: true,
    flag: await ask('read-console-flag', params, null),
  }),
  'create-console-flag': ({ projectId }: ParamsOf<'create-console-flag'>, { targetId }) =>
    ask('read-console-flag', { projectId, flagId: targetId }, null),
  'edit-audience': (params: ParamsOf<'edit-audience'>) => ask('read-audience', params, null),
  'create-audience': ({ projectId }: ParamsOf<'create-audience'>, { targetId }) =>
    ask('read-audience', { projectId, audienceId: targetId }, null),
  'edit-project': (params: ParamsOf<'edit-project'>) => ask('read-project', params, null),
  'create-project': (_: never, { targetId }) => ask('read-project', { projectId: targetId }, null),
  'edit-organisation': () => ask('read-organisation', {}, null),
};
/** Their answer has nothing. */
const silent: readonly ConsoleOperationId[] = [
  'delete-flag',
  'delete-audience',
  'remove-member',
  'withdraw-invitation',
  'revoke-console-token',
];
/** Their answer has more than can be read again. */
const told: Partial<Record<ConsoleOperationId, string>> = {
  'create-token': 'The token was created, but its secret was lost. Revoke it and create another one.',
  'rotate-token': 'The token was rotated, but its new secret was lost. Rotate it again.',
  'invite-member': 'The invitation was made, but its link was lost. Withdraw it and invite again.',
  'make-sign-in-link': 'The link was made, but was lost. Make another one.',
  'edit-member': 'Your change was saved. Reload the page to see it.',
  'create-environment': 'The environment was created. Reload the page to see it.',
  'edit-environment': 'Your change was saved. Reload the page to see it.',
  'delete-environment': 'The environment was deleted. Reload the page to see it.',
};

/** Whether the audit log says what became of such a change. */
export function leavesTraces(id: ConsoleOperationId): boolean {
  return id in answers || id in told || silent.includes(id);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

type AuditQuery = Readonly<Record<'request' | 'from' | 'cursor', string>>;

function readLog({ projectId }: Params, query: Partial<AuditQuery>): Promise<AuditPage> {
  if (projectId === undefined) return ask('list-audit', {}, null, { query });
  return ask('list-project-audit', { projectId }, null, { query });
}

const unknown = new ConsoleError(
  0,
  unreachable,
  'It is not known whether your change was saved. Check before you try again.',
  null,
);

/**
 * Looks through every entry that is not older than the change: first the newest ones, then those behind them, of which
 * the service sends only the wanted one.
 *
 * @returns null: the change is not in the log
 * @throws {ConsoleError} `unknown` when there are too many
 */
async function findEntry(params: Params, name: string, sentAt: number): Promise<AuditEntryView | null> {
  let { entries, nextCursor } = await readLog(params, {});
  // By the service's clock: the newest entry is not from the future.
  const from = Math.max(0, (entries[0]?.at ?? 0) - (Date.now() - sentAt) - clockSlackMs);
  for (let page = 0; page < pagesMax; page += 1) {
    const found = entries.find(({ requestId }) => requestId === name);
    if (found !== undefined) return found;
    if (nextCursor === null) return null;
    const query = { request: name, from: String(from), cursor: nextCursor };
    ({ entries, nextCursor } = await readLog(params, query));
  }
  throw unknown;
}

/** @returns the change's entry; null: it was not stored, and never will be */
async function whatBecameOf({ params, name, sentAt, error }: LostChange): Promise<AuditEntryView | null> {
  const lostAt = performance.now();
  return await untilAnswered(async () => {
    const askedAt = performance.now();
    const entry = await findEntry(params, name, sentAt);
    if (entry !== null || isOurs(error, name)) return entry;
    const { changeMsMax } = await ask('read-session', {}, null);
    if (changeMsMax === undefined) throw unknown;
    if (askedAt - lostAt > changeMsMax + wayMs) return null;
    throw new ConsoleError(0, unreachable, 'The change may still wait for its turn.', null);
  });
}

/** Whether the service itself has refused the change, not a proxy before it: then the change waits for nothing. */
function isOurs({ requestId }: ConsoleError, name: string): boolean {
  return requestId === name;
}

/** Asks until there is an answer. @throws ConsoleError when it took too long, or was refused */
async function untilAnswered<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + patienceMs;
  for (let ms = firstMs; ; ms = Math.min(againMsMax, ms * 2)) {
    await pause(ms);
    try {
      return await read();
    } catch (error) {
      if (error !== unknown && isUndecided(error) && performance.now() < until) continue;
      throw unknown;
    }
  }
}

/** The answer of a change that was saved. */
async function answerOf<Id extends ConsoleOperationId>(
  { id, params }: SentChange<Id>,
  entry: AuditEntryView,
): Promise<AnswerOf<Id>> {
  const words = told[id];
  if (words !== undefined) throw new ConsoleError(0, 'The connection was lost', words, entry.requestId);
  const read = answers[id];
  const value = read === undefined ? null : await untilAnswered(() => read(params as never, entry));
  return value as AnswerOf<Id>;
}

/**
 * Finds out what became of a change without an answer, even if the service is away for a while.
 *
 * @returns the answer, if it was saved
 * @throws ConsoleError that says the truth: nothing was saved, it was saved and cannot be shown, or it is not known
 */
export async function findOut<Id extends ConsoleOperationId>(change: SentChange<Id>): Promise<AnswerOf<Id>> {
  const { name, error } = change;
  changesInDoubt.set(changesInDoubt.present + 1);
  try {
    const entry = await whatBecameOf(change);
    if (entry !== null) return await answerOf(change, entry);
    // A refusal of the service says itself what has happened.
    throw isOurs(error, name) ? error : new ConsoleError(0, unreachable, 'Nothing was saved.', null);
  } finally {
    changesInDoubt.set(changesInDoubt.present - 1);
  }
}
