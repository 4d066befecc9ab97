import { type EvaluationReason, evaluationReasons } from '../../domain/evaluation/evaluation-reason.ts';

/** OFREP's error codes that Burgee uses (protocol 0.3.0). */
export type OfrepErrorCode = 'PARSE_ERROR' | 'INVALID_CONTEXT' | 'FLAG_NOT_FOUND' | 'GENERAL';

/** A failure of OFREP, before it is known whether one flag was asked for. */
export interface OfrepProblem {
  readonly status: 400 | 403 | 404 | 413 | 429 | 500;
  readonly code: OfrepErrorCode;
  readonly details: string;
}

/**
 * The body of a failure. It has every field: some clients treat a body without one as malformed.
 * @param key of the flag that was asked for; null for all flags, where clients refuse unknown keys
 */
export function ofrepFailure(key: string | null, { code, details }: OfrepProblem): string {
  const problem = { errorCode: code, errorDetails: details };
  return JSON.stringify(key === null ? problem : { key, ...problem });
}

/** What stands between the key and the flag's id, by reason. */
const middles = evaluationReasons.map(
  ({ name, isOn, openFeature }) =>
    `,"value":${isOn},"reason":"${openFeature}","variant":"${isOn ? 'on' : 'off'}","metadata":{"reason":"${name}","flagId":"`,
);

/** A project, or an environment of it, in OpenFeature's words: `flagSetId` names it. */
export interface OfrepFlagSet {
  readonly projectId: string;
  /** Null in a single-environment project. */
  readonly environment: string | null;
}

/**
 * The body of a success, or an item of the list of all flags. Values of the metadata are texts: some clients fail on large
 * numbers. Neither an id nor the name of an environment has a character that JSON escapes.
 * @param key as JSON
 */
export function ofrepSuccess(
  key: string,
  reason: EvaluationReason,
  { id, revision }: { readonly id: string; readonly revision: number },
  { projectId, environment }: OfrepFlagSet,
): string {
  const set = environment === null ? projectId : `${projectId}/${environment}`;
  return `{"key":${key}${middles[reason]}${id}","version":"${revision}","flagSetId":"${set}"}}`;
}
