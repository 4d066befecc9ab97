import { HeldPlaces } from '../../support/fair-share.ts';

/** The viewer of a page. Open pages are bounded for each session, member and organisation, so that others find room. */
export interface Viewer {
  readonly sessionSecret: string;
  readonly memberId: string;
  /** Null for a person who only owns personal projects. */
  readonly organisationId: string | null;
}

/** The way of a worker to the process' list of pages. */
export interface WatchPort {
  /** @returns a place in the list, to be given back when the page is closed; or a text that says why there is none */
  join(viewer: Viewer): Promise<number | string>;
  leave(place: number): void;
}

export const watchersMax = 200;
/** A browser has six connections to a service, and its pages need the others. */
export const watchersOfSessionMax = 4;
/** No member takes all places, with any number of sessions. */
export const watchersOfMemberMax = 20;
/** Times the free places: half of all for an organisation that is alone, and something is left for the next one. */
const organisationWeight = 1;

/** The pages of all workers that watch changes: their number is bounded for the process. */
export class WatchPlaces {
  readonly #viewers = new Map<number, Viewer>();
  readonly #ofSession = new HeldPlaces();
  readonly #ofMember = new HeldPlaces();
  readonly #ofOrganisation = new HeldPlaces();
  #nextPlace = 1;

  join(viewer: Viewer): number | string {
    const refusal = this.#refusal(viewer);
    if (refusal !== null) return refusal;
    const place = this.#nextPlace;
    this.#nextPlace += 1;
    this.#viewers.set(place, viewer);
    for (const [places, holder] of this.#placesOf(viewer)) places.take(holder);
    return place;
  }

  leave(place: number): void {
    const viewer = this.#viewers.get(place);
    if (viewer === undefined || !this.#viewers.delete(place)) return;
    for (const [places, holder] of this.#placesOf(viewer)) places.give(holder);
  }

  #placesOf(viewer: Viewer): readonly (readonly [places: HeldPlaces, holder: string])[] {
    return [
      [this.#ofSession, viewer.sessionSecret],
      [this.#ofMember, viewer.memberId],
      [this.#ofOrganisation, organisationOf(viewer)],
    ];
  }

  #refusal(viewer: Viewer): string | null {
    if (this.#viewers.size >= watchersMax) return 'Too many live pages are open in this service.';
    if (this.#ofSession.of(viewer.sessionSecret) >= watchersOfSessionMax) {
      return 'Too many live pages are open in this browser: close other tabs, first those of other projects.';
    }
    if (this.#ofMember.of(viewer.memberId) >= watchersOfMemberMax) {
      return 'You have too many live pages open: close some.';
    }
    return this.#ofOrganisation.hasShareFor(organisationOf(viewer), watchersMax, organisationWeight)
      ? null
      : 'Too many live pages are open in your organisation.';
  }
}

/** A person without one is alone. */
function organisationOf({ organisationId, memberId }: Viewer): string {
  return organisationId ?? memberId;
}
