import type { FlagOf } from '../../domain/flag/flag.ts';
import type { Environment, Project } from '../../domain/project/project.ts';
import type { FoundFlag } from '../../domain/record-queries.ts';
import { jsonPieces } from '../../support/packed-json.ts';
import { pausing } from '../../support/text-pieces.ts';

/** A flag that may take more bytes than this in an answer is read and shown in steps. */
const wholeBytesMax = 64 * 1024;

/** Shows a flag, in any form of its lists. */
type ShowFlag = <List>(flag: FlagOf<List>) => object;

/** How often the answer may contain the flag-wide list: each environment without a list of its own shows it. */
export function copiesShown(project: Project, environment: Environment | null): number {
  return project.isMultiEnvironment && environment === null ? Math.max(1, project.environments.length) : 1;
}

/** Whether to read and show the flag in steps. @param copies of its lists in the answer, at most */
export function isShownInSteps({ bytes }: FoundFlag, copies: number): boolean {
  return bytes * copies > wholeBytesMax;
}

/** @returns the project id in a flag's record, unverified */
export function projectNamedBy(found: FoundFlag): unknown {
  return found.begin(2)[1];
}

/** A flag's JSON, after another text. */
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
