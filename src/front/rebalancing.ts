import type { FrontServer } from '../http/front-server.ts';
import type { WorkerLink } from './worker-link.ts';

/** A replacement with fewer connections than this share of the mean takes some from the others. */
const shortShare = 0.5;
/** With this share of the mean it has enough. */
const enoughShare = 0.8;
/** After a replacement, connections are evened out for this long, in watched milliseconds. */
const evenOutMs = 10_000;

/**
 * Gives a worker that replaced another one its share of long-lived connections, such as those of a proxy. While it has
 * few, the front end hands new connections only to workers that have few, and those that have many close some of theirs
 * with the next answers: their clients reconnect.
 */
export class Rebalancing {
  readonly #server: FrontServer;
  #until = 0;
  /** Workers that get no new connections for the moment. */
  readonly #resting = new Set<WorkerLink>();

  constructor(server: FrontServer) {
    this.#server = server;
  }

  /** A replacement is ready. @param now in watched milliseconds */
  begin(now: number): void {
    this.#until = now + evenOutMs;
  }

  /** @param links workers in the rotation */
  look(links: readonly WorkerLink[], now: number): void {
    if (this.#until === 0) return;
    const counts = links.map(({ connections }) => connections);
    const mean = counts.reduce((sum, count) => sum + count, 0) / links.length;
    const fewest = Math.min(...counts);
    const isOver =
      now > this.#until || links.length < 2 || (this.#resting.size > 0 && fewest >= mean * enoughShare);
    if (isOver) this.#end(now);
    else if (this.#resting.size > 0 || (Math.max(...counts) - fewest >= 2 && fewest < mean * shortShare))
      this.#evenOut(links, mean);
  }

  #evenOut(links: readonly WorkerLink[], mean: number): void {
    for (const link of links) {
      const excess = Math.floor(link.connections - mean);
      link.shed(Math.max(0, excess));
      if (excess > 0 && !this.#resting.has(link)) this.#rest(link);
      else if (excess <= 0) this.#wake(link);
    }
  }

  #rest(link: WorkerLink): void {
    if (link.descriptor === null) return;
    this.#resting.add(link);
    this.#server.remove(link.descriptor);
  }

  #wake(link: WorkerLink): void {
    if (this.#resting.delete(link) && link.descriptor !== null) this.#server.add(link.descriptor);
  }

  #end(now: number): void {
    if (now > this.#until) this.#until = 0;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const link of [...this.#resting]) {
      link.shed(0);
      this.#wake(link);
    }
  }

  /** The worker leaves the rotation. If all others pause, they get connections again: there is no other worker. */
  takeOut(link: WorkerLink, others: readonly WorkerLink[]): void {
    const { descriptor } = link;
    link.descriptor = null;
    if (descriptor !== null && !this.#resting.delete(link)) this.#server.remove(descriptor);
    if (others.every((other) => this.#resting.has(other))) this.#wakeAll();
  }
}
