import { call } from './backend.js';
import { ConversationPage } from './conversation-page.js';
import { announce, byId, showProblem } from './elements.js';

const signInView = byId('sign-in', HTMLElement);
const app = byId('app', HTMLElement);
const nameInput = byId('name', HTMLInputElement);
const problem = byId('sign-in-problem', HTMLElement);
const menu = byId('menu', HTMLElement);
const page = new ConversationPage(() => showSignIn('Your session is over. Please sign in again.'));

/** @param {string} name */
function showApp(name) {
  signInView.hidden = true;
  app.hidden = false;
  byId('who', HTMLElement).textContent = name;
  page.start();
}

/** @param {string | null} why */
function showSignIn(why) {
  page.stop();
  app.hidden = true;
  signInView.hidden = false;
  showProblem(problem, why);
  nameInput.focus();
}

/** @param {boolean} isOpen whether the side is shown on a screen where it does not fit next to the conversation */
function openMenu(isOpen) {
  app.classList.toggle('menu-open', isOpen);
  menu.setAttribute('aria-expanded', String(isOpen));
}

byId('sign-in-form', HTMLFormElement).addEventListener('submit', async (event) => {
  event.preventDefault();
  showProblem(problem, null);
  try {
    const { name } = await call('POST', '/api/session', { name: nameInput.value });
    showApp(name);
    announce(`Signed in as ${name}`);
  } catch (error) {
    showProblem(problem, /** @type {Error} call() throws nothing else */ (error).message);
  }
});
byId('sign-out', HTMLElement).addEventListener('click', async () => {
  await call('DELETE', '/api/session').catch(() => undefined); // the page drops the session in any case
  history.replaceState(null, '', location.pathname);
  showSignIn(null);
});
byId('new-conversation', HTMLElement).addEventListener('click', () => {
  page.startNew();
  openMenu(false);
});
menu.addEventListener('click', () => openMenu(menu.getAttribute('aria-expanded') === 'false'));
byId('side', HTMLElement).addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  openMenu(false);
  menu.focus();
});
addEventListener('hashchange', () => openMenu(false));
byId('skip', HTMLElement).addEventListener('click', (event) => {
  event.preventDefault(); // the fragment names conversations
  byId('text', HTMLElement).focus();
});

const { name } = await call('GET', '/api/session').catch(() => ({ name: null }));
if (name === null) showSignIn(null);
else showApp(name);
