import { type TSchema, Type } from 'typebox';

/* What bodies that are sent to the console's API are made of. Lengths and contents are checked by the domain's rules. */

/** Members that are not named are refused. */
export function object<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

export const string = Type.String();
export const optional = Type.Optional;
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
/** What the sender's edit started from: when the thing has moved since, nothing is written and both are shown (409). */
export const revision = Type.Integer({ minimum: 1 });

/** As in the API; `cohorts` of a group flag are flag-wide, those of a state its own list (null or [] inherits). */
const state = object({
  enabled: optional(Type.Boolean()),
  trafficPercentage: optional(Type.Integer()),
  cohorts: optional(nullable(Type.Array(string))),
  audienceId: optional(nullable(string)),
});
/** Keyed by environment number as a decimal; `0` in a single-environment project. */
export const states = Type.Record(Type.String(), state);

/** The answer of a list: `{"flags": [...]}`. */
export function listOf<Name extends string, Item extends TSchema>(name: Name, schema: Item) {
  const properties = { [name]: Type.Array(schema) } as Record<Name, Type.TArray<Item>>;
  return Type.Object(properties, { additionalProperties: false });
}
