import { answerLoad } from '../load/load-program.ts';
import { encodeRequests } from '../load/request-bytes.ts';
import type { AskAllLoad } from './ask-all.ts';
import { KeptConnection } from './kept-connection.ts';

const connections = 16;

async function askAll({ origin, paths }: AskAllLoad): Promise<number> {
  let next = 0;
  let answered = 0;
  const askNext = async (connection: KeptConnection): Promise<void> => {
    while (next < paths.length) {
      const path = paths[next++] as string;
      const [request] = encodeRequests({ origin, requests: [{ path, status: 200 }] });
      const { status } = await connection.ask(request as Buffer);
      if (status === 200) answered += 1;
    }
    connection.close();
  };
  const opened = await Promise.all(Array.from({ length: connections }, () => KeptConnection.open(origin)));
  await Promise.all(opened.map(askNext));
  if (answered < paths.length)
    throw new Error(`${paths.length - answered} of ${paths.length} flags were not answered 200`);
  return answered;
}

await answerLoad(askAll);
