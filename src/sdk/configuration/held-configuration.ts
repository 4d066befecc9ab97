import { isSlug } from '../../domain/project/project-slug.ts';
import type { SyncBeat, SyncDelta, SyncSnapshot } from '../../domain/sync/configuration.ts';
import { FlagSet } from './flag-set.ts';
import { parseVersion, UnusableConfiguration } from './sync-shapes.ts';

/** The configuration that a client answers from, and its position in the service's history. It is never dropped. */
export class HeldConfiguration {
  readonly flags = new FlagSet();
  readonly #project: string;
  readonly #environment: string | null;
  readonly #onChange: (names: readonly string[]) => void;
  #version: string | null = null;
  #position: string | null = null;

  /** @param onChange called after each change with the names of flags whose answers may differ now */
  constructor(project: string, environment: string | null, onChange: (names: readonly string[]) => void) {
    this.#project = project;
    this.#environment = environment;
    this.#onChange = onChange;
  }

  /** Of the last change that was applied. */
  get version(): string | null {
    return this.#version;
  }

  /** The position from which the service continues; null: it has to send everything. */
  get position(): string | null {
    return this.#position;
  }

  /** The content of a cache file; null before the first configuration. */
  get snapshot(): SyncSnapshot | null {
    if (this.#position === null) return null;
    return {
      version: this.#position,
      projectId: this.#project,
      environment: this.#environment,
      ...this.flags.content,
    };
  }

  /**
   * A slug does not say which id the project has. The service answers for the right project. A file may be of another one,
   * so it gives no position to go on from: the service then sends everything.
   * @param isOfService whether the service sent it; otherwise it is from a file
   * @throws UnusableConfiguration; then nothing has changed
   */
  replace(snapshot: SyncSnapshot, isOfService: boolean): void {
    const isSame = snapshot.projectId === this.#project;
    if (!(isSame || isSlug(this.#project)) || snapshot.environment !== this.#environment) {
      throw new UnusableConfiguration('it is of another project or environment');
    }
    const names = this.flags.replace(snapshot);
    this.#moveTo(snapshot.version, names);
    if (!isSame && !isOfService) this.#position = null;
  }

  /**
   * @param hasBase whether the change continues this configuration
   * @throws UnusableConfiguration; then nothing has changed
   */
  change(delta: SyncDelta, hasBase: boolean): void {
    this.#expectNext(delta.version, hasBase);
    const names = this.flags.change(delta);
    this.#moveTo(delta.version, names);
  }

  /** Nothing has changed up to that position. @throws UnusableConfiguration */
  noteBeat(beat: SyncBeat, hasBase: boolean): void {
    this.#expectNext(beat.version, hasBase);
    this.#position = beat.version;
  }

  #moveTo(version: string, names: readonly string[]): void {
    this.#version = version;
    this.#position = version;
    if (names.length > 0) this.#onChange(names);
  }

  /** A change on a wrong base would make the configuration wrong permanently. */
  #expectNext(version: string, hasBase: boolean): void {
    if (!hasBase || this.#position === null) throw new UnusableConfiguration('it continues nothing');
    const present = parseVersion(this.#position);
    const next = parseVersion(version);
    if (present.history !== next.history) throw new UnusableConfiguration('it is of another history');
    if (next.number < present.number) throw new UnusableConfiguration('it is older than what is there');
  }
}
