import { succeed } from '../../domain/outcome.ts';
import { anybody, readStep } from '../operation.ts';
import type { SignInKey } from './step-bodies.ts';

/** The key that sign-ins at the provider are sealed with. It leaves the service in no answer. */
export const findSignInKey = readStep('find-sign-in-key', anybody, (queries) =>
  succeed({ value: { key: queries.signInKey() ?? null } satisfies SignInKey }),
);
