import type { Finding } from '../storage/check/store-walk.ts';

/** What the process that walks a store says on its standard output, a line of JSON each. */
export type WalkLine =
  | { readonly kind: 'finding'; readonly finding: Finding }
  /** The last line of a walk that came to its end. */
  | { readonly kind: 'walked'; readonly counts: Readonly<Record<string, number>> }
  /** The store cannot be opened. */
  | { readonly kind: 'refused'; readonly message: string };
