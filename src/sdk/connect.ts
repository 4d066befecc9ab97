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
 * It waits until Burgee has answered, at most `startTimeoutMs`. Burgee being away, or refusing the token, is no
 * exception: the client then answers from the bootstrap or the cache file, else with fallbacks, and goes on trying.
 * `status` and `why` tell.
 *
 * @throws TypeError for wrong options, which says what to do
 */
export async function connect(options: ClientOptions): Promise<BurgeeClient> {
  const client = new SyncedClient(checkOptions(options), defaultTimings);
  await client.start();
  return client;
}
