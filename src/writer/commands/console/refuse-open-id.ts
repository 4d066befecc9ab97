import type { ConsoleDecision } from '../../../contracts/console/console-handler.ts';
import type { BegunOpenIdSession } from '../../../contracts/console/step-bodies.ts';
import { allow, type ConsoleOutcome } from '../../../domain/console/console-problem.ts';
import type { OpenIdRefusal } from '../../../domain/session/open-id-refusal.ts';

/** Nobody is signed in, and nothing changes. The worker tells the browser why. */
export function refuseOpenId(refusal: OpenIdRefusal): ConsoleOutcome<ConsoleDecision> {
  const value: BegunOpenIdSession = { begun: null, refusal };
  return allow({ changes: [], reply: { value } });
}
