import type { StateKind } from '../../../contracts/console/flag-views.ts';
import { reachOf } from '../../../domain/flag/reach.ts';
import { countOf } from '../../parts/words.ts';

/** A state in words, and not by colour alone. */
export interface StateWords {
  readonly tone: 'on' | 'off' | 'warn';
  /** `Off`, `On 50%`. */
  readonly main: string;
  /** What else decides; empty for nothing. */
  readonly more: string;
}

/** @param cohortCount number of flag-wide cohorts */
export function stateWords(state: StateKind, cohortCount: number): StateWords {
  const reach = reachOf(state, cohortCount);
  if (reach === 'off') return { tone: 'off', main: 'Off', more: '' };
  if (reach === 'nobody') return { tone: 'warn', main: 'On', more: 'reaches nobody' };
  const { trafficPercentage, audienceId } = state;
  const cohorts = state.cohortOverrideCount ?? cohortCount;
  if (trafficPercentage === 0) return { tone: 'on', main: 'On', more: `only ${countOf(cohorts, 'cohort')}` };
  const more = [cohorts > 0 && countOf(cohorts, 'cohort'), audienceId !== null && 'audience'];
  return {
    tone: 'on',
    main: `On ${trafficPercentage}%`,
    more: more.filter((part) => part !== false).join(', '),
  };
}
