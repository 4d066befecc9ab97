import type { ConsoleOperation } from './console-operation.ts';
import { type ConsoleOperationId, consoleOperations } from './console-operations.ts';

type StepRow = Pick<ConsoleOperation, 'access' | 'actor' | 'body'>;

/**
 * What a conversation asks for while it answers an operation: half a sign-in, for example. A step has
 * no path, so nobody asks for one from outside; its body was made by the conversation, and has no schema.
 */
export const consoleSteps = {
  /** Who has an email, with the hashes of their passwords. */
  'find-credentials': { access: { scope: 'public' }, actor: 'read', body: null },
  /** After the password was checked against the hash that is still stored. */
  'begin-session': { access: { scope: 'public' }, actor: 'writer', body: null },
  /** After an OpenID provider has vouched for somebody. */
  'begin-open-id-session': { access: { scope: 'public' }, actor: 'writer', body: null },
  'find-own-password': { access: { scope: 'member' }, actor: 'read', body: null },
  'set-own-password': { access: { scope: 'member' }, actor: 'writer', body: null },
  'consume-link': { access: { scope: 'public' }, actor: 'writer', body: null },
} as const satisfies Record<string, StepRow>;

export type ConsoleStepId = keyof typeof consoleSteps;
/** What an actor can be asked. */
export type ConsoleAskId = ConsoleOperationId | ConsoleStepId;

const rows: ReadonlyMap<string, StepRow> = new Map<string, StepRow>([
  ...Object.entries<StepRow>(consoleOperations),
  ...Object.entries<StepRow>(consoleSteps),
]);

/** @throws Error on an id that is not in the tables. */
export function consoleRow(id: ConsoleAskId): StepRow {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`${id} is no operation of the console`);
  return row;
}

export function isConsoleStep(id: ConsoleAskId): id is ConsoleStepId {
  return Object.hasOwn(consoleSteps, id);
}
