import type { Bench } from '../scenario.ts';
import { oneFlagRequests } from '../servers/one-flag-requests.ts';
import type { OneFlagServer } from '../servers/one-flag-servers.ts';
import type { Question } from './question.ts';

export const oneFlagTitle = 'One flag at 50 %, a different targeting key each time';
const quickKeys = 1000;

/** The parts that differ between the questions for one flag. */
interface Asked extends Partial<Question> {
  readonly connections: number;
  readonly flagId: string;
  readonly servers: readonly OneFlagServer[];
}

/** Evaluates one flag at each server; the bare one is the base. */
export function oneFlagQuestion({ settings }: Bench, { flagId, servers, ...asked }: Asked): Question {
  const requests = oneFlagRequests(flagId, settings.isQuick ? quickKeys : undefined);
  return {
    title: oneFlagTitle,
    base: 'bare',
    contenders: servers.map(({ server: { origin, pid }, ...shown }) => ({
      ...shown,
      pid,
      list: { origin, requests },
    })),
    ...asked,
    settings: { 'targeting keys': requests.length, ...asked.settings },
  };
}
