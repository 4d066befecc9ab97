import { isWellFormed } from '../../support/code-points.ts';
import { isFlagName, nameCodePointsMax } from '../flag/flag-labels.ts';
import type { ProblemList } from '../problem-list.ts';

/** @returns a name as it is stored, trimmed. Names of all kinds follow the rule for flag names (decisions). */
export function readName(sent: string, problems: ProblemList): string {
  const name = sent.trim();
  if (!isFlagName(name) || !isWellFormed(name)) {
    problems.add(
      () => `name must be 1 to ${nameCodePointsMax} characters after trimming, without control characters`,
    );
  }
  return name;
}
