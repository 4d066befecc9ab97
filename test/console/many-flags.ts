import type { Flag, FlagState } from '../../src/domain/flag/flag.ts';
import type { Project } from '../../src/domain/project/project.ts';
import { flagOf } from '../storage/support/records.ts';

const areas = ['checkout', 'search', 'billing', 'profile', 'cart', 'shipping', 'pricing', 'reports'];
const things = ['layout', 'ranking', 'limits', 'import', 'export', 'banner', 'cache', 'retries', 'colours'];
const percentages = [0, 1, 5, 10, 25, 50, 100];

/** The environments of a large project: `production` and others. */
export function manyEnvironments(count: number): Pick<Project, 'environments' | 'nextEnvironmentNumber'> {
  const environments = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    name: index === 0 ? 'production' : `preview-${index}`,
    isProtected: index === 0,
  }));
  return { environments, nextEnvironmentNumber: count + 1 };
}

/** Flags with names, tags and states as varied as those of a large project, the same in every run. */
export function manyFlags(project: Project, count: number): Flag[] {
  return Array.from({ length: count }, (_, index) => {
    const pick = <T>(values: readonly T[], salt: number): T =>
      values[(Math.imul(index * 31 + salt, 0x9e3779b1) >>> 7) % values.length] as T;
    const [area, thing] = [pick(areas, 1), pick(things, 2)];
    const states = project.environments
      .filter(({ number }) => pick([true, false, false, false], number) || number === 1)
      .map(({ number }): [number, FlagState] => [
        number,
        {
          enabled: pick([true, true, false], number + 100),
          trafficPercentage: pick(percentages, number + 200),
          cohortOverride: pick([null, null, null, ['beta', 'staff']], number + 300),
          audienceId: null,
        },
      ]);
    return flagOf(project.id, {
      name: `${area}-${thing}-${index}`,
      description: pick(['', `Moves the ${thing} of ${area} to the new service. Owner: ${area} team`], 3),
      tags: pick([[], [area], [area, `team-${index % 17}`]], 4),
      cohorts: pick([[], [], ['internal']], 5),
      states: new Map(states),
      updatedAt: 1_790_000_000_000 + (Math.imul(index, 0x85ebca6b) >>> 0),
    });
  });
}
