// A button beside each command that copies it.
for (const code of document.querySelectorAll('pre > code.language-sh')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  const row = document.createElement('div');
  row.className = 'command';
  code.parentElement.replaceWith(row);
  row.append(code.parentElement, button);
}
