// The client that the conformance suite starts. It hands the scenario to the spec, whose process calls the server with the product's own
// code, and exits with that result. Arguments: the spec's address, and the server's, which the suite appends.
const [spec, serverUrl] = process.argv.slice(2);
const { MCP_CONFORMANCE_CONTEXT: context } = process.env;

fetch(spec, { method: 'POST', body: JSON.stringify({ serverUrl, context: context ? JSON.parse(context) : {} }) })
  .then(async (response) => {
    console.log(await response.text());
    process.exitCode = response.ok ? 0 : 1;
  })
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
