import { type ClientRequest, type IncomingMessage, request as requestOf } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Operator, VerbName } from './operator.ts';
import { operatorProtocolVersion, protocolHeader, storeHeader } from './operator-protocol.ts';

/** No server answers at the data directory's socket: none is running, or it is still starting. */
export class NoServer extends Error {
  override readonly name = 'NoServer';
}

/** The server ended before it answered, or refused the request. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
}

const firstAnswerMaxMs = 10_000;

/** The operator of the server that listens on a socket. Each call has a connection of its own. */
export function remoteOperator(socketPath: string, storeId: string): Operator {
  const ask = async (verb: VerbName, args: unknown) => {
    const body = args instanceof Uint8Array ? args : Buffer.from(JSON.stringify(args));
    const headers = {
      [protocolHeader]: operatorProtocolVersion,
      [storeHeader]: storeId,
      expect: '100-continue',
      'content-length': body.length,
    };
    const request = requestOf({ socketPath, agent: false, method: 'POST', path: `/${verb}`, headers });
    return await readAnswer(await send(request, body));
  };
  return ask as Operator;
}

/** Sends the head, and the body when the server asks for it. @returns when the head of the answer has arrived. */
function send(request: ClientRequest, body: Uint8Array): Promise<IncomingMessage> {
  let isAnswering = false;
  request.setTimeout(firstAnswerMaxMs, () => request.destroy(new NoServer('the server does not answer')));
  return new Promise((resolve, reject) => {
    request.on('information', ({ statusCode }) => {
      isAnswering = true;
      request.setTimeout(0);
      if (statusCode === 100) request.end(body);
    });
    request.on('response', (response) => {
      request.setTimeout(0);
      resolve(response);
    });
    request.on('error', (fault) => reject(isAnswering ? serverGone() : new NoServer(fault.message)));
    request.flushHeaders();
  });
}

/** @throws {ServerFault} */
async function readAnswer(response: IncomingMessage): Promise<unknown> {
  const text = await buffer(response).then(String, () => {
    throw serverGone();
  });
  const answer: unknown = JSON.parse(text);
  if (response.statusCode !== 200) throw new ServerFault((answer as { message: string }).message);
  return answer;
}

function serverGone(): ServerFault {
  return new ServerFault(
    'The server ended before it answered. The change may have been applied. Run the command again: it changes only what ' +
      'differs. If the file declares new tokens, they may exist by now, and their secrets are lost: revoke them and apply again.',
  );
}
