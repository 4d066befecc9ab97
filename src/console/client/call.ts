import { type ConsoleOperationId, consoleRoutes } from '../../operations/console-routes.ts';
import type { ParamsOf } from './address-of.ts';
import { type AnswerOf, type AskOptions, ask, type BodyOf } from './ask.ts';
import { isUndecided } from './console-error.ts';
import { findOut, leavesTraces } from './lost-answer.ts';
import { newRequestName } from './request-name.ts';

export type { AnswerOf, BodyOf } from './ask.ts';

/**
 * Calls the console's API. A change whose answer is lost is looked up before this ends: it never says that something was
 * not saved, or was, without knowing.
 *
 * @param body null for operations that take none
 * @returns the answer's value; null for none
 * @throws {ConsoleError} for every refusal, and when no answer comes
 */
export async function call<Id extends ConsoleOperationId>(
  id: Id,
  params: ParamsOf<Id>,
  body: BodyOf<Id>,
  options: Omit<AskOptions<Id>, 'name'> = {},
): Promise<AnswerOf<Id>> {
  if (consoleRoutes[id].startsWith('GET ') || !leavesTraces(id)) return await ask(id, params, body, options);
  const [name, sentAt] = [newRequestName(), Date.now()];
  try {
    return await ask(id, params, body, { ...options, name });
  } catch (error) {
    if (!isUndecided(error)) throw error;
    return await findOut({ id, params, name, sentAt, error });
  }
}
