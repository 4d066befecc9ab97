import { type TSchema, Type } from 'typebox';

/**
 * Schemas that the console's views share. Times are Unix milliseconds; ids are 20 characters; a revision counts changes
 * from 1.
 */

export function shape<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}
export const text = Type.String();
export const id = Type.String({ pattern: '^[0-9A-Za-z]{20}$' });
export const time = Type.Integer({ minimum: 0 });
export const revision = Type.Integer({ minimum: 1 });
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const roleSchema = Type.Union([
  Type.Literal('viewer'),
  Type.Literal('editor'),
  Type.Literal('admin'),
  Type.Literal('owner'),
]);
export const permissionSchema = Type.Union([Type.Literal('read'), Type.Literal('write')]);
