import { succeed } from '../../domain/outcome.ts';
import { anybody, writeStep } from '../operation.ts';
import type { SignInKey } from './step-bodies.ts';

/** Makes the store's key for sign-ins, unless it was made meanwhile: the first sign-in at a provider needs it. */
export const makeSignInKey = writeStep(
  'make-sign-in-key',
  anybody,
  (queries, _request, _principal, context) => {
    const known = queries.signInKey();
    const key = known ?? context.newSecret();
    const value: SignInKey = { key };
    return succeed({ changes: known === undefined ? [{ kind: 'sign-in-key', key }] : [], reply: { value } });
  },
);
