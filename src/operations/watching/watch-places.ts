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
/** No member takes all places, with any number of sessions, and nor does an organisation. */
export const watchersOfMemberMax = 20;
export const watchersOfOrganisationMax = 100;

/** The pages of all workers that watch changes: their number is bounded for the process. */
export class WatchPlaces {
  readonly #viewers = new Map<number, Viewer>();
  #nextPlace = 1;

  join(viewer: Viewer): number | string {
    const refusal = this.#refusal(viewer);
    if (refusal !== null) return refusal;
    const place = this.#nextPlace;
    this.#nextPlace += 1;
    this.#viewers.set(place, viewer);
    return place;
  }

  leave(place: number): void {
    this.#viewers.delete(place);
  }

  #refusal({ sessionSecret, memberId, organisationId }: Viewer): string | null {
    if (this.#viewers.size >= watchersMax) return 'Too many live pages are open in this service.';
    const viewers = [...this.#viewers.values()];
    const isFull = (max: number, isSame: (viewer: Viewer) => boolean) => viewers.filter(isSame).length >= max;
    if (isFull(watchersOfSessionMax, (viewer) => viewer.sessionSecret === sessionSecret)) {
      return 'Too many live pages are open in this browser: close other tabs, first those of other projects.';
    }
    if (isFull(watchersOfMemberMax, (viewer) => viewer.memberId === memberId)) {
      return 'You have too many live pages open: close some.';
    }
    if (organisationId === null) return null;
    return isFull(watchersOfOrganisationMax, (viewer) => viewer.organisationId === organisationId)
      ? 'Too many live pages are open in your organisation.'
      : null;
  }
}
