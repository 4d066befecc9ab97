import { HeldSlots } from '../../support/fair-share.ts';

/** The viewer of a page. Each session, member and organisation has a limit of open pages, so that others have room. */
export interface Viewer {
  readonly sessionSecret: string;
  readonly memberId: string;
  /** Null for a person who only owns personal projects. */
  readonly organisationId: string | null;
}

/** A worker's access to the process' list of pages. */
export interface WatchPort {
  /** @returns a slot in the list, to be given back when the page is closed; or the reason why there is none */
  join(viewer: Viewer): Promise<number | string>;
  leave(slot: number): void;
}

export const watchersMax = 200;
/** Pages in view: those in the background watch nothing. A browser has six connections to a service. */
export const watchersOfSessionMax = 4;
/** A member cannot take all slots, with any number of sessions. */
export const watchersOfMemberMax = 20;
/** An organisation that is alone gets half of all slots, so that others have some left. */
const organisationWeight = 1;

/** The pages of all workers that watch changes: their number is bounded for the process. */
export class WatchPlaces {
  readonly #viewers = new Map<number, Viewer>();
  readonly #ofSession = new HeldSlots();
  readonly #ofMember = new HeldSlots();
  readonly #ofOrganisation = new HeldSlots();
  #nextSlot = 1;

  join(viewer: Viewer): number | string {
    const refusal = this.#refusal(viewer);
    if (refusal !== null) return refusal;
    const slot = this.#nextSlot;
    this.#nextSlot += 1;
    this.#viewers.set(slot, viewer);
    for (const [slots, client] of this.#countsOf(viewer)) slots.take(client);
    return slot;
  }

  leave(slot: number): void {
    const viewer = this.#viewers.get(slot);
    if (viewer === undefined || !this.#viewers.delete(slot)) return;
    for (const [slots, client] of this.#countsOf(viewer)) slots.give(client);
  }

  #countsOf(viewer: Viewer): readonly (readonly [slots: HeldSlots, client: string])[] {
    return [
      [this.#ofSession, viewer.sessionSecret],
      [this.#ofMember, viewer.memberId],
      [this.#ofOrganisation, organisationOf(viewer)],
    ];
  }

  #refusal(viewer: Viewer): string | null {
    if (this.#viewers.size >= watchersMax) return 'Too many live pages are open in this service.';
    if (this.#ofSession.of(viewer.sessionSecret) >= watchersOfSessionMax) {
      return 'Too many pages of this browser are in view at once: close a window. Tabs in the background do not count.';
    }
    if (this.#ofMember.of(viewer.memberId) >= watchersOfMemberMax) {
      return 'You have too many live pages open: close some.';
    }
    return this.#ofOrganisation.hasShareFor(organisationOf(viewer), watchersMax, organisationWeight)
      ? null
      : 'Too many live pages are open in your organisation.';
  }
}

/** A member without an organisation counts as one. */
function organisationOf({ organisationId, memberId }: Viewer): string {
  return organisationId ?? memberId;
}
