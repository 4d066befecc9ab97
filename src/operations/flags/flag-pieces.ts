import type { FlagOf } from '../../domain/flag/flag.ts';
import type { Environment, Project } from '../../domain/project/project.ts';
import type { FoundFlag } from '../../domain/record-queries.ts';
import { jsonPieces } from '../../support/packed-json.ts';
import { pausing } from '../../support/text-pieces.ts';

/** A flag that may be shown as longer than this is read, and shown, in steps. */
const wholeBytesMax = 64 * 1024;

/** How a flag is shown, whatever its lists are kept as. */
type ShowFlag = <List>(flag: FlagOf<List>) => object;

/** How often a flag may show its flag-wide list: an environment without one of its own shows it. */
export function copiesShown(project: Project, environment: Environment | null): number {
  return project.isMultiEnvironment && environment === null ? Math.max(1, project.environments.length) : 1;
}

/** Whether to read and show the flag in steps. @param copies of its lists that are shown at most */
export function isShownInSteps({ bytes }: FoundFlag, copies: number): boolean {
  return bytes * copies > wholeBytesMax;
}

/** @returns the id of the project that a flag's record names: it is not verified */
export function projectNamedBy(found: FoundFlag): unknown {
  return found.begin(2)[1];
}

/** A flag's JSON, behind another text. */
export function* flagPieces(
  before: string,
  found: FoundFlag,
  copies: number,
  show: ShowFlag,
): Generator<string | Uint8Array> {
  if (!isShownInSteps(found, copies)) {
    yield before + JSON.stringify(show(found.readWhole()));
    return;
  }
  const flag = yield* pausing(found.readInSteps());
  if (flag === undefined) throw new Error('a flag has gone from a snapshot');
  yield before;
  yield* jsonPieces(show(flag));
}
