// Lets Node run the library's TypeScript as it is, so that a spec's child processes need no build.
const { transformFileSync } = require('@swc/core');

require.extensions['.ts'] = (module, file) => {
  const jsc = { target: 'es2022', parser: { syntax: 'typescript' } };
  module._compile(transformFileSync(file, { jsc, module: { type: 'commonjs' }, swcrc: false }).code, file);
};
