import type { ConsoleRead } from '../../../contracts/console/console-handler.ts';
import type { OwnPassword } from '../../../contracts/console/step-bodies.ts';
import { allow } from '../../../domain/console/console-problem.ts';

export const findOwnPassword: ConsoleRead = (_queries, _request, { member }) => {
  const { email, passwordHash } = member;
  return allow({ value: { email, passwordHash } satisfies OwnPassword });
};
