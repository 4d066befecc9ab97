import { allow } from '../../domain/console/console-problem.ts';
import { readStep, signedIn } from '../operation.ts';
import type { OwnPassword } from './step-bodies.ts';

export const findOwnPassword = readStep('find-own-password', signedIn, (_queries, _request, { member }) => {
  const { email, passwordHash } = member;
  return allow({ value: { email, passwordHash } satisfies OwnPassword });
});
