import { bearer, type HttpClient } from '../../support/http-client.ts';
import type { ShownState } from './acknowledgements.ts';
import type { Installation } from './installation.ts';
import { keyOf, type StoredStates } from './judge-store.ts';
import { evaluationPathOf, isOnFor, isSameState } from './mixed-load.ts';

interface ListedFlag extends ShownState {
  readonly id: string;
  readonly environments?: Readonly<Record<string, ShownState>>;
}

/** Compares the answers of both APIs with the store. @throws Error on a difference */
export async function judgeService(
  client: HttpClient,
  { single, multi }: Installation,
  stored: StoredStates,
): Promise<void> {
  const seen = new Map<string, ShownState>();
  for (const { secret } of [single, multi]) {
    const list = await client.send({ path: '/api/v1/flags', headers: bearer(secret) });
    if (list.status !== 200) throw new Error(`the list of flags: ${list.status} ${list.text}`);
    for (const flag of (JSON.parse(list.text) as { flags: readonly ListedFlag[] }).flags) {
      if (flag.environments === undefined) seen.set(keyOf({ flagId: flag.id, environment: null }), flag);
      for (const [environment, state] of Object.entries(flag.environments ?? {})) {
        seen.set(keyOf({ flagId: flag.id, environment }), state);
      }
    }
  }
  if (seen.size !== stored.size)
    throw new Error(`${seen.size} flag states are listed, ${stored.size} stored`);
  for (const [key, { state }] of stored) {
    const listed = seen.get(key);
    if (listed === undefined || !isSameState(listed, state)) {
      throw new Error(`${key} is listed as ${JSON.stringify(listed)}, stored as ${JSON.stringify(state)}`);
    }
  }
  await judgeEvaluations(client, stored);
}

/** Evaluates every flag for a caller in a cohort that lists may contain. */
async function judgeEvaluations(client: HttpClient, stored: StoredStates): Promise<void> {
  for (const { target, state } of stored.values()) {
    const answer = await client.send({ path: evaluationPathOf(target, 'alpha') });
    const { enabled } = JSON.parse(answer.text) as { enabled?: boolean };
    if (answer.status === 200 && enabled === isOnFor(state, 'alpha')) continue;
    throw new Error(
      `${keyOf(target)} evaluates to ${answer.status} ${answer.text}; it is ${JSON.stringify(state)}`,
    );
  }
}
