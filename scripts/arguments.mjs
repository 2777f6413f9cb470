// The arguments of a script that starts something: a question for help starts nothing.

/** The exit code for wrong usage. */
const wrongUsage = 2;

/** Prints the usage and ends this process if one of its arguments asks for it. */
export function answerHelp(usage) {
  if (!process.argv.slice(2).some((argument) => ['--help', '-h'].includes(argument))) return;
  console.log(usage);
  process.exit();
}

/** The same, for a script that takes no arguments: others are refused. */
export function takeNoArguments(usage) {
  answerHelp(usage);
  const [, , argument] = process.argv;
  if (argument !== undefined) refuseUsage(`there is no argument ${argument}`, usage);
}

/** Ends this process because its arguments are wrong. */
export function refuseUsage(words, usage) {
  console.error(`${words}\n\n${usage}`);
  process.exit(wrongUsage);
}
