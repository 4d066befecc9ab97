import { ofrepFailure } from '../../contracts/ofrep/ofrep-answers.ts';
import type { OpenFeatureContext } from '../../domain/evaluation/open-feature-context.ts';
import type { Project } from '../../domain/project/project.ts';
import { type BodyBudget, type BodyOutcome, readBody } from '../../http/body-reader.ts';
import type { Exchange } from '../../http/exchange.ts';
import { extendHeaderBlock, type HeaderBlock } from '../../http/header-block.ts';
import type { RequestView } from '../../http/request-view.ts';
import {
  detachedHeaders,
  ofrepHeaders,
  ofrepLimitedHeaders,
  ofrepPreflightHeaders,
  ofrepRetryHeaders,
} from '../../operations/answer-headers.ts';
import { type AwaitFlagParts, waitForFlag } from '../answers/evaluation-wait.ts';
import type { LongAnswers } from '../answers/long-answers.ts';
import type { ClientAddresses } from '../limits/address-finder.ts';
import { tooManyEvaluations } from '../limits/evaluation-limit.ts';
import type { EventStreams } from './event-streams.ts';
import type { EventsUrl } from './events-url.ts';
import { type OfrepAddress, type OfrepPlace, readOfrepAddress } from './ofrep-address.ts';
import { ofrepBodyBytesMax, readOfrepBody } from './ofrep-body.ts';
import type { FlagQuestion, OfrepFlagEvaluator } from './ofrep-flag.ts';
import type { OfrepFlagsEvaluator, TaggedList } from './ofrep-flags.ts';
import {
  bodyTooLarge,
  noPlace,
  noSuchAddress,
  type OfrepRefusal,
  ofrepEvaluationFailed,
  ofrepOverload,
  unreadBody,
} from './ofrep-problems.ts';

export interface OfrepGateParts extends Pick<AwaitFlagParts, 'source' | 'meter' | 'waiting' | 'deadlineMs'> {
  readonly flag: OfrepFlagEvaluator;
  readonly flags: OfrepFlagsEvaluator;
  readonly longAnswers: LongAnswers;
  readonly addresses: ClientAddresses;
  readonly bodyBudget: BodyBudget;
  readonly eventsUrl: EventsUrl;
  readonly events: EventStreams;
  /** Under which answers are counted: indexes into the meter's routes. */
  readonly routes: Readonly<Record<'flag' | 'flags' | 'events', number>>;
  onBodyStep(ms: number): void;
  /** Whether this node of a cluster can say what is current. A service alone always can. */
  isAttached(): boolean;
  onFault(fault: unknown, during: string): void;
}

/** A request whose head was read: what is needed of it later. */
interface Asked {
  readonly exchange: Exchange;
  readonly address: OfrepAddress;
  /** Of the flag that is asked for; null for all flags. */
  readonly key: string | null;
  /** What limits count the request by. While the request is open. */
  addressOf(): string;
  /** Null: the client follows no events. */
  readonly eventsUrl: string | null;
  /** Tags of answers that the client has. */
  readonly knownTags: string;
  /** The configuration that an event has told the client of; empty: none. */
  readonly configTag: string;
}

const tooManyStreams = 'Too many event streams are open. Ask for the flags at intervals instead.';
const overBudget = 'The memory for request bodies is used up. Retry in a moment.';
const stalled = 'The body stopped arriving. Send it whole, and faster.';
const scattered =
  'The body comes in too many chunks for its length. Send larger chunks, or a Content-Length.';

/** The way in of OFREP: reads the request, evaluates as the Evaluation API does, and answers in the shape of OFREP. */
export class OfrepGate {
  readonly #parts: OfrepGateParts;

  constructor(parts: OfrepGateParts) {
    this.#parts = parts;
  }

  /** Evaluates one flag, or all: `POST …/ofrep/v1/evaluate/flags[/{key}]`. */
  evaluate(exchange: Exchange, view: RequestView): void {
    const address = readOfrepAddress(view.path(), () => view.header('x-api-key'));
    if (address === null || address.target.kind === 'events') {
      refuseOfrep(exchange, null, noSuchAddress);
      return;
    }
    const { kind } = address.target;
    const key = kind === 'flag' ? address.target.key : null;
    exchange.route = this.#parts.routes[kind];
    const asked: Asked = { exchange, address, key, ...this.#headOf(exchange, view, address) };
    const declared = view.header('content-length');
    const limits = {
      bytesMax: ofrepBodyBytesMax,
      budget: this.#parts.bodyBudget,
      intervalMs: this.#parts.deadlineMs,
      onStep: (ms: number) => this.#parts.onBodyStep(ms),
    };
    readBody(exchange, declared === '' ? null : Number(declared), limits, (outcome) =>
      this.#take(asked, outcome),
    );
  }

  /** Opens a stream of events: `GET …/ofrep/v1/events`. */
  follow(exchange: Exchange, view: RequestView): void {
    const address = readOfrepAddress(view.path(), () => view.header('x-api-key'));
    if (address?.target.kind !== 'events') {
      refuseOfrep(exchange, null, noSuchAddress);
      return;
    }
    exchange.route = this.#parts.routes.events;
    const found = address.place === null ? noPlace : this.#parts.flags.locate(address.place);
    if ('code' in found) {
      refuseOfrep(exchange, null, found);
      return;
    }
    const isOpen = this.#parts.events.open({ exchange, ...found, lastEventId: view.header('last-event-id') });
    if (!isOpen) refuseOfrep(exchange, null, ofrepOverload(tooManyStreams));
  }

  preflight(exchange: Exchange): void {
    exchange.answer(204, ofrepPreflightHeaders, '');
  }

  /** For a method or path that OFREP does not have. */
  answerNothing(exchange: Exchange): void {
    refuseOfrep(exchange, null, noSuchAddress);
  }

  #headOf(exchange: Exchange, view: RequestView, { place, target }: OfrepAddress) {
    const forwardedFor = view.headerValues('x-forwarded-for').join(',');
    const addressOf = (): string =>
      this.#parts.addresses.find(exchange.remoteAddress(), forwardedFor).address.limitKey;
    if (target.kind === 'flag' || place === null)
      return { addressOf, eventsUrl: null, knownTags: '', configTag: '' };
    const hasOrigin = view.header('origin') !== '';
    return {
      addressOf,
      eventsUrl: hasOrigin ? this.#parts.eventsUrl.of(exchange, view, place) : null,
      knownTags: view.headerValues('if-none-match').join(','),
      configTag: new URLSearchParams(view.query()).get('flagConfigEtag') ?? '',
    };
  }

  #take(asked: Asked, outcome: BodyOutcome): void {
    const { exchange, key } = asked;
    if (outcome.kind === 'complete') {
      const read = this.#read(outcome);
      if ('code' in read) this.#refuse(asked, read);
      else this.#answer(asked, read.context);
    } else if (outcome.kind === 'too-large') this.#refuse(asked, bodyTooLarge);
    else if (outcome.kind === 'over-budget') refuseOfrep(exchange, key, ofrepOverload(overBudget));
    else {
      const problem = unreadBody(outcome.kind === 'stalled' ? stalled : scattered);
      exchange.answerAndClose(problem.status, ofrepHeaders, ofrepFailure(key, problem));
    }
  }

  #read({ bytes, release }: Extract<BodyOutcome, { kind: 'complete' }>) {
    try {
      return readOfrepBody(bytes);
    } finally {
      release();
    }
  }

  #answer(asked: Asked, context: OpenFeatureContext): void {
    const { place } = asked.address;
    if (asked.key !== null) this.#answerFlag(asked, { place, key: asked.key, context });
    else if (place === null) this.#refuse(asked, noPlace);
    else this.#answerFlags(asked, place, context);
  }

  #answerFlag(asked: Asked, question: FlagQuestion): void {
    if (this.#tryFlag(asked, question)) return;
    waitForFlag(asked.exchange, this.#parts, {
      asker: asked.addressOf(),
      retry: () => this.#tryFlag(asked, question),
      refuse: (details) => refuseOfrep(asked.exchange, asked.key, ofrepOverload(details)),
    });
  }

  /** @returns false: the flag has to be loaded first */
  #tryFlag(asked: Asked, question: FlagQuestion): boolean {
    // Looked at before the state is read: a lease that is valid afterwards says nothing of it.
    const isAttached = this.#parts.isAttached();
    try {
      const answer = this.#parts.flag.evaluate(question);
      if (answer === null) return false;
      if (typeof answer === 'string') {
        asked.exchange.answer(200, isAttached ? ofrepHeaders : detachedHeaders(ofrepHeaders), answer);
      } else this.#refuse(asked, answer, isAttached);
    } catch (fault) {
      this.#fail(asked, fault);
    }
    return true;
  }

  #answerFlags(asked: Asked, place: OfrepPlace, context: OpenFeatureContext): void {
    const isAttached = this.#parts.isAttached();
    const { addressOf, eventsUrl, knownTags, configTag } = asked;
    // A client that was told of another configuration than the present one gets an answer in any case.
    let isOther = false;
    const onPlace = (project: Project, environmentNumber: number): void => {
      isOther = configTag !== '' && configTag !== this.#parts.events.tagOf(project, environmentNumber);
    };
    const isKnown = (tag: string): boolean => !isOther && hasTag(knownTags, tag);
    try {
      const answer = this.#parts.flags.evaluate({ place, context, eventsUrl, onPlace, isKnown, addressOf });
      if ('code' in answer) this.#refuse(asked, answer, isAttached);
      else this.#send(asked, answer, isAttached);
    } catch (fault) {
      this.#fail(asked, fault);
    }
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
      get heldBytes() {
        return answer.heldBytes;
      },
      release: answer.list.release,
      isPinned: false,
      holder: answer.list.holder,
      headers,
      answerWhole: (bytes) => {
        if (answer.isKnown) exchange.answer(304, headers(), '');
        else exchange.answer(200, headers(), bytes);
      },
      refuse: (details) => refuseOfrep(exchange, null, ofrepOverload(details)),
      fail: (fault) => this.#fail(asked, fault),
      onOver: () => undefined,
    });
  }

  #refuse({ exchange, key }: Asked, refusal: OfrepRefusal, isAttached = true): void {
    this.#parts.meter.countRefusal(key === null ? 'project' : 'flag', refusal.counted);
    refuseOfrep(exchange, key, refusal, isAttached);
  }

  /** When the answer has begun, there is nobody to be told. */
  #fail(asked: Asked, fault: unknown): void {
    this.#parts.onFault(fault, 'ofrep');
    this.#refuse(asked, ofrepEvaluationFailed);
  }
}

/** Answers a request above the limit of evaluations. */
export function limitedOfrep(exchange: Exchange, view: RequestView, retryAfterSeconds: number): void {
  const problem = { status: 429, code: 'GENERAL', details: tooManyEvaluations } as const;
  exchange.answer(429, ofrepLimitedHeaders(retryAfterSeconds), ofrepFailure(keyOf(view), problem));
}

/** Refuses a request whose end is not certain, and closes its connection. */
export function refuseAmbiguousOfrep(exchange: Exchange, view: RequestView, fault: string): void {
  const problem = { status: 400, code: 'GENERAL', details: fault } as const;
  exchange.answerAndClose(400, ofrepHeaders, ofrepFailure(keyOf(view), problem));
}

/** @returns the key of the flag that is asked for; null for all flags, or nothing that OFREP has */
function keyOf(view: RequestView): string | null {
  const target = readOfrepAddress(view.path(), () => '')?.target;
  return target?.kind === 'flag' ? target.key : null;
}

/** Answers with a failure in the shape of OFREP. @param key of the flag that was asked for; null for all flags */
function refuseOfrep(exchange: Exchange, key: string | null, refusal: OfrepRefusal, isAttached = true): void {
  const headers = refusal.isOverload === true ? ofrepRetryHeaders : ofrepHeaders;
  exchange.answer(
    refusal.status,
    isAttached ? headers : detachedHeaders(headers),
    ofrepFailure(key, refusal),
  );
}

/** @param tags the value of If-None-Match */
function hasTag(tags: string, entityTag: string): boolean {
  return tags.split(',').some((each) => {
    const tag = each.trim();
    return tag === '*' || tag === entityTag || tag === `W/${entityTag}`;
  });
}
