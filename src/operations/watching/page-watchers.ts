import type { WatchedChanges } from '../../domain/audit/watched-changes.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { TextPieces } from '../../support/text-pieces.ts';
import type { ApiCall } from '../call.ts';
import type { Viewer } from './watch-places.ts';

/** A page that is about to watch. */
export interface OpenedPage {
  /** Its answer has begun. */
  readonly exchange: Exchange;
  /** Repeated after changes: the stream ends when the person may not see the project any more. */
  readonly call: ApiCall;
  /** The first changes, which the page is sent at once. */
  readonly first: WatchedChanges;
  /** Its slot among the pages of the process. */
  readonly slot: number;
}

/** The pages of one worker that watch changes. */
export interface PageWatchers {
  /** @returns the page's slot among those of the process; or the reason why it gets none */
  join(viewer: Viewer): Promise<number | string>;
  leave(slot: number): void;
  /** @returns why no page may begin to watch now; null: it may */
  whyNot(): string | null;
  /** The page's slot is given back when its stream is over. */
  open(page: OpenedPage): void;
}

/** The answer of `look-at-project` and `look-at-organisation`. @returns the part that pages are sent */
export function readChanges(body: string | TextPieces): WatchedChanges {
  if (typeof body !== 'string') throw new Error('the changes for a page come in pieces');
  const { organisationId: _, ...changes } = JSON.parse(body) as WatchedChanges & {
    readonly organisationId: string | null;
  };
  return changes;
}
