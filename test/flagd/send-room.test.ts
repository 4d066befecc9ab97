import t from 'tap';
import { type Sender, SendRoom } from '../../src/flagd/send-room.ts';

/** Sends messages of so many bytes, and says when. */
function senderOf(projectId: string, bytesToSend: number, sent: string[]): Sender {
  return { projectId, accountId: `of ${projectId}`, bytesToSend, send: () => sent.push(projectId) };
}

t.test('bytes on their way are bounded, and a project leaves room for another', async (t) => {
  const room = new SendRoom(100);
  const sent: string[] = [];
  const [one, two] = [senderOf('a', 40, sent), senderOf('a', 40, sent)];
  room.ask(one);
  room.ask(two);
  t.same(sent, ['a'], 'of the 60 bytes that are free a project that holds 40 gets no 40 more');
  const other = senderOf('b', 40, sent);
  room.ask(other);
  t.same(sent, ['a', 'b']);
  t.equal(room.heldBytes, 80);
  room.give(one, 40);
  t.same(sent, ['a', 'b', 'a'], 'the one that waited');
  room.give(two, 40);
  room.give(other, 40);
  t.equal(room.heldBytes, 0);
});

t.test('who waits sends once, and what is withdrawn is not sent', async (t) => {
  const room = new SendRoom(100);
  const sent: string[] = [];
  const holder = senderOf('a', 50, sent);
  room.ask(holder);
  const [waiting, gone] = [senderOf('a', 20, sent), senderOf('a', 20, sent)];
  room.ask(waiting);
  room.ask(waiting);
  room.ask(gone);
  room.withdraw(gone);
  t.equal(sent.length, 1);
  room.give(holder, 50);
  t.equal(sent.length, 2);
  t.equal(room.heldBytes, 20);
});

t.test('the largest message is sent when nothing else is', async (t) => {
  const room = new SendRoom(100);
  const sent: string[] = [];
  room.ask(senderOf('a', room.messageBytesMax, sent));
  t.same(sent, ['a']);
});
