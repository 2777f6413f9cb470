// Opens SUBSCRIBERS subscriptions to `$all` over one connection and decodes nothing. Prints a line when all are live,
// and after that the number of messages of the slowest whenever it grows.
import { connectRaw, followAllRequest, openCall } from './raw-store.mjs';

const { STORE_URL, SUBSCRIBERS } = process.env;
/** The confirmation and the caught-up message. */
const messagesBeforeLive = 2;
const tellEveryMs = 50;

const session = connectRaw(STORE_URL);
const received = Array.from({ length: Number(SUBSCRIBERS) }, () => 0);
let live = 0;
for (const number of received.keys()) {
  const call = openCall(session, 'Read', () => {
    received[number] += 1;
    if (received[number] !== messagesBeforeLive) return;
    live += 1;
    if (live === received.length) console.log('live');
  });
  call.end(followAllRequest());
}
let told = 0;
setInterval(() => {
  const slowest = Math.min(...received) - messagesBeforeLive;
  if (slowest <= told) return;
  told = slowest;
  console.log(told);
}, tellEveryMs);
