/** What every property on the wire has: a description and valid examples. */
type Described = { readonly description: string; readonly examples: readonly unknown[] };

/** @returns the JSON Schema annotations of a property. */
export function described(description: string, ...examples: readonly unknown[]): Described {
  return { description, examples };
}
