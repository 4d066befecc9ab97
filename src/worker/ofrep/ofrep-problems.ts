import type { OfrepProblem } from '../../contracts/ofrep/ofrep-answers.ts';
import { contextValuesMax } from '../../domain/evaluation/query-fault.ts';
import type { Project } from '../../domain/project/project.ts';
import type { RefusalReason } from '../evaluation/evaluation-metrics-protocol.ts';

/** A refusal of OFREP, and the reason under which it is counted. */
export interface OfrepRefusal extends OfrepProblem {
  readonly counted: RefusalReason;
  /** A retry in a moment may succeed. */
  readonly isOverload?: boolean;
}

function refusal(
  counted: RefusalReason,
  status: OfrepProblem['status'],
  code: OfrepProblem['code'],
  details: string,
): OfrepRefusal {
  return { counted, status, code, details };
}

export const noSuchAddress = refusal(
  'not-found',
  404,
  'GENERAL',
  'OFREP has no endpoint of this method and path. Evaluate with POST /projects/{project}/{environment}/ofrep/v1/evaluate/flags/{key}; the documentation lists the others.',
);
export const noPlace = refusal(
  'invalid-request',
  400,
  'GENERAL',
  'The address names no project. Use the base URL /projects/{project}/{environment}, or send X-API-Key: {project}/{environment}.',
);
export const malformedPlace = refusal(
  'invalid-request',
  400,
  'GENERAL',
  'X-API-Key must be {project}/{environment} or {project}, each percent-encoded.',
);
export const accessOff = refusal(
  'access-off',
  403,
  'GENERAL',
  'Evaluation API access is switched off for this project, so its flags cannot be evaluated.',
);
export const bodyTooLarge = refusal(
  'invalid-request',
  413,
  'GENERAL',
  'The body is longer than 64 KiB. Send fewer or shorter attributes.',
);
export const bodyIsNoJson = refusal('invalid-request', 400, 'PARSE_ERROR', 'The body is not JSON in UTF-8.');
export const bodyIsNoObject = refusal(
  'invalid-request',
  400,
  'PARSE_ERROR',
  'The body must be a JSON object with the context: {"context":{"targetingKey":"user-1"}}.',
);
export const contextIsNoObject = refusal(
  'invalid-request',
  400,
  'INVALID_CONTEXT',
  'The context must be an object.',
);
/** Dropped in silence, it would give its caller a new roll each time. */
export const keyIsNoText = refusal(
  'invalid-request',
  400,
  'INVALID_CONTEXT',
  'The targetingKey must be a text or a number, not an object or a list.',
);
export const contextTooLarge = refusal(
  'invalid-request',
  400,
  'INVALID_CONTEXT',
  `The context has more than ${contextValuesMax} values. Send fewer attributes, or shorter lists.`,
);
export const bodyTooDeep = refusal(
  'invalid-request',
  400,
  'INVALID_CONTEXT',
  'The body has arrays or objects more than 32 levels deep.',
);
export const ofrepEvaluationFailed = refusal(
  'failed',
  500,
  'GENERAL',
  'The evaluation failed unexpectedly. Retry; if it persists, look at the log of the service.',
);

/** Clients of OFREP treat a 503 as malformed, so overload is a 500. */
export function ofrepOverload(details: string): OfrepRefusal {
  return { ...refusal('failed', 500, 'GENERAL', details), isOverload: true };
}

export function unreadBody(details: string): OfrepRefusal {
  return refusal('invalid-request', 400, 'PARSE_ERROR', details);
}

/** The same for a slug that is not public. @param named as in the address */
export function noProject(named: string): OfrepRefusal {
  const details = `No project has the id, or the public slug, ${quoted(named)}.`;
  return refusal('not-found', 404, 'FLAG_NOT_FOUND', details);
}

export function noFlag(key: string): OfrepRefusal {
  return refusal(
    'not-found',
    404,
    'FLAG_NOT_FOUND',
    `The project has no flag with the id or name ${quoted(key)}.`,
  );
}

/** @param name null: none was given */
export function noEnvironment(name: string | null, { id }: Project): OfrepRefusal {
  const details =
    name === null
      ? `The project has environments, and the address names none. Use the base URL /projects/${id}/{environment}.`
      : `The project has no environment ${quoted(name)}.`;
  return refusal('no-environment', 404, 'FLAG_NOT_FOUND', details);
}

const shownMax = 64;

function quoted(text: string): string {
  const characters = [...text.slice(0, 2 * shownMax)];
  const isLong = characters.length > shownMax || text.length > 2 * shownMax;
  return JSON.stringify(isLong ? `${characters.slice(0, shownMax).join('')}…` : text);
}
