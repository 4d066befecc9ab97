import { recordCodec } from './record-codec.ts';

/** Which store this is. The marker file beside the data file says the same. */
export interface StoreIdentity {
  readonly id: string;
  /** Of the layout in `keys.ts`. */
  readonly format: number;
}

/** The layout of the first stores; `migrations/` leads from it to the present one. */
export const firstFormat = 1;

/** The layout that this version reads and writes. */
export const storeFormat: number = 1;

type IdentityRow = readonly [id: string, format: number];

export const identityRecord = recordCodec<StoreIdentity, IdentityRow>({
  database: 'meta',
  version: 1,
  toRow: (it) => [it.id, it.format],
  fromRow: ([id, format]) => ({ id, format }),
});
