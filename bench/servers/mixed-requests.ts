import type { BenchRequest } from '../load/request-list.ts';
import type { Provisioned } from './bench-directory.ts';
import { attributeValues, mixedCohorts, placeMixedFlag, userName, usersMax } from './flag-fixtures.ts';
import { SeededRandom } from './seeded-random.ts';
import { Zipf } from './zipf.ts';

/** A flag, as the requests of the mix name it. */
export interface AskedFlag {
  readonly id: string;
  readonly environment: string | null;
}

/** Finds a flag of the mix by popularity. @throws when it was not provisioned */
export function findMixedFlag(
  index: number,
  count: number,
  provisioned: Provisioned,
): AskedFlag & { readonly writeToken: string } {
  const { project, flag, environment, writeToken } = placeMixedFlag(index, count);
  const there = provisioned.projects[project];
  const id = there?.flags[flag];
  const token = there?.tokens[writeToken];
  if (id === undefined || token === undefined) throw new Error(`flag ${flag} of ${project} is not there`);
  return { id, environment, writeToken: token.secret };
}

/**
 * The load of `evaluate-mixed`: flags by Zipf's law; 60 % with a targeting key, 20 % with a cohort, 15 % with a targeting
 * key and four attributes, and 5 % for flags that do not exist, which must be answered 404. The same for the same seed.
 *
 * @param count the number of flags that `mixedProvision` provisioned
 */
export function mixedRequests(
  count: number,
  provisioned: Provisioned,
  seed: number,
  length = 100_000,
): BenchRequest[] {
  return requestsFor(count, (index) => findMixedFlag(index, count, provisioned), seed, length);
}

/** The same load as `mixedRequests`, with flags from `find`. */
export function requestsFor(
  count: number,
  find: (index: number) => AskedFlag,
  seed: number,
  length: number,
): BenchRequest[] {
  const random = new SeededRandom(3, seed);
  const zipf = new Zipf(count);
  return Array.from({ length }, () => {
    const index = zipf.draw(random);
    const { id, environment } = find(index);
    const isKnown = random.fraction() >= 0.05;
    const query = [...contextOf(index, random), ...(environment === null ? [] : [`env=${environment}`])];
    const flagId = isKnown ? id : unknownId(random);
    return { path: `/v1/flags/${flagId}?${query.join('&')}`, status: isKnown ? 200 : 404 };
  });
}

/** The kinds of context, as parts of the 95 % of requests for flags that exist. */
function contextOf(index: number, random: SeededRandom): string[] {
  const kind = random.fraction() * 95;
  if (kind < 20) return [`cohort=${cohortFor(index, random)}`];
  const targetingKey = `targetingKey=${userName(random.below(usersMax))}`;
  if (kind < 80) return [targetingKey];
  const attributes = Object.entries(attributeValues).map(
    ([name, values]) => `${name}=${random.pick(values)}`,
  );
  return [targetingKey, ...attributes];
}

/** Half of the time one of the flag's own cohorts, if it has any. */
function cohortFor(index: number, random: SeededRandom): string {
  const listed = mixedCohorts(index);
  return listed.length > 0 && random.fraction() < 0.5
    ? random.pick(listed)
    : userName(random.below(usersMax));
}

const idCharacters = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const idLength = 20;

function unknownId(random: SeededRandom): string {
  return Array.from({ length: idLength }, () => random.pick(idCharacters)).join('');
}
