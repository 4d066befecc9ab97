import type { BurgeeClient, ClientOptions } from './burgee-client.ts';
import { checkOptions } from './client-options.ts';
import { SyncedClient } from './synced-client.ts';
import { defaultTimings } from './timings.ts';

export type {
  BurgeeClient,
  ClientEvents,
  ClientMode,
  ClientOptions,
  ClientStatus,
  EvaluatedFlag,
  ExplainedStep,
  Explanation,
  FallbackReason,
  FlagContext,
} from './burgee-client.ts';

/**
 * Connects to a Burgee and keeps the configuration of one project and environment in memory.
 *
 * It waits at most `startTimeoutMs` for Burgee's answer. If Burgee is unreachable or refuses the token, it throws nothing: the
 * client answers from the bootstrap or the cache file, else with fallbacks, and keeps trying. `status` and `why` say so.
 *
 * @throws TypeError for wrong options; its message says what to do
 */
export async function connect(options: ClientOptions): Promise<BurgeeClient> {
  const client = new SyncedClient(checkOptions(options), defaultTimings);
  await client.start();
  return client;
}
