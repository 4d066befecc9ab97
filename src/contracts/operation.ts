import type { TSchema } from 'typebox';
import type { ProblemCode } from '../domain/problem.ts';

export interface OperationParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly example: unknown;
  /** Absent for a single string. */
  readonly schema?: TSchema;
  /** How an object is written into the query; absent for a single value. */
  readonly style?: 'form';
  readonly explode?: boolean;
}

/** An answer whose body is not the error envelope. */
export interface OperationAnswer {
  readonly status: number;
  readonly description: string;
  /** Null when it has no body. */
  readonly schema: TSchema | null;
  /** Headers of this answer alone, by name. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  /** Whether it is an event stream, or may be requested as one instead of its schema. */
  readonly isStream?: boolean;
  /** Whether it may say when to ask again. Those of problems follow from their status. */
  readonly hasRetryAfter?: boolean;
}

/** The tag of the one flag in an answer of the Management API. */
export const flagTag = {
  ETag: {
    description: 'Names this state of the flag and of the environments of its project.',
    example: '"5-2"',
  },
};

/** An endpoint as the OpenAPI document describes it. */
export interface DescribedOperation {
  /** The operation's id, which handler, command and tests share, for example `patch-flag`. */
  readonly id: string;
  readonly tag: 'Evaluation API' | 'OFREP' | 'Sync' | 'Management API';
  readonly method: 'get' | 'post' | 'patch';
  readonly path: string;
  readonly summary: string;
  /** One or two sentences: what a caller must know in addition to the summary. */
  readonly description: string;
  readonly parameters: readonly OperationParameter[];
  /** Null: the operation takes no body. */
  readonly requestBody: TSchema | null;
  readonly answers: readonly OperationAnswer[];
  /** Every problem that the operation may answer with; the problem table has status and title. */
  readonly problems: readonly ProblemCode[];
}
