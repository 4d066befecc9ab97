import { errorEnvelope } from '../../contracts/error-envelope.ts';
import type { ConnectionRules } from '../../http/connection-rules.ts';
import { evaluationRetryHeaders } from '../../operations/answer-headers.ts';
import { tooManyConnections } from '../../operations/refuse-undecided.ts';

/** @returns the answer to a connection that there is no room for, in the form that suits most whatever is asked on it */
export function crowdedAnswer(docsUrl: string): ConnectionRules['crowded'] {
  const body = errorEnvelope({ code: 'service-unavailable', detail: tooManyConnections }, docsUrl);
  return { headers: evaluationRetryHeaders, body };
}
