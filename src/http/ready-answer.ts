import type { HeaderBlock } from './header-block.ts';

/** An answer that is ready to be written: one object for all answers of a route. */
export interface ReadyAnswer {
  readonly status: number;
  readonly headers: HeaderBlock;
  readonly body: Uint8Array | string;
  /** The length of the body in UTF-8. */
  readonly bodyBytes: number;
}
