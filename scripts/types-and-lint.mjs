// Checks the types of every TypeScript project, then lints with the same programs, so that the compiler infers types only once.
import { ESLint } from 'eslint';
import ts from 'typescript';

/** The product with its tests, the client, and the examples, whose JavaScript has its types in comments. */
const projects = [
  'tsconfig.json',
  'libs/clients/client/tsconfig.json',
  'examples/partner-backend/tsconfig.json',
  'examples/tools/tsconfig.json',
  'examples/chat/tsconfig.json',
];

function programOf(project) {
  const onUnRecoverableConfigFileDiagnostic = (diagnostic) => {
    throw new Error(wordsOf([diagnostic]));
  };
  const host = Object.assign({}, ts.sys, { onUnRecoverableConfigFileDiagnostic });
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(project, { noEmit: true }, host);
  return ts.createProgram({ rootNames: fileNames, options, configFileParsingDiagnostics: errors });
}

const wordsOf = (diagnostics) =>
  ts.formatDiagnostics(diagnostics, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getNewLine: () => ts.sys.newLine,
  });

const programs = projects.map(programOf);
const wrong = programs.flatMap((program) => ts.getPreEmitDiagnostics(program));
const typed = {
  files: ['**/*.ts', 'examples/**/*.{js,jsx}'],
  languageOptions: { parserOptions: { projectService: false, programs } },
};
const eslint = new ESLint({ overrideConfig: [typed] });
const results = await eslint.lintFiles(['.']);
const { format } = await eslint.loadFormatter('stylish');
process.stdout.write(`${wordsOf(wrong)}${await format(results)}`);
const isFaulty = ({ errorCount, warningCount }) => errorCount + warningCount > 0;
process.exitCode = wrong.length > 0 || results.some(isFaulty) ? 1 : 0;
