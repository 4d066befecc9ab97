import type { BenchRequest } from '../../load/request-list.ts';

/** What a program's configuration is made for. */
export interface PeerPlace {
  /** Its own folder, for the time in which it runs. */
  readonly folder: string;
  /** A free port, for what it is asked over. */
  readonly port: number;
  /** As many more as it wants. */
  readonly otherPorts: readonly number[];
}

/** How a program is started. */
export interface PeerLaunch {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a program tells its version: what it prints with these arguments, or answers to this path. */
type PeerVersion = ({ readonly args: readonly string[] } | { readonly path: string }) & {
  /** Its first group is the version. */
  readonly pattern: RegExp;
};

/** A feature-flag server that the bench suite starts from a ready program. */
export interface BinaryPeer {
  /** As `--peer` names it. */
  readonly name: string;
  /** How it is run and asked, for the report. */
  readonly how: string;
  /** Ports that it takes beside the one that it is asked over. */
  readonly otherPorts: number;
  readonly version: PeerVersion;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes its flags and settings. */
  configure(place: PeerPlace): Promise<PeerLaunch> | PeerLaunch;
  /** Asks for `askedFlag`. */
  requestFor(user: string, attribute: string): BenchRequest;
  /** @returns whether an answer's body says that the flag is on */
  isOn(body: string): boolean;
}
