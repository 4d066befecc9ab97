import { setTimeout as pause } from 'node:timers/promises';
import type { BootedServer } from '../../support/booted-server.ts';
import { getRequest, WireConnection } from '../wire-connection.ts';
import type { ClusterStage, NodePlace } from './cluster-stage.ts';
import { declaredWithinMs, PositionHistory, type PositionLook } from './position-history.ts';

/** Between two looks at one node: each is a page of metrics, which a node makes in some milliseconds. */
const lookEveryMs = 50;
const startWords = 'the replica takes over the state of the cluster';
const endWords = 'the replica has taken over the state of the cluster';

/** Looks all the time at which position each node has applied. */
export class PositionWatch {
  readonly faults: string[] = [];
  readonly #stage: ClusterStage;
  readonly #watched = new Map<NodePlace, PositionHistory>();
  readonly #tasks: Promise<void>[] = [];
  readonly #connections = new Set<WireConnection>();
  #isOver = false;

  constructor(stage: ClusterStage) {
    this.#stage = stage;
    this.watchAll();
  }

  get counts(): { readonly positionLooks: number; readonly declaredStepsBack: number } {
    const histories = [...this.#watched.values()];
    return {
      positionLooks: histories.reduce((sum, { looks }) => sum + looks, 0),
      declaredStepsBack: histories.reduce((sum, { declared }) => sum + declared, 0),
    };
  }

  /** Looks at every place that is not looked at yet. */
  watchAll(): void {
    for (const place of this.#stage.places) {
      if (this.#watched.has(place)) continue;
      const history = new PositionHistory(place.name);
      this.#watched.set(place, history);
      this.#tasks.push(this.#watch(place, history));
    }
  }

  async stop(): Promise<void> {
    const isJudging = (): boolean => [...this.#watched.values()].some((history) => history.isJudging);
    // What a node says comes later than its position; one that stands still says nothing, and is judged by what was seen.
    const until = performance.now() + 2 * declaredWithinMs;
    while (isJudging() && performance.now() < until) await pause(lookEveryMs);
    this.#isOver = true;
    // A node that stands still answers no more.
    for (const connection of this.#connections) connection.destroy();
    await Promise.all(this.#tasks);
    for (const history of this.#watched.values()) this.#note(history.end());
  }

  async #watch(place: NodePlace, history: PositionHistory): Promise<void> {
    while (!this.#isOver) {
      const { server } = place;
      if (server === null) await pause(lookEveryMs);
      else await this.#watchProcess(place, server, history);
    }
  }

  async #watchProcess(place: NodePlace, server: BootedServer, history: PositionHistory): Promise<void> {
    const said = new SaidLines(server);
    let last = { position: 0, endedStarts: 0 };
    let connection: WireConnection | null = null;
    while (!this.#isOver && place.server === server) {
      connection = await this.#connect(server, connection);
      const { endedStarts } = said.read();
      const answer = await connection?.ask(getRequest('/metrics')).catch(() => null);
      const shown = answer?.status === 200 ? positionIn(answer.body) : null;
      if (shown !== null) {
        last = { position: shown, endedStarts };
        this.#see(history, server, last, said);
      }
      await pause(lookEveryMs);
    }
    // What it said last may have come after its last position.
    if (last.position > 0) this.#see(history, server, last, said);
    connection?.destroy();
  }

  #see(
    history: PositionHistory,
    { pid }: BootedServer,
    seen: Pick<PositionLook, 'position' | 'endedStarts'>,
    said: SaidLines,
  ): void {
    const { newStarts } = said.read();
    this.#note(history.see({ pid, ...seen, newStarts, atMs: performance.now() }));
  }

  #note(wrong: string | null): void {
    if (wrong !== null) this.faults.push(wrong);
  }

  async #connect(server: BootedServer, before: WireConnection | null): Promise<WireConnection | null> {
    if (before !== null && !before.isLost) return before;
    if (before !== null) this.#connections.delete(before);
    const connection = await WireConnection.open(adminPort(server)).catch(() => null);
    if (connection !== null) this.#connections.add(connection);
    if (this.#isOver) connection?.destroy();
    return connection;
  }
}

/** What a process has said of new starts: each of its lines is read once. */
class SaidLines {
  readonly #server: BootedServer;
  #next = 0;
  #newStarts = 0;
  #endedStarts = 0;

  constructor(server: BootedServer) {
    this.#server = server;
  }

  read(): { readonly newStarts: number; readonly endedStarts: number } {
    const { lines } = this.#server;
    for (; this.#next < lines.length; this.#next += 1) {
      const line = lines[this.#next] ?? '';
      if (line.includes(startWords)) this.#newStarts += 1;
      // One that failed is tried again: the end of the last attempt is that of all.
      if (line.includes(endWords)) this.#endedStarts = this.#newStarts;
    }
    return { newStarts: this.#newStarts, endedStarts: this.#endedStarts };
  }
}

/** @returns 0 until the process has said it */
function adminPort({ lines }: BootedServer): number {
  const [, port] = lines.map((line) => /"adminPort":(\d+)/.exec(line)).find((found) => found !== null) ?? [];
  return Number(port ?? 0);
}

/** @returns null where the page has none */
function positionIn(page: string): number | null {
  const found = /^burgee_cluster_position (\d+)/m.exec(page);
  return found === null ? null : Number(found[1]);
}
