// The page of test/browser/ag-ui.spec.ts: a minimal chat on the unmodified HttpAgent of @ag-ui/client.
import { AgUiUser, yes } from '../client/ag-ui-user';

const conversationId = location.search.slice(1);
const user = new AgUiUser('/agent', conversationId);
window.user = user;

const [log, asked, form, status] = ['log', 'asked', 'form', 'status'].map((id) => document.getElementById(id));

function line(text, className) {
  const item = document.createElement('li');
  item.className = className;
  item.textContent = text;
  return item;
}

function draw() {
  const said = user.agent.messages.filter(({ role, content }) => role !== 'tool' && typeof content === 'string');
  log.replaceChildren(...said.map(({ role, content }) => line(content, role)));
  asked.replaceChildren(...user.agent.pendingInterrupts.flatMap(askOf));
}

function askOf(interrupt) {
  const button = document.createElement('button');
  button.textContent = 'Approve';
  button.onclick = () => work(() => user.answer(yes));
  const terms = interrupt.metadata.parley.terms.map(({ name, text }) => line(`${name}: ${text}`, 'term'));
  return [line(interrupt.message, 'ask'), ...terms, button];
}

async function work(what) {
  status.textContent = 'working';
  await what();
  draw();
  status.textContent = 'idle';
}

user.agent.subscribe({ onMessagesChanged: draw });
form.onsubmit = (event) => {
  event.preventDefault();
  const text = form.elements.text.value;
  form.reset();
  void work(() => user.say(text));
};
// As after every load: show the conversation, and follow what continues.
void work(() => user.follow());
