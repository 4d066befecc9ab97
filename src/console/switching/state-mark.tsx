import { reachOf } from '../../domain/flag/reach.ts';
import { Mark } from '../parts/mark.tsx';
import { tones } from './state-words.ts';
import type { StoredSwitch } from './switch-rules.ts';

type Shown = Pick<StoredSwitch, 'state' | 'cohortCount'>;

function briefWords({ state, cohortCount }: Shown): string {
  const reach = reachOf(state, cohortCount);
  if (reach === 'off') return 'Off';
  if (reach === 'nobody') return 'On, reaches nobody';
  return state.trafficPercentage === 0 ? 'On, cohorts only' : `On ${state.trafficPercentage}%`;
}

/** Whether a flag is on, and for how many callers: green only where it reaches any. */
export function StateMark(shown: Shown) {
  return (
    <Mark tone={tones[reachOf(shown.state, shown.cohortCount)]} hasDot>
      {briefWords(shown)}
    </Mark>
  );
}
