// Prints, as a JSON list, the errors that the parser of the AsyncAPI project finds in the file of the first argument.
const { readFileSync } = require('node:fs');
const { Parser } = require('@asyncapi/parser');

const severityOfErrors = 0;

void new Parser().parse(readFileSync(process.argv[2], 'utf8')).then(({ document, diagnostics }) => {
  const errors = diagnostics.filter(({ severity }) => severity === severityOfErrors);
  if (document === undefined && errors.length === 0) throw new Error('nothing was read, and no error was found');
  console.log(JSON.stringify(errors.map(({ code, path, message }) => `${code}: ${message} /${path.join('/')}`)));
});
