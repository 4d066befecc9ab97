/** What of a thing can be edited, flat: a flag's state field is `1/enabled`, by its environment's number. */
export type Fields = Readonly<Record<string, unknown>>;

export interface FieldChange {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Equality of JSON values whose objects have their members in one order. */
export function areSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

/** What differs, in the order of `before`; what only `after` has comes last. */
export function changesBetween(before: Fields, after: Fields): FieldChange[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Array.from(keys, (key) => ({ key, before: before[key], after: after[key] })).filter(
    ({ before: left, after: right }) => !areSame(left, right),
  );
}
