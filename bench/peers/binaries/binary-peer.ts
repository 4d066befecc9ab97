import type { BenchRequest } from '../../load/request-list.ts';

/** What a program's configuration depends on. */
export interface PeerLocation {
  /** Its own folder, which exists while it runs. */
  readonly folder: string;
  /** A free port for its evaluation API. */
  readonly port: number;
  /** Its further ports. */
  readonly otherPorts: readonly number[];
}

/** How a program is started. */
export interface PeerLaunch {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a program shows its version: in its output for these arguments, or in its answer to this path. */
type PeerVersion = ({ readonly args: readonly string[] } | { readonly path: string }) & {
  /** The first group matches the version. */
  readonly pattern: RegExp;
};

/** A feature-flag server that the bench suite starts from a ready program. */
export interface BinaryPeer {
  /** As `--peer` names it. */
  readonly name: string;
  /** Its command line and request, for the report. */
  readonly how: string;
  /** Number of ports that it needs in addition to that of its evaluation API. */
  readonly otherPorts: number;
  readonly version: PeerVersion;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes its flags and settings. */
  configure(location: PeerLocation): Promise<PeerLaunch> | PeerLaunch;
  /** The request that evaluates `askedFlag`. */
  requestFor(user: string, attribute: string): BenchRequest;
  /** @returns whether an answer's body says that the flag is on */
  isOn(body: string): boolean;
}
