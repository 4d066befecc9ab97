import type { StateKind } from '../../contracts/console/flag-views.ts';
import { reachOf } from '../../domain/flag/reach.ts';
import { countOf } from '../parts/words.ts';

/** Green only where a state reaches callers. */
export const tones = { off: 'off', nobody: 'warn', some: 'on', all: 'on' } as const;

/** A state in words, and not by colour alone. */
export interface StateWords {
  readonly tone: (typeof tones)[keyof typeof tones];
  /** `Off`, `On 50%`. */
  readonly main: string;
  /** What else decides; empty for nothing. */
  readonly more: string;
}

/** @param cohortCount number of flag-wide cohorts */
export function stateWords(state: StateKind, cohortCount: number): StateWords {
  const reach = reachOf(state, cohortCount);
  const tone = tones[reach];
  if (reach === 'off') return { tone, main: 'Off', more: '' };
  if (reach === 'nobody') return { tone, main: 'On', more: 'reaches nobody' };
  const { trafficPercentage, audienceId } = state;
  const cohorts = state.cohortOverrideCount ?? cohortCount;
  if (trafficPercentage === 0) return { tone, main: 'On', more: `only ${countOf(cohorts, 'cohort')}` };
  const more = [cohorts > 0 && countOf(cohorts, 'cohort'), audienceId !== null && 'audience'];
  return {
    tone,
    main: `On ${trafficPercentage}%`,
    more: more.filter((part) => part !== false).join(', '),
  };
}
