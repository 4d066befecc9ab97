import type { Problem } from './problem.ts';

export interface RefusedWith<P> {
  readonly ok: false;
  readonly problem: P;
}

interface Done<T> {
  readonly ok: true;
  readonly value: T;
}

/** The outcome of a decision that may be refused. @template P a problem of the Management API, or of the console's */
export type Outcome<T, P = Problem> = Done<T> | RefusedWith<P>;

export function succeed<T>(value: T): Done<T> {
  return { ok: true, value };
}

interface Told<Code> {
  readonly code: Code;
  readonly detail: string;
}

/** @param extra members in addition to the envelope's own, which only the console's API has */
export function refuse<Code extends string>(code: Code, detail: string): RefusedWith<Told<Code>>;
export function refuse<Code extends string>(
  code: Code,
  detail: string,
  extra: Readonly<Record<string, unknown>>,
): RefusedWith<Told<Code> & { readonly extra: Readonly<Record<string, unknown>> }>;
export function refuse<Code extends string>(
  code: Code,
  detail: string,
  extra?: Readonly<Record<string, unknown>>,
): RefusedWith<Told<Code> & { readonly extra?: Readonly<Record<string, unknown>> }> {
  return { ok: false, problem: extra === undefined ? { code, detail } : { code, detail, extra } };
}
