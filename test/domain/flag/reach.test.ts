import t from 'tap';
import { type Reach, reachOf } from '../../../src/domain/flag/reach.ts';

interface Case {
  readonly enabled?: boolean;
  readonly percentage: number;
  readonly audience?: boolean;
  readonly flagWide?: number;
  readonly override?: number | null;
  readonly reach: Reach;
}

const cases: readonly Case[] = [
  { enabled: false, percentage: 100, flagWide: 3, reach: 'off' },
  { percentage: 0, reach: 'nobody' },
  { percentage: 0, audience: true, reach: 'nobody' },
  { percentage: 0, flagWide: 1, reach: 'some' },
  { percentage: 0, audience: true, flagWide: 1, reach: 'some' },
  { percentage: 0, override: 2, reach: 'some' },
  { percentage: 1, reach: 'some' },
  { percentage: 99, flagWide: 5, reach: 'some' },
  { percentage: 100, reach: 'all' },
  { percentage: 100, flagWide: 5, reach: 'all' },
  { percentage: 100, audience: true, reach: 'some' },
];

for (const { enabled = true, percentage, audience = false, flagWide = 0, override = null, reach } of cases) {
  const words = `${enabled ? 'on' : 'off'}, ${percentage}%, ${flagWide} flag-wide, override ${override}`;
  t.test(`${words}${audience ? ', an audience' : ''}: ${reach}`, async (t) => {
    const state = { enabled, trafficPercentage: percentage, audienceId: audience ? 'a' : null };
    const own = override === null ? null : Array.from({ length: override }, (_, index) => `c${index}`);
    t.equal(reachOf({ ...state, cohortOverrideCount: override }, flagWide), reach, 'with the number');
    t.equal(reachOf({ ...state, cohortOverride: own }, flagWide), reach, 'with the list');
  });
}
