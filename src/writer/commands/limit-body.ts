import type { ManagementCall } from '../../contracts/management/management-call.ts';
import { proceed, refuseRequest, type Step } from '../../domain/management/refusal.ts';
import type { Token } from '../../domain/token/token.ts';

const tooLarge = 'The request body is larger than 1 MiB (1,048,576 bytes). Send a smaller one.';

/** Step 8 of the order of checks; the worker has counted. */
export function limitBody(token: Token, call: ManagementCall): Step<null> {
  return call.isBodyTooLarge ? refuseRequest(token, 'payload-too-large', tooLarge) : proceed(null);
}
