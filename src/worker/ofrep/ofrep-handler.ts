import type { OpenFeatureContext } from '../../domain/evaluation/open-feature-context.ts';
import type { Project } from '../../domain/project/project.ts';
import { type BodyOutcome, readBody } from '../../http/body-reader.ts';
import type { BodyRoute } from '../../http/body-route.ts';
import type { Exchange, ExchangeClass } from '../../http/exchange.ts';
import { extendHeaderBlock, type HeaderBlock } from '../../http/header-block.ts';
import type { RequestView } from '../../http/request-view.ts';
import { detachedHeaders, ofrepHeaders, ofrepPreflightHeaders } from '../../operations/answer-headers.ts';
import type { ReadQueue } from '../../operations/read-queue.ts';
import type { LongAnswers } from '../answers/long-answers.ts';
import type { EvaluationMeter } from '../evaluation/evaluation-meter.ts';
import type { ClientAddresses } from '../limits/address-finder.ts';
import { addressClient, type Pool } from '../limits/quota.ts';
import type { BrowserStreams } from './browser-streams.ts';
import type { PublicBase } from './events-url.ts';
import { knownOfrepAddress, type OfrepPlace, readOfrepAddress } from './ofrep-address.ts';
import { ofrepBodyBytesMax, readOfrepBody, shortBodyBytesMax } from './ofrep-body.ts';
import type { OfrepFlagEvaluator } from './ofrep-flag.ts';
import { type AskedFlag, OfrepFlagAnswer } from './ofrep-flag-answer.ts';
import { hasTag, type OfrepFlagsEvaluator, type TaggedList } from './ofrep-flags.ts';
import {
  bodyTooLarge,
  malformedPlace,
  noPlace,
  noSuchAddress,
  type OfrepRefusal,
  ofrepEvaluationFailed,
  ofrepOverload,
} from './ofrep-problems.ts';
import { askedKeyOf, refuseOfrep, refuseUnread } from './ofrep-refusals.ts';

export interface OfrepParts {
  readonly meter: EvaluationMeter;
  readonly deadlineMs: number;
  readonly flag: OfrepFlagEvaluator;
  readonly flags: OfrepFlagsEvaluator;
  readonly longAnswers: LongAnswers;
  readonly addresses: ClientAddresses;
  readonly bodies: Pool;
  readonly readQueue: ReadQueue;
  readonly publicBase: PublicBase;
  readonly events: BrowserStreams;
  /** Under which answers are counted: indexes into the meter's routes. */
  readonly routes: Readonly<Record<'flag' | 'flags' | 'events', number>>;
  onBodyStep(ms: number): void;
  /** Whether this node of a cluster can say what is current. A service alone always can. */
  isAttached(): boolean;
  onFault(fault: unknown, during: string): void;
}

/** A request for all flags whose head was read: what is needed of it later. */
interface AskedFlags {
  readonly exchange: Exchange;
  readonly place: OfrepPlace | null;
  readonly forwardedFor: string;
  /** The service's address for events; null: the client follows none. */
  readonly eventsBase: string | null;
  /** Tags of answers that the client has. */
  readonly knownTags: string;
  /** The configuration that an event has told the client of; empty: none. */
  readonly configTag: string;
}

const tooManyBodies = 'The service has more contexts to read than it can in time. Retry in a moment.';
const tooManyStreams = 'Too many event streams are open. Ask for the flags at intervals instead.';

/** The way in of OFREP: reads the request, evaluates as the Evaluation API does, and answers in the shape of OFREP. */
export class OfrepHandler {
  readonly #parts: OfrepParts;
  readonly #flagAnswer: OfrepFlagAnswer;

  constructor(parts: OfrepParts) {
    this.#parts = parts;
    this.#flagAnswer = new OfrepFlagAnswer(parts);
  }

  /** Evaluates one flag, or all: `POST …/ofrep/v1/evaluate/flags[/{key}]`. */
  evaluate(exchange: Exchange, view: RequestView): void {
    const address = readOfrepAddress(view.path(), view.header('x-api-key'));
    if (address === null || address.target.kind === 'events') {
      this.answerNothing(exchange);
      return;
    }
    const { place, target } = address;
    const forwardedFor = view.headerValues('x-forwarded-for').join(',');
    exchange.route = this.#parts.routes[target.kind];
    if (place === 'malformed') this.#refuse(exchange, askedKeyOf(view), malformedPlace);
    else if (target.kind === 'flag')
      this.#evaluateFlag(exchange, view, { place, key: target.key, forwardedFor });
    else this.#evaluateFlags(exchange, view, place, forwardedFor);
  }

  /** The way of most requests for one flag. @param pattern of the path, where the exchange is that of the other routes */
  bodyRoute(pattern: string, exchange: ExchangeClass): BodyRoute<AskedFlag> {
    const { bodies, addresses, deadlineMs: intervalMs, routes } = this.#parts;
    return {
      ...{ pattern, exchange, intervalMs, countedAs: routes.flag, bytesMax: shortBodyBytesMax },
      budgetFor: (address, { forwardedFor }) =>
        bodies.quotaOf(addressClient(addresses.find(address, forwardedFor).address.limitKey)),
      handle: (opened, view) => this.evaluate(opened, view),
      ask: (path, { apiKey, forwardedFor }) => {
        const address = knownOfrepAddress(path, apiKey);
        if (address?.target.kind !== 'flag' || address.place === 'malformed') return null;
        return { place: address.place, key: address.target.key, forwardedFor };
      },
      answer: (asked, body) => this.#flagAnswer.answer(asked, body),
      refuse: (opened, { key }, why) => refuseUnread(opened, key, why),
      fail: (asked, fault) => this.#flagAnswer.fail(asked, fault),
    };
  }

  /** Opens a stream of events: `GET …/ofrep/v1/events`. */
  follow(exchange: Exchange, view: RequestView): void {
    const address = readOfrepAddress(view.path(), view.header('x-api-key'));
    if (address?.target.kind !== 'events') {
      refuseOfrep(exchange, null, noSuchAddress);
      return;
    }
    exchange.route = this.#parts.routes.events;
    const { place } = address;
    const found =
      place === null ? noPlace : place === 'malformed' ? malformedPlace : this.#parts.flags.locate(place);
    if ('code' in found) {
      refuseOfrep(exchange, null, found);
      return;
    }
    const isOpen = this.#parts.events.open({
      exchange,
      ...found,
      lastEventId: view.header('last-event-id'),
      limitKey: this.#addressOf(exchange, { forwardedFor: view.headerValues('x-forwarded-for').join(',') }),
    });
    if (!isOpen) refuseOfrep(exchange, null, ofrepOverload(tooManyStreams));
  }

  preflight(exchange: Exchange): void {
    exchange.answer(204, ofrepPreflightHeaders, '');
  }

  /** For a method or path that OFREP does not have. */
  answerNothing(exchange: Exchange): void {
    refuseOfrep(exchange, null, noSuchAddress);
  }

  #evaluateFlag(exchange: Exchange, view: RequestView, asked: AskedFlag): void {
    this.#readBody(exchange, view, asked.key, (body) => {
      const ready = this.#tryFlag(asked, () => this.#flagAnswer.answer(asked, body));
      exchange.answer(ready.status, ready.headers, ready.body);
    });
  }

  #tryFlag(asked: AskedFlag, evaluate: () => OfrepFlagAnswer): OfrepFlagAnswer {
    try {
      return evaluate();
    } catch (fault) {
      return this.#flagAnswer.fail(asked, fault);
    }
  }

  #addressOf(exchange: Exchange, { forwardedFor }: Pick<AskedFlag, 'forwardedFor'>): string {
    return this.#parts.addresses.find(exchange.remoteAddress(), forwardedFor).address.limitKey;
  }

  #evaluateFlags(
    exchange: Exchange,
    view: RequestView,
    place: OfrepPlace | null,
    forwardedFor: string,
  ): void {
    const asked: AskedFlags = {
      exchange,
      place,
      forwardedFor,
      eventsBase: view.header('origin') === '' ? null : this.#parts.publicBase.of(exchange, view),
      knownTags: view.headerValues('if-none-match').join(','),
      configTag: new URLSearchParams(view.query()).get('flagConfigEtag') ?? '',
    };
    this.#readBody(exchange, view, null, (body) => {
      const read = readOfrepBody(body);
      if ('code' in read) this.#refuse(exchange, null, read);
      else if (place === null) this.#refuse(exchange, null, noPlace);
      else this.#answerFlags(asked, place, read.context);
    });
  }

  /** @param use called with a body that came whole, valid during the call only */
  #readBody(
    exchange: Exchange,
    view: RequestView,
    key: string | null,
    use: (body: Uint8Array) => void,
  ): void {
    const declared = view.header('content-length');
    const { limitKey } = this.#parts.addresses.findOf(exchange, view).address;
    const limits = {
      bytesMax: ofrepBodyBytesMax,
      budget: this.#parts.bodies.quotaOf(addressClient(limitKey)),
      intervalMs: this.#parts.deadlineMs,
      onStep: (ms: number) => this.#parts.onBodyStep(ms),
    };
    readBody(exchange, declared === '' ? null : Number(declared), limits, (outcome) => {
      if (outcome.kind === 'too-large') this.#refuse(exchange, key, bodyTooLarge);
      else if (outcome.kind !== 'complete') refuseUnread(exchange, key, outcome.kind);
      else void this.#use(exchange, key, outcome, use);
    });
  }

  /** A long body may have to wait for other reads. */
  async #use(
    exchange: Exchange,
    key: string | null,
    { bytes, release }: Extract<BodyOutcome, { readonly kind: 'complete' }>,
    use: (body: Uint8Array) => void,
  ): Promise<void> {
    try {
      if (bytes.length <= shortBodyBytesMax) use(bytes);
      else {
        const isInTime = await this.#parts.readQueue.run(() => {
          if (!exchange.isOver) use(bytes);
        });
        if (isInTime === false) refuseOfrep(exchange, key, ofrepOverload(tooManyBodies));
      }
    } catch (fault) {
      this.#fail(exchange, fault);
    } finally {
      release();
    }
  }

  #answerFlags(asked: AskedFlags, place: OfrepPlace, context: OpenFeatureContext): void {
    const isAttached = this.#parts.isAttached();
    const { exchange, eventsBase, knownTags, configTag } = asked;
    // A client that was told of another configuration than the present one gets an answer in any case.
    let isOther = false;
    const onPlace = (project: Project, environmentNumber: number): void => {
      isOther = configTag !== '' && configTag !== this.#parts.events.tagOf(project, environmentNumber);
    };
    const isKnown = (tag: string): boolean => !isOther && hasTag(knownTags, tag);
    try {
      const answer = this.#parts.flags.evaluate({ place, context, eventsBase, onPlace, isKnown });
      if ('code' in answer) this.#refuse(exchange, null, answer, isAttached);
      else this.#send(asked, answer, isAttached);
    } catch (fault) {
      this.#fail(exchange, fault);
    }
  }

  #send(asked: AskedFlags, answer: TaggedList, isAttached: boolean): void {
    const { exchange } = asked;
    const headers = (): HeaderBlock => {
      const block = extendHeaderBlock(ofrepHeaders, 'ETag', answer.entityTag);
      return isAttached ? block : detachedHeaders(block);
    };
    this.#parts.longAnswers.send({
      exchange,
      status: 200,
      pieces: answer.pieces,
      heldBytes: () => answer.heldBytes,
      release: answer.list.release,
      isPinned: false,
      client: () => addressClient(this.#addressOf(exchange, asked)),
      headers,
      answerWhole: (bytes) => {
        if (answer.isKnown) exchange.answer(304, headers(), '');
        else exchange.answer(200, headers(), bytes);
      },
      refuse: (details) => refuseOfrep(exchange, null, ofrepOverload(details)),
      fail: (fault) => this.#fail(exchange, fault),
      onOver: () => undefined,
    });
  }

  #refuse(exchange: Exchange, key: string | null, refusal: OfrepRefusal, isAttached = true): void {
    this.#parts.meter.countRefusal(key === null ? 'project' : 'flag', refusal.counted);
    refuseOfrep(exchange, key, refusal, isAttached);
  }

  /** When the answer has begun, there is nobody to be told. */
  #fail(exchange: Exchange, fault: unknown): void {
    this.#parts.onFault(fault, 'ofrep-flags');
    this.#refuse(exchange, null, ofrepEvaluationFailed);
  }
}
