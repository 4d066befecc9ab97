/**
 * Node's own HTTP server with a constant answer, which has the headers and the bytes of an evaluation. Its first
 * argument names the file with the body. Prints its port.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { evaluationHeaders } from '../../src/operations/answer-headers.ts';

const body = readFileSync(process.argv[2] ?? '');
/** Burgee writes all headers as one: a name, and a value that contains the lines of the others. Node needs them one by one. */
const [firstValue = '', ...lines] = evaluationHeaders.value.split('\r\n');
const headers = [
  [evaluationHeaders.name, firstValue],
  ...lines.map((line) => line.split(': ')),
  // uWebSockets.js adds this line to every answer.
  ['uWebSockets', '20'],
  ['Content-Length', String(body.length)],
].flat();

const server = createServer((_request, response) => {
  // Node would add headers about the connection, which stays open without them.
  response.removeHeader('Connection');
  response.writeHead(200, headers).end(body);
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
