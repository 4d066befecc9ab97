import type { StoreIdentity } from '../storage/tables/meta.ts';

/** What the process that copies a store says on its standard output, a line of JSON each. */
export type CopyLine =
  /** Before it begins; `bytes` is about what the copy will have. */
  | { readonly kind: 'plan'; readonly identity: StoreIdentity; readonly bytes: number }
  /** The last line of a copy that came to its end. */
  | { readonly kind: 'copied' }
  /** The store cannot be opened, or the copy not be written. */
  | { readonly kind: 'failed'; readonly message: string };
