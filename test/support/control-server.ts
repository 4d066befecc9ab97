import { createServer } from 'node:net';

/*
 * A process that answers every message with the same bytes and does nothing else: its delays are the machine's. Prints
 * its port.
 */
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.on('data', () => socket.write(answer));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : 0}\n`);
});
process.stdin.resume().once('end', () => process.exit(0));
