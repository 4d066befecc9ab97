import type { TSchema } from 'typebox';
import type { ProblemCode } from '../domain/problem.ts';

export interface OperationParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly example: unknown;
  /** Absent: one string. */
  readonly schema?: TSchema;
}

/** An answer whose body is not the error envelope. */
export interface OperationAnswer {
  readonly status: number;
  readonly description: string;
  /** Null: it has no body. */
  readonly schema: TSchema | null;
  /** Whether it carries the `ETag` of the one flag it is about. */
  readonly hasEntityTag?: boolean;
}

/** One endpoint as the OpenAPI document describes it. */
export interface DescribedOperation {
  /** The verb that handler, command and tests share, for example `patch-flag`. */
  readonly id: string;
  readonly tag: 'Evaluation API' | 'Management API';
  readonly method: 'get' | 'post' | 'patch';
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly OperationParameter[];
  /** Null: the operation takes no body. */
  readonly requestBody: TSchema | null;
  readonly answers: readonly OperationAnswer[];
  /** Every problem that the operation may answer; status and title come from the problem table. */
  readonly problems: readonly ProblemCode[];
}
