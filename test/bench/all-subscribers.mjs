// So many subscriptions to `$all` over one connection, which decode nothing. Prints a line when all are live, and then how many messages the slowest has got, as that changes.
import { connectRaw, followAllRequest, openCall } from './raw-store.mjs';

const { STORE_URL, SUBSCRIBERS } = process.env;
/** That it is confirmed, and that it has caught up. */
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
