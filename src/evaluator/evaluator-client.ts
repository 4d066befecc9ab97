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

  constructor(inFlightMax: number) {
    this.#inFlightMax = inFlightMax;
  }

  /** Takes an evaluator into the rotation, once it is ready. */
  add(link: EvaluatorLink): void {
    this.#links = [...this.#links, link];
  }

  remove(link: EvaluatorLink): void {
    this.#links = this.#links.filter((other) => other !== link);
  }

  get isServing(): boolean {
    return this.#links.length > 0;
  }

  get inFlight(): number {
    return this.#links.reduce((sum, link) => sum + link.inFlight, 0);
  }

  evaluate(receiver: EvaluationReceiver, flagId: string, query: string): Submission {
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
    const [first] = this.#links;
    if (first === undefined) return undefined;
    let [least, inFlight] = [first, first.inFlight];
    let leastInFlight = inFlight;
    for (let index = 1; index < this.#links.length; index += 1) {
      const link = this.#links[index] as EvaluatorLink;
      const linkInFlight = link.inFlight;
      inFlight += linkInFlight;
      if (linkInFlight < leastInFlight) [least, leastInFlight] = [link, linkInFlight];
    }
    return inFlight < this.#inFlightMax ? least : undefined;
  }

  expire(now: number): void {
    for (const link of this.#links) link.expire(now);
  }
}
