import { succeed } from '../../domain/outcome.ts';
import { readStep, signedIn } from '../operation.ts';
import type { OwnPassword } from './step-bodies.ts';

export const findOwnPassword = readStep('find-own-password', signedIn, (_queries, _request, { member }) => {
  const { email, passwordHash } = member;
  return succeed({ value: { email, passwordHash } satisfies OwnPassword });
});
