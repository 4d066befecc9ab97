import { type TSchema, Type } from 'typebox';
import { nullable, shape, text } from '../contracts/console/view-parts.ts';

/* Schemas that bodies of the console's API share. The domain's rules check lengths and contents. */

export const optional = Type.Optional;

/**
 * The fields of the Management API. The `cohorts` of a group flag are flag-wide; those of a state are its own list
 * (null or [] inherits).
 */
const state = shape({
  enabled: optional(Type.Boolean()),
  trafficPercentage: optional(Type.Integer()),
  cohorts: optional(nullable(Type.Array(text))),
  audienceId: optional(nullable(text)),
});
/** Keyed by environment number as a decimal; `0` in a single-environment project. */
export const states = Type.Record(Type.String(), state);

/** The answer of a list: `{"flags": [...]}`. */
export function listOf<Name extends string, Item extends TSchema>(name: Name, schema: Item) {
  const properties = { [name]: Type.Array(schema) } as Record<Name, Type.TArray<Item>>;
  return shape(properties);
}
