import type { DeclaredProject } from '../../contracts/provision/declared-project.ts';

export const demoTokenNames = { read: 'demo-read', write: 'demo-write' } as const;
export const demoOwnerEmail = 'owner@demo.example';

/** As they are named on the command line; the first is made where none is named. */
export const demoNames = ['shop', 'kubernetes'] as const;
export type DemoName = (typeof demoNames)[number];

/** What a demo's text suggests: one `curl` line with a question about a flag. */
interface DemoQuestion {
  readonly text: string;
  readonly flag: string;
  /** Query parameters but for the environment. */
  readonly query: string;
}

/** A project to try Burgee on, and the text that shows how. */
export interface Demo {
  readonly name: DemoName;
  /** What it holds, within a sentence. */
  readonly about: string;
  readonly project: DeclaredProject & { readonly slug: string };
  /** The environment of the examples. */
  readonly environment: string;
  readonly questions: readonly DemoQuestion[];
  /** The flag that the last line turns on for all callers. */
  readonly changedFlag: string;
}

/** Tokens of each demo. */
export const demoTokens: NonNullable<DeclaredProject['tokens']> = [
  { name: demoTokenNames.read, permission: 'read' },
  { name: demoTokenNames.write, permission: 'write' },
];
