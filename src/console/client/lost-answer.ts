import type { AuditEntryView } from '../../contracts/console/audit-views.ts';
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

/** A request may still be on its way when its connection breaks: the first reading waits for it. */
const firstMs = 1_000;
const againMsMax = 5_000;
/** After this the page gives up, and says that it does not know. */
const patienceMs = 180_000;
/** The change is among the newest entries: this many pages are read. */
const pagesMax = 4;

type Params = Readonly<Record<string, string | number>>;

/** A change that was sent, and has no answer. */
interface SentChange<Id extends ConsoleOperationId> {
  readonly id: Id;
  readonly params: ParamsOf<Id>;
  /** Of the request: see `request-name.ts`. */
  readonly name: string;
  /** What came instead of an answer. */
  readonly error: ConsoleError;
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

/** @returns the entry of a change; null: nothing was changed */
async function findEntry({ projectId }: Params, name: string): Promise<AuditEntryView | null> {
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const query = cursor === undefined ? {} : { query: { cursor } };
    const { entries, nextCursor } =
      projectId === undefined
        ? await ask('list-audit', {}, null, query)
        : await ask('list-project-audit', { projectId }, null, query);
    const found = entries.find(({ requestId }) => requestId === name);
    if (found !== undefined) return found;
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return null;
}

/** Asks until there is an answer. @throws ConsoleError when it took too long, or was refused */
async function untilAnswered<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + patienceMs;
  for (let ms = firstMs; ; ms = Math.min(againMsMax, ms * 2)) {
    await pause(ms);
    try {
      return await read();
    } catch (error) {
      if (isUndecided(error) && performance.now() < until) continue;
      const detail = 'It is not known whether your change was saved. Check before you try again.';
      throw new ConsoleError(0, unreachable, detail, null);
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
  const { params, name, error } = change;
  changesInDoubt.set(changesInDoubt.present + 1);
  try {
    const entry = await untilAnswered(() => findEntry(params as Params, name));
    if (entry !== null) return await answerOf(change, entry);
    // A refusal of the service says itself what has happened.
    throw error.requestId === null ? new ConsoleError(0, unreachable, 'Nothing was saved.', null) : error;
  } finally {
    changesInDoubt.set(changesInDoubt.present - 1);
  }
}
