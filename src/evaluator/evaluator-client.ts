import type { EvaluatorLink, LongRequest, Submission } from './evaluator-link.ts';
import type { ChunkReceiver, EvaluationReceiver } from './receiver-protocol.ts';

/** A request that was taken, with what its owner may say later. */
export interface OpenLongRequest {
  more(): void;
  cancel(): void;
}

/** What the gateway holds of all evaluators: those in the rotation share the work. */
export class EvaluatorClient {
  readonly #inFlightMax: number;
  #links: readonly EvaluatorLink[] = [];
  #startingLinks: readonly EvaluatorLink[] = [];
  #evaluations = 0;

  constructor(inFlightMax: number) {
    this.#inFlightMax = inFlightMax;
  }

  /** An evaluator that opens its store: while no other serves, work waits in its mailbox instead of being refused. */
  addStarting(link: EvaluatorLink): void {
    this.#startingLinks = [...this.#startingLinks, link];
  }

  /** Takes an evaluator into the rotation, once it is ready. */
  add(link: EvaluatorLink): void {
    this.remove(link);
    this.#links = [...this.#links, link];
  }

  remove(link: EvaluatorLink): void {
    this.#links = this.#links.filter((other) => other !== link);
    this.#startingLinks = this.#startingLinks.filter((other) => other !== link);
  }

  /** How many are in the rotation. */
  get serving(): number {
    return this.#links.length;
  }

  get isServing(): boolean {
    return this.#links.length > 0;
  }

  get inFlight(): number {
    return [...this.#links, ...this.#startingLinks].reduce((sum, link) => sum + link.inFlight, 0);
  }

  /** Evaluations of one flag that were ever asked for. */
  get evaluations(): number {
    return this.#evaluations;
  }

  evaluate(receiver: EvaluationReceiver, flagId: string, query: string): Submission {
    this.#evaluations += 1;
    return this.#leastBusy()?.evaluate(receiver, flagId, query) ?? 'full';
  }

  /** @returns null when the evaluators are full */
  request(receiver: ChunkReceiver, request: LongRequest): OpenLongRequest | null {
    const link = this.#leastBusy();
    const id = link?.request(receiver, request) ?? null;
    if (link === undefined || id === null) return null;
    return { more: () => link.allowMore(id), cancel: () => link.cancel(id) };
  }

  /** @returns undefined when there is none, or all together have as much in flight as they may. */
  #leastBusy(): EvaluatorLink | undefined {
    const links = this.#links.length > 0 ? this.#links : this.#startingLinks;
    const [first] = links;
    if (first === undefined) return undefined;
    let [least, inFlight] = [first, first.inFlight];
    let leastInFlight = inFlight;
    for (let index = 1; index < links.length; index += 1) {
      const link = links[index] as EvaluatorLink;
      const linkInFlight = link.inFlight;
      inFlight += linkInFlight;
      if (linkInFlight < leastInFlight) [least, leastInFlight] = [link, linkInFlight];
    }
    return inFlight < this.#inFlightMax ? least : undefined;
  }

  expire(now: number): void {
    for (const link of this.#links) link.expire(now);
    for (const link of this.#startingLinks) link.expire(now);
  }
}
