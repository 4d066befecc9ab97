import type { OpenFeatureContext } from '../../domain/evaluation/open-feature-context.ts';
import { hasTag } from '../../domain/management/entity-tag.ts';
import type { Project } from '../../domain/project/project.ts';
import {
  type BodyBudget,
  type BodyLimits,
  type BodyReceiver,
  readBody,
  type Stalls,
  type UnreadBody,
} from '../../http/body-reader.ts';
import type { Exchange } from '../../http/exchange.ts';
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
import { knownOfrepAddress, type OfrepPlace } from './ofrep-address.ts';
import { ofrepBodyBytesMax, readOfrepBody, shortBodyBytesMax } from './ofrep-body.ts';
import type { OfrepFlagEvaluator } from './ofrep-flag.ts';
import type { OfrepFlagsEvaluator, TaggedList } from './ofrep-flags.ts';
import {
  malformedPlace,
  noPlace,
  noSuchAddress,
  type OfrepRefusal,
  ofrepEvaluationFailed,
  ofrepOverload,
} from './ofrep-problems.ts';
import { askedKeyOf, refuseOfrep, unreadRefusal } from './ofrep-refusals.ts';

export interface OfrepParts {
  readonly meter: EvaluationMeter;
  readonly stalls: Stalls;
  readonly flag: OfrepFlagEvaluator;
  readonly flags: OfrepFlagsEvaluator;
  readonly longAnswers: LongAnswers;
  readonly addresses: ClientAddresses;
  readonly bodies: Pool;
  readonly readQueue: ReadQueue;
  readonly publicBase: PublicBase;
  readonly events: BrowserStreams;
  /** Indexes into the meter's routes, under which answers are counted. */
  readonly routes: Readonly<Record<'flag' | 'flags' | 'events', number>>;
  onBodyStep(ms: number): void;
  /** Whether this node of a cluster can say what is current. A service alone always can. */
  isAttached(): boolean;
  onFault(fault: unknown, during: string): void;
}

/** The fields of a request for all flags. */
interface AskedList {
  /** The base URL of event streams; null: the client follows no events. */
  readonly eventsBase: string | null;
  /** Entity tags of answers that the client has. */
  readonly knownTags: string;
  /** Tag of the configuration that an event announced to the client; empty: none. */
  readonly configTag: string;
}

const tooManyBodies = 'The service is too busy to read this context in time. Retry in a moment.';
const tooManyStreams = 'Too many event streams are open. Ask for the flags at intervals instead.';

/** Serves OFREP: reads the request, evaluates as the Evaluation API does, and answers in OFREP's format. */
export class OfrepHandler {
  readonly #parts: OfrepParts;
  readonly #bodyLimits: BodyLimits;

  constructor(parts: OfrepParts) {
    this.#parts = parts;
    this.#bodyLimits = {
      bytesMax: ofrepBodyBytesMax,
      viewBytesMax: shortBodyBytesMax,
      stalls: parts.stalls,
      onStep: (ms) => parts.onBodyStep(ms),
    };
  }

  /** Evaluates one flag, or all: `POST …/ofrep/v1/evaluate/flags[/{key}]`. */
  evaluate(exchange: Exchange, view: RequestView): void {
    const address = knownOfrepAddress(view.path(), view.header('x-api-key'));
    if (address === null || address.target.kind === 'events') {
      this.answerNothing(exchange);
      return;
    }
    const { place, target } = address;
    exchange.route = this.#parts.routes[target.kind];
    if (place === 'malformed') {
      this.#refuse(exchange, askedKeyOf(view), malformedPlace);
      return;
    }
    const isFlag = target.kind === 'flag';
    const key = isFlag ? target.key : null;
    const forwardedFor = view.joinedHeader('x-forwarded-for') ?? '';
    const list = isFlag ? null : this.#listOf(exchange, view);
    const asked = new Asked(this, exchange, place, key, forwardedFor, list);
    readBody(exchange, view.declaredBytes, this.#bodyLimits, asked);
  }

  /** Opens a stream of events: `GET …/ofrep/v1/events`. */
  follow(exchange: Exchange, view: RequestView): void {
    const address = knownOfrepAddress(view.path(), view.header('x-api-key'));
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
      limitKey: this.#addressOf(exchange, view.joinedHeader('x-forwarded-for') ?? ''),
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

  #listOf(exchange: Exchange, view: RequestView): AskedList {
    return {
      eventsBase: view.header('origin') === '' ? null : this.#parts.publicBase.of(exchange, view),
      knownTags: view.headerValues('if-none-match').join(','),
      configTag: new URLSearchParams(view.query()).get('flagConfigEtag') ?? '',
    };
  }

  /** A body that comes with its head is answered in the same call. A long one may have to wait for other reads. */
  receive(asked: Asked, body: Uint8Array, release: () => void): void {
    if (body.length > shortBodyBytesMax) {
      void this.#receiveLong(asked, body, release);
      return;
    }
    try {
      this.#answer(asked, body);
    } catch (fault) {
      this.#fail(asked.exchange, fault);
    }
    release();
  }

  async #receiveLong(asked: Asked, body: Uint8Array, release: () => void): Promise<void> {
    const { exchange, key } = asked;
    try {
      const isInTime = await this.#parts.readQueue.run(() => {
        if (!exchange.isOver) this.#answer(asked, body);
      });
      if (isInTime === false) this.#refuse(exchange, key, ofrepOverload(tooManyBodies));
    } catch (fault) {
      this.#fail(exchange, fault);
    } finally {
      release();
    }
  }

  refuseBody({ exchange, key }: Asked, why: UnreadBody): void {
    this.#refuse(exchange, key, unreadRefusal(why));
  }

  /** The memory for a body that does not come with its head. */
  budgetOf({ exchange, forwardedFor }: Asked): BodyBudget {
    return this.#parts.bodies.quotaOf(addressClient(this.#addressOf(exchange, forwardedFor)));
  }

  /** @param body valid during the call only */
  #answer(asked: Asked, body: Uint8Array): void {
    const { exchange, place, key, list } = asked;
    // Checked before the state is read: a lease that is valid afterwards does not prove that the state was current.
    const isAttached = this.#parts.isAttached();
    if (key !== null) {
      const answer = this.#evaluateFlag(place, key, body);
      if (typeof answer !== 'string') this.#refuse(exchange, key, answer, isAttached);
      else exchange.answer(200, isAttached ? ofrepHeaders : detachedHeaders(ofrepHeaders), answer);
      return;
    }
    const read = readOfrepBody(body);
    if ('code' in read) this.#refuse(exchange, null, read);
    else if (place === null || list === null) this.#refuse(exchange, null, noPlace);
    else this.#answerFlags(asked, place, list, read.context, isAttached);
  }

  /** @returns the body of the answer, or a refusal */
  #evaluateFlag(place: OfrepPlace | null, key: string, body: Uint8Array): string | OfrepRefusal {
    const { flag, onFault } = this.#parts;
    try {
      const plain = flag.evaluatePlain(place, key, body);
      if (plain !== undefined) return plain;
      const read = readOfrepBody(body);
      return 'code' in read ? read : flag.evaluate({ place, key, context: read.context });
    } catch (fault) {
      onFault(fault, 'ofrep-flag');
      return ofrepEvaluationFailed;
    }
  }

  #addressOf(exchange: Exchange, forwardedFor: string): string {
    return this.#parts.addresses.find(exchange.remoteAddress(), forwardedFor).address.limitKey;
  }

  #answerFlags(
    asked: Asked,
    place: OfrepPlace,
    { eventsBase, knownTags, configTag }: AskedList,
    context: OpenFeatureContext,
    isAttached: boolean,
  ): void {
    const { exchange } = asked;
    // If an event announced a configuration other than the present one, the client gets the flags, never a 304.
    let isOther = false;
    const onPlace = (project: Project, environmentNumber: number): void => {
      isOther = configTag !== '' && configTag !== this.#parts.events.tagOf(project, environmentNumber);
    };
    const isKnown = (tag: string): boolean => !isOther && hasTag(knownTags, tag);
    const answer = this.#parts.flags.evaluate({ place, context, eventsBase, onPlace, isKnown });
    if ('code' in answer) this.#refuse(exchange, null, answer, isAttached);
    else this.#send(asked, answer, isAttached);
  }

  #send(asked: Asked, answer: TaggedList, isAttached: boolean): void {
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
      client: () => addressClient(this.#addressOf(exchange, asked.forwardedFor)),
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
    if (refusal.isOverload !== true) {
      this.#parts.meter.countRefusal(key === null ? 'project' : 'flag', refusal.counted);
    }
    refuseOfrep(exchange, key, refusal, isAttached);
  }

  /** Has no effect on an answer that has begun. */
  #fail(exchange: Exchange, fault: unknown): void {
    this.#parts.onFault(fault, 'ofrep-flags');
    this.#refuse(exchange, null, ofrepEvaluationFailed);
  }
}

/** A request whose head was read, while its body arrives. It is one object, because most requests are of this kind. */
class Asked implements BodyReceiver {
  readonly #handler: OfrepHandler;
  readonly exchange: Exchange;
  readonly place: OfrepPlace | null;
  /** The flag's key; null: all flags. */
  readonly key: string | null;
  /** The values of `X-Forwarded-For`, joined by commas. */
  readonly forwardedFor: string;
  /** Null for one flag. */
  readonly list: AskedList | null;

  constructor(
    handler: OfrepHandler,
    exchange: Exchange,
    place: OfrepPlace | null,
    key: string | null,
    forwardedFor: string,
    list: AskedList | null,
  ) {
    this.#handler = handler;
    this.exchange = exchange;
    this.place = place;
    this.key = key;
    this.forwardedFor = forwardedFor;
    this.list = list;
  }

  budget(): BodyBudget {
    return this.#handler.budgetOf(this);
  }

  receive(bytes: Uint8Array, release: () => void): void {
    this.#handler.receive(this, bytes, release);
  }

  refuse(why: UnreadBody): void {
    this.#handler.refuseBody(this, why);
  }
}
