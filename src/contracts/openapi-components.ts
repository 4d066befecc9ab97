import type { TSchema } from 'typebox';
import { errorEnvelopeSchema } from './error-envelope-schema.ts';
import { evaluationFlagSchema } from './evaluation/evaluation-flag.ts';
import { evaluationListSchema } from './evaluation/evaluation-list.ts';
import { healthSchema, unhealthySchema } from './evaluation/health.ts';
import {
  flagCreateBodySchema,
  groupFlagCreateBodySchema,
  singleFlagCreateBodySchema,
} from './management/flag-create-body.ts';
import { flagListSchema } from './management/flag-list.ts';
import { flagPatchBodySchema } from './management/flag-patch-body.ts';
import {
  flagRepresentationSchema,
  flatFlagSchema,
  groupFlagInEnvironmentSchema,
  groupFlagSchema,
  singleFlagSchema,
} from './management/flag-representation.ts';
import { patchResultSchema } from './management/patch-result.ts';
import { tokenDescriptionSchema } from './management/token-description.ts';
import {
  ofrepErrorSchema,
  ofrepFlagSchema,
  ofrepFlagsSchema,
  ofrepRequestSchema,
} from './ofrep/ofrep-schemas.ts';
import { syncReceiptSchema, syncSnapshotSchema, syncUsageSchema } from './sync/sync-schemas.ts';

const requestSchemas: readonly TSchema[] = [
  flagCreateBodySchema,
  singleFlagCreateBodySchema,
  groupFlagCreateBodySchema,
  flagPatchBodySchema,
  ofrepRequestSchema,
  syncUsageSchema,
];

const responseSchemas: readonly TSchema[] = [
  errorEnvelopeSchema,
  evaluationFlagSchema,
  evaluationListSchema,
  healthSchema,
  unhealthySchema,
  flagListSchema,
  flagRepresentationSchema,
  singleFlagSchema,
  groupFlagInEnvironmentSchema,
  groupFlagSchema,
  flatFlagSchema,
  patchResultSchema,
  tokenDescriptionSchema,
  ofrepErrorSchema,
  ofrepFlagSchema,
  ofrepFlagsSchema,
  syncReceiptSchema,
  syncSnapshotSchema,
];

const titles = new Map<unknown, string>(
  [...requestSchemas, ...responseSchemas].map((schema) => [schema, String(Reflect.get(schema, 'title'))]),
);

/** @returns a `$ref` to the component that holds this schema. */
export function componentReference(schema: TSchema): TSchema {
  const title = titles.get(schema);
  if (title === undefined)
    throw new Error('No component holds this schema: list it in openapi-components.ts.');
  return { $ref: `#/components/schemas/${title}` };
}

type Rewrite = (key: string, value: unknown) => readonly (readonly [string, unknown])[];

function rewritten(value: unknown, rewrite: Rewrite): unknown {
  if (Array.isArray(value)) return value.map((item) => referenced(item, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).flatMap(([key, part]) => rewrite(key, part));
  return Object.fromEntries(pairs.map(([key, part]) => [key, referenced(part, rewrite)]));
}

function referenced(value: unknown, rewrite: Rewrite): unknown {
  return titles.has(value) ? componentReference(value as TSchema) : rewritten(value, rewrite);
}

/**
 * A map by environment name in the form that code generators know: `additionalProperties`, and the pattern next to it.
 */
function mapKeywords(patternProperties: object): readonly (readonly [string, unknown])[] {
  return Object.entries(patternProperties).flatMap(([pattern, schema]) => [
    ['additionalProperties', schema] as const,
    ['propertyNames', { pattern }] as const,
  ]);
}

const keepClosed: Rewrite = (key, value) =>
  key === 'patternProperties' ? mapKeywords(value as object) : [[key, value]];

/** Responses may gain fields within a version, so the document leaves schemas open that tests check as closed. */
const openUp: Rewrite = (key, value) =>
  key === 'additionalProperties' && value === false ? [] : keepClosed(key, value);

/** @returns a response schema for the document: with components by reference, and open to new fields. */
export function openSchema(schema: TSchema): unknown {
  return referenced(schema, openUp);
}

/** @returns every component by name. */
export function componentSchemas(): Record<string, unknown> {
  const requests = requestSchemas.map((schema) => [titles.get(schema), rewritten(schema, keepClosed)]);
  const responses = responseSchemas.map((schema) => [titles.get(schema), rewritten(schema, openUp)]);
  return Object.fromEntries([...responses, ...requests]);
}
