import { createHash, type Hash, hash } from 'node:crypto';
import { type OfrepFlagSet, ofrepSuccess } from '../../contracts/ofrep/ofrep-answers.ts';
import { nameJson } from '../../domain/evaluation/compiled-flag.ts';
import {
  assignOpenFeatureContext,
  type OpenFeatureContext,
} from '../../domain/evaluation/open-feature-context.ts';
import { findEnvironment, type Project, soleEnvironment } from '../../domain/project/project.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import type { ListForm } from '../evaluation/evaluate-list.ts';
import {
  type EvaluatedList,
  environmentIndex,
  type ProjectEvaluator,
} from '../evaluation/evaluate-project.ts';
import type { FlagSource } from '../evaluation/flag-source.ts';
import { eventsUrl } from './events-url.ts';
import { KeptBodies } from './kept-bodies.ts';
import type { OfrepPlace } from './ofrep-address.ts';
import { environmentNamed } from './ofrep-flag.ts';
import { accessOff, noEnvironment, noProject, type OfrepRefusal } from './ofrep-problems.ts';

/** A question about all flags of a project. */
export interface FlagsQuestion {
  readonly place: OfrepPlace;
  readonly context: OpenFeatureContext;
  /** The base URL of event streams; null: the client follows no events. */
  readonly eventsBase: string | null;
  /** Called when the project and the environment are known. */
  onPlace(project: Project, environmentNumber: number): void;
  /** @returns whether the client has the answer with this tag, so that a 304 is enough */
  isKnown(entityTag: string): boolean;
}

interface LocatedPlace {
  readonly project: Project;
  /** `soleEnvironment` in a single-environment project. */
  readonly environmentNumber: number;
}

/** The answer: its tag is known once a piece is not empty, or there are no more pieces. */
export interface TaggedList {
  readonly list: EvaluatedList;
  readonly pieces: Generator<string | Uint8Array>;
  readonly entityTag: string;
  /** The client has this answer: there are no pieces. */
  readonly isKnown: boolean;
  readonly heldBytes: number;
}

const pieceBytes = 64 * 1024;
/** Pieces that a thread keeps for the beginnings of later answers. */
const freePiecesMax = 16;
/** Reused: new memory for each answer would cause major collections all the time. */
const freePieces: Buffer<ArrayBuffer>[] = [];
const [beginning, end] = [Buffer.from('{"flags":'), Buffer.from('}')];
const nothing = new Uint8Array(0);

/** Evaluates all flags of a project for OFREP, as the Evaluation API does. */
export class OfrepFlagsEvaluator {
  readonly #source: FlagSource;
  readonly #projects: ProjectEvaluator;
  readonly #bodies = new KeptBodies();

  constructor(source: FlagSource, projects: ProjectEvaluator) {
    this.#source = source;
    this.#projects = projects;
  }

  /** @returns the environment of an address, or why nothing may be evaluated there */
  locate(place: OfrepPlace): LocatedPlace | OfrepRefusal {
    const project = this.#projectAt(place);
    if ('code' in project) return project;
    const { environment } = place;
    if (!project.isMultiEnvironment) return { project, environmentNumber: soleEnvironment };
    const found = environment === null ? undefined : findEnvironment(project, environment);
    return found === undefined
      ? noEnvironment(environment, project)
      : { project, environmentNumber: found.number };
  }

  #projectAt({ project: named }: OfrepPlace): Project | OfrepRefusal {
    this.#source.refresh();
    const project = this.#source.findProject(this.#source.publicIdOf(named))?.project;
    if (project === undefined) return noProject(named);
    return project.evaluationAccess ? project : accessOff;
  }

  /** @returns a refusal, which is not counted yet, or the answer */
  evaluate(question: FlagsQuestion): TaggedList | OfrepRefusal {
    const { place, context: given } = question;
    const project = this.#projectAt(place);
    if ('code' in project) return project;
    const context = this.#projects.takeContext();
    assignOpenFeatureContext(context, given, place.environment);
    const environment = project.isMultiEnvironment ? environmentNamed(context) : null;
    const index = environmentIndex(project, context);
    if (index === null) {
      this.#projects.keepContext(context);
      return noEnvironment(environment, project);
    }
    question.onPlace(project, project.environments[index]?.number ?? soleEnvironment);
    const evaluated = { projectId: project.id, environment };
    const isId = (text: string): boolean =>
      isIdShaped(text) && this.#source.find(text)?.cachedProject.project.id === project.id;
    const list = this.#projects.list(project, context, formOf(evaluated, this.#bodies, isId));
    const { eventsBase, isKnown } = question;
    return new TaggedAnswer(list, {
      isKnown,
      eventsUrl: eventsBase === null ? null : eventsUrl(eventsBase, evaluated),
    });
  }
}

/**
 * A flag has an item for each name to which it answers; for its id, where it does not answer to its name.
 * @param isId whether a flag of the project has the text for its id: then it is no name, as for a single flag
 */
function formOf(flagSet: OfrepFlagSet, bodies: KeptBodies, isId: (text: string) => boolean): ListForm {
  return (flag, state, reason) => {
    // Whether a name is an id depends on other flags, which change without this one.
    const mayKeep = state !== null && !flag.hasNameLikeId;
    const kept = mayKeep ? bodies.find(state, reason) : undefined;
    if (kept !== undefined) return kept;
    const name = nameJson(flag);
    const answers = flag.ownsName && !(flag.hasNameLikeId && isId(JSON.parse(name)));
    let body = ofrepSuccess(answers ? name : `"${flag.id}"`, reason, flag, flagSet);
    for (const alias of flag.aliases) {
      if (!isId(alias)) body += `,${ofrepSuccess(JSON.stringify(alias), reason, flag, flagSet)}`;
    }
    if (mayKeep) bodies.keep(state, reason, body);
    return body;
  };
}

interface TaggedAnswerOptions extends Pick<FlagsQuestion, 'isKnown'> {
  /** Null: the client follows no events. */
  readonly eventsUrl: string | null;
}

/** Keeps the whole body until its hash is known: the tag is sent before the body. */
class TaggedAnswer implements TaggedList {
  readonly list: EvaluatedList;
  readonly pieces: Generator<string | Uint8Array>;
  readonly #options: TaggedAnswerOptions;
  /** For an answer of several pieces. A single piece is hashed at once. */
  #hash: Hash | null = null;
  readonly #whole: Buffer[] = [];
  #last: Buffer<ArrayBuffer> = Buffer.alloc(0);
  #lastBytes = 0;
  #keptBytes = 0;
  entityTag = '';
  isKnown = false;

  constructor(list: EvaluatedList, options: TaggedAnswerOptions) {
    this.list = list;
    this.#options = options;
    this.pieces = this.#make();
  }

  get heldBytes(): number {
    return this.list.heldBytes() + this.#keptBytes;
  }

  *#make(): Generator<string | Uint8Array> {
    const first = freePieces.pop() ?? null;
    if (first !== null) this.#last = first;
    this.#keptBytes += this.#last.length;
    try {
      yield* this.#makePieces();
    } finally {
      // The receiver of the pieces copies each one before it takes the next.
      if (freePieces.length < freePiecesMax) freePieces.push(first ?? Buffer.allocUnsafeSlow(pieceBytes));
    }
  }

  *#makePieces(): Generator<string | Uint8Array> {
    const { eventsUrl: url, isKnown } = this.#options;
    this.#add(beginning);
    for (const piece of this.list.pieces) {
      if (piece.length > 0) this.#add(typeof piece === 'string' ? Buffer.from(piece) : piece);
      yield nothing;
    }
    if (url !== null) this.#add(Buffer.from(`,"eventStreams":${JSON.stringify([{ type: 'sse', url }])}`));
    this.#add(end);
    this.entityTag = `"${this.#digest()}"`;
    this.isKnown = isKnown(this.entityTag);
    if (this.isKnown) return;
    for (const bytes of this.#whole) {
      yield bytes;
      this.#keptBytes -= bytes.length;
    }
    yield this.#last.subarray(0, this.#lastBytes);
  }

  #add(bytes: Uint8Array): void {
    this.#hash?.update(bytes);
    for (let taken = 0; taken < bytes.length; ) {
      if (this.#lastBytes === this.#last.length) this.#begin(bytes.subarray(taken));
      const part = bytes.subarray(taken, taken + this.#last.length - this.#lastBytes);
      this.#last.set(part, this.#lastBytes);
      this.#lastBytes += part.length;
      taken += part.length;
    }
  }

  #digest(): string {
    if (this.#hash !== null) return this.#hash.digest('base64url');
    return hash('sha256', this.#last.subarray(0, this.#lastBytes), 'base64url');
  }

  /** Short answers need little memory, long ones few pieces. */
  #begin(rest: Uint8Array): void {
    if (this.#lastBytes > 0) {
      this.#whole.push(this.#last);
      this.#hash ??= createHash('sha256').update(this.#last).update(rest);
    }
    const size = Math.min(pieceBytes, Math.max(rest.length, 2 * this.#last.length));
    this.#last = Buffer.allocUnsafeSlow(size);
    this.#lastBytes = 0;
    this.#keptBytes += size;
  }
}
