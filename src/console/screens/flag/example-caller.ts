import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { murmur3, rolloutThreshold } from '../../../domain/evaluation/bucketing.ts';

/**
 * A caller to show in code: one for whom the flag is on, where there is one, with everything that decides it: a listed
 * cohort and the attributes of the audience.
 */
export interface ExampleCaller {
  readonly targetingKey: string;
  /** Null: none is listed. */
  readonly cohort: string | null;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  /** Why the flag is off for every caller; null: it is on for this one. */
  readonly offBecause: string | null;
}

type State = ConsoleFlagView['states'][string];

/** Keys that are tried. At one per cent it takes a hundred on average. */
const keysMax = 5000;

/** `user-42`, or the first `user-N` that the percentage lets in; null when none was found. */
function keyInRollout(flagId: string, trafficPercentage: number): string | null {
  const threshold = rolloutThreshold(trafficPercentage);
  const encoder = new TextEncoder();
  const isIn = (key: string) => murmur3(encoder.encode(flagId + key)) < threshold;
  if (isIn('user-42')) return 'user-42';
  const numbers = Array.from({ length: keysMax }, (_, index) => index + 1);
  const found = numbers.find((number) => isIn(`user-${number}`));
  return found === undefined ? null : `user-${found}`;
}

/** @param audience of the state; null: it has none, or one that could not be read */
export function exampleCaller(
  { id, cohorts }: Pick<ConsoleFlagView, 'id' | 'cohorts'>,
  { enabled, trafficPercentage, cohortOverride, audienceId }: State,
  audience: Pick<AudienceView, 'rules'> | null,
): ExampleCaller {
  const rules = audience?.rules ?? [];
  const attributes = rules.map(({ attribute, values }) => ({ name: attribute, value: values[0] ?? '' }));
  const inRollout = keyInRollout(id, trafficPercentage);
  // A listed cohort is let in even where the percentage or the audience lets in no caller.
  const [cohort = null] = cohortOverride ?? cohorts;
  const isReached = inRollout !== null && (audienceId === null || audience !== null);
  const caller = { targetingKey: inRollout ?? 'user-42', cohort, attributes };
  if (!enabled) return { ...caller, offBecause: 'it is switched off' };
  if (isReached || cohort !== null) return { ...caller, offBecause: null };
  const why = inRollout === null ? 'its rollout is at 0%' : 'its audience cannot be read';
  return { ...caller, offBecause: `${why} and it has no cohorts` };
}
