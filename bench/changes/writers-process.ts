import { answerLoad } from '../load/load-program.ts';
import { type ChangeableFlag, ChangingFlag } from './changing-flag.ts';
import { KeptConnection } from './kept-connection.ts';
import { ensureChange, makeChange } from './make-change.ts';
import { PatchCounter, type PatchFigures } from './patch-figures.ts';
import type { WritersLoad } from './patch-loads.ts';

interface WaitingWriter {
  readonly connection: KeptConnection;
  readonly flag: ChangingFlag;
}

/** The first patch is not counted, because an earlier run may have left the flag with its value. */
async function openWriter(origin: string, changeable: ChangeableFlag): Promise<WaitingWriter> {
  const connection = await KeptConnection.open(origin);
  const flag = new ChangingFlag(origin, changeable);
  await ensureChange(connection, flag.next());
  return { connection, flag };
}

async function runWriters({ origins, flags, seconds }: WritersLoad): Promise<PatchFigures> {
  const originOf = (index: number): string => origins[index % origins.length] as string;
  const writers = await Promise.all(flags.map((flag, index) => openWriter(originOf(index), flag)));
  const counter = new PatchCounter();
  const endAtMs = performance.now() + seconds * 1000;
  const write = async ({ connection, flag }: WaitingWriter): Promise<void> => {
    do {
      const beganAtMs = performance.now();
      await makeChange(connection, flag.next());
      counter.countChange(beganAtMs);
    } while (performance.now() < endAtMs);
  };
  await Promise.all(writers.map(write));
  const figures = counter.figures();
  for (const { connection } of writers) connection.close();
  return figures;
}

await answerLoad(runWriters);
