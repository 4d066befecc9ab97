import type { Question } from './questions.ts';

/** How a provider gets its answers: it asks for each one, or evaluates what it was sent. */
export type Way = 'ofrep' | 'flagd' | 'burgee';

/** Why a provider answers some questions differently, where the provider or its protocol is the reason. */
export interface Cause {
  readonly name: string;
  /** What the provider then says in place of an answer; null if it answers, and wrongly. */
  readonly error: RegExp | null;
  applies(question: Question): boolean;
}

/** A provider as its language publishes it. */
export interface Provider {
  readonly way: Way;
  readonly package: string;
  readonly version: string;
  readonly causes: readonly Cause[];
  /** Its program and the program's arguments, run in the language's installed folder. */
  readonly run: readonly [command: string, ...args: readonly string[]];
}

/** A command that installs or builds, run in the language's installed folder. */
export type Step = readonly [command: string, ...args: readonly string[]];

/** The folder of this name beside this file, and what is needed to run it. */
export interface Language {
  readonly name: string;
  /** Commands that must succeed, else the language is skipped; what they print is part of what is installed. */
  readonly tools: readonly Step[];
  readonly steps: readonly Step[];
  /** Folders that the steps leave for the next installation; everything else of the last one is removed. */
  readonly caches?: readonly string[];
  /** Files and folders of the checkout that the steps read, beside the language's own. */
  readonly inputs?: readonly string[];
  readonly providers: readonly Provider[];
}
